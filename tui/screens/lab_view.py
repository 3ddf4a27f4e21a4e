"""One demonstration under the person's hand: guess, sliders, figure, predicted against measured."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, cast

from rich.cells import cell_len
from textual.app import ComposeResult
from textual.containers import Container, Vertical, VerticalScroll
from textual.widget import Widget
from textual.widgets import Input

from tui import messages
from tui.commands import Command, bindings
from tui.recompute import PAINTING, Outcome, Recompute, Recomputed
from tui.run_process import Asked
from tui.screens import lab_words as words
from tui.screens.base import Page, Pane
from tui.screens.deciding import decide
from tui.screens.lab_guess import GuessInput, off_by, read_guess
from tui.screens.lab_sweep import Given, Sweep, Swept
from tui.widgets.checks import ChecksView, number
from tui.widgets.derivation import DerivationView
from tui.widgets.fields import Entry
from tui.widgets.figure import Drawn, FigureView
from tui.widgets.prose import ProseView
from tui.widgets.slider import Slider

if TYPE_CHECKING:
    from engine.demonstration import Demonstration, Run, Value
    from engine.figure import Figure

Shown = tuple["Run", tuple["Figure", ...]]


class SliderList(VerticalScroll, can_focus=False, inherit_bindings=False):
    """The sliders; it follows the focus, so the arrow keys stay with the lab."""


LONG = 0.01
"""Seconds a run may take beside the event loop while a slider moves; for longer ones there is a process."""


class LabView(Vertical):
    """Predict first: the outcome is hidden until a guess was typed, or waived by Enter alone."""

    DEFAULT_CSS = """
    LabView { height: 1fr; }
    LabView #lab-main { height: 1fr; layout: vertical; }
    LabView #lab-picture { height: 1fr; min-height: 6; padding: 0 1; }
    LabView #lab-hand { height: auto; max-height: 70%; }
    LabView #lab-sliders { height: auto; max-height: 6; scrollbar-size-vertical: 1; }
    LabView #lab-results { height: auto; max-height: 7; }
    LabView #lab-headline { text-style: bold; }
    LabView #lab-guess { height: auto; margin-top: 1; padding: 0; }
    LabView #lab-call { color: $text-muted; margin-top: 1; }
    LabView.-wide #lab-call { margin: 0 0 1 0; }
    LabView #lab-shows { margin-top: 1; }
    LabView.-tiny #lab-call { margin: 0; }
    LabView.-short #lab-sliders { max-height: 5; }
    LabView.-short #lab-results { max-height: 5; }
    LabView.-tiny #lab-sliders { max-height: 4; }
    LabView.-tiny #lab-results { max-height: 4; }
    LabView.-zoom #lab-hand { display: none; }
    LabView #lab-derivation { display: none; height: 2fr; padding: 0; margin-top: 1; }
    LabView.-roomy #lab-derivation { display: block; }
    LabView.-roomy #lab-figure { height: 3fr; }
    LabView.-zoom #lab-derivation, LabView.-guessing #lab-derivation { display: none; }
    LabView.-wide #lab-main { layout: horizontal; }
    LabView.-wide #lab-picture { width: 3fr; height: 1fr; }
    LabView.-wide #lab-hand { width: 2fr; height: 1fr; max-height: 100%; }
    LabView.-wide #lab-sliders { max-height: 12; }
    LabView.-wide #lab-results { height: 1fr; max-height: 100%; margin-top: 1; }
    """
    OFFERS: ClassVar[tuple[Command, ...]] = (
        words.STEP,
        words.REVEAL,
        words.PREDICT,
        words.SAMPLE,
        words.RESET_ALL,
        words.FIGURE,
        words.ZOOM,
        words.PIN,
        words.SWEEP,
        words.COPY_CALL,
        words.COPY_VALUES,
        words.NEXT_SLIDER,
        words.PREVIOUS_SLIDER,
    )
    BINDINGS = bindings("lab", OFFERS)
    WIDE = 100
    ROOMY = 34
    """Rows from which the derivation stands beneath the figure."""

    def __init__(self, demo: Demonstration, given: Mapping[str, Value] | None = None) -> None:
        super().__init__()
        self.demo = demo
        self.first = demo.read(given or {})
        self.seed = 0
        self.hidden = True
        self.guess: float | None = None
        self.guessed_at: Given = (self.first, 0)
        self._unkept = False
        self._seen: list[Given] = []
        self.guess_fault = False
        self.place = 0
        self.shown: Shown | None = None
        self.error: Exception | None = None
        self.pinned: tuple[Figure, ...] = ()
        self.pinned_call = ""
        self.sweep: Sweep | None = None
        self._beneath: Slider | None = None
        self._deciding = False
        # looked up once: a moving slider asks for them at every step
        self._sliders: tuple[Slider, ...] = ()
        self._parts: tuple[Widget, ...] = ()
        self._picture = FigureView(id="lab-figure")
        self._rest: asyncio.TimerHandle | None = None

    def _compute(self, given: Given, dragging: bool) -> Shown:
        values, seed = given
        drawn = not self.hidden and self.sweep is None
        place, pinned, frame = self.place, self.pinned, self._picture.frame if drawn else None
        behind = pinned[place % len(pinned)] if pinned else None
        began = time.monotonic()
        run, figures, rows = self._runs.computed(
            self.demo, Asked(values, seed, dragging, place, behind, frame)
        )
        # the first one also loads what it needs
        if self.shown is not None and time.monotonic() - began > LONG:
            self._runs.begin()
        if rows is not None and frame is not None:
            self._picture.keep(Drawn(figures[place % len(figures)], behind, frame, rows))
        return run, figures

    def _deliver(self, outcome: Outcome[Given, Shown]) -> None:
        self.post_message(Recomputed(outcome))

    def compose(self) -> ComposeResult:
        self._sliders = tuple(Slider(one, self.first[one.name]) for one in self.demo.parameters)
        self._parts = figure, checks = self._picture, ChecksView()
        with Container(id="lab-main"):
            with Vertical(id="lab-picture"):
                yield ProseView(id="lab-prompt")
                yield Entry(id="lab-guess", field=GuessInput)
                yield figure
                yield DerivationView(id="lab-derivation")
            with Vertical(id="lab-hand"):
                with SliderList(id="lab-sliders"):
                    for slider in self._sliders:
                        # the help may name it before it is first shown
                        slider.set_reactive(Slider.language, self.lab_page.language)
                        yield slider
                with Pane(id="lab-results", can_focus=False):
                    yield ProseView(id="lab-headline")
                    yield checks
                    yield ProseView(id="lab-call")
                    yield ProseView(id="lab-shows")

    @property
    def lab_page(self) -> Page:
        return cast(Page, self.screen)

    def on_mount(self) -> None:
        self._runs = self.lab_page.proofdeck.workspace.runs
        self._recompute: Recompute[Given, Shown] = Recompute(
            self._compute,
            self._deliver,
            settles=self.demo.samples.rest != self.demo.samples.dragging,
            painting=PAINTING,
            interrupter=self._runs,
        )
        self._order_results(self.has_class("-wide"))
        self.show()
        self._ask()
        self.call_after_refresh(self.take_focus)

    def on_unmount(self) -> None:
        self._end_sweep()
        self._recompute.close()

    def on_resize(self) -> None:
        wide = self.size.width >= self.WIDE
        self.set_class(wide, "-wide")
        self.set_class(wide and self.size.height >= self.ROOMY, "-roomy")
        self.set_class(not wide and self.size.height < 22, "-short")
        self.set_class(not wide and self.size.height < 17, "-tiny")
        self._order_results(wide)
        # the derivation's key comes and goes with the room for it
        self.refresh_bindings()

    def _order_results(self, wide: bool) -> None:
        """The shell call above the checks where there is room for both, else beneath them: they come first."""
        if not self.stands:
            return
        results, call = self.query_one("#lab-results"), self.query_one("#lab-call")
        checks = self.query_one(ChecksView)
        if wide:
            results.move_child(call, before=checks)
        else:
            results.move_child(call, after=checks)

    @property
    def legend(self) -> str:
        """What each slider means, in full: its own row may have no room for it."""
        return "\n".join(f"- {slider.label}" for slider in self.query(Slider))

    def take_focus(self) -> None:
        """The guess while there is one to make, else the first slider."""
        if self.hidden:
            self.query_one("#lab-guess", Entry).input.focus(scroll_visible=False)
        elif sliders := self.query(Slider):
            sliders.first().focus(scroll_visible=False)

    # What is on screen -------------------------------------------------------------------------

    @property
    def stands(self) -> bool:
        """Are the parts there? They come after the lab itself, and go before it."""
        return bool(self._parts) and all(part.is_attached for part in self._parts)

    def show(self) -> None:
        if not self.stands:
            return
        language = self.lab_page.language
        sliders = list(self.query(Slider))
        for slider in sliders:
            slider.language = language
        longest = max((cell_len(slider.label) for slider in sliders), default=0)
        for slider in sliders:
            slider.label_cells = longest
        self._picture.language = language
        self.query_one(ChecksView).language = language
        derivation = self.query_one(DerivationView)
        derivation.language, derivation.next_key = language, self.lab_page.key_called("lab.next-step")
        self._show_outcome()

    def _show_outcome(self) -> None:
        say = self.lab_page.say
        prompt, entry = self.query_one("#lab-prompt", ProseView), self.query_one("#lab-guess", Entry)
        figure, checks = self._picture, self.query_one(ChecksView)
        self.set_class(self.hidden or self.error is not None, "-guessing")
        entry.display = self.hidden
        prompt.display = self.hidden or self.error is not None
        figure.display = not self.hidden and self.error is None
        self.query_one("#lab-results").display = not self.hidden and self.error is None
        if self.error is not None:
            prompt.text = self.lab_page.fault_line(self.error)
            return
        if self.hidden:
            headline = self.demo.headline
            prompt.text = say(
                messages.GUESS, error=say(self.demo.kills), meaning=say(headline.meaning), unit=self._unit(),
                low=number(headline.low), high=number(headline.high),
            )  # fmt: skip
            if self.guess_fault:
                prompt.text += f"\n\n{say(messages.GUESS_FAULT)}"
            entry.tell(say(messages.GUESS_LABEL), say(messages.GUESS_HINT))
            return
        if self.shown is None:
            return
        run = self.shown[0]
        if (place := (run.params.as_dict(), run.seed)) not in self._seen:
            self._seen.append(place)
        checks.checks = run.checks
        figure.figure, figure.pinned = self._figure()
        self.query_one("#lab-headline", ProseView).text = self._sweep_line() + self._headline(run)
        # it names the outcome, so it waits for the guess like the outcome itself
        shows = say(messages.SHOWS, shows=say(self.demo.shows))
        call = say(messages.SAME_IN_THE_SHELL, call=self.call())
        pinned = [say(words.PINNED, call=self.pinned_call)] if self.pinned else []
        self.query_one("#lab-call", ProseView).text = "\n\n".join((call, *pinned))
        self.query_one("#lab-shows", ProseView).text = shows

    def _figure(self) -> tuple[Figure | None, Figure | None]:
        """What is drawn, and behind it: the sweep while there is one, else the figure of now over the pinned one."""
        assert self.shown is not None
        if self.sweep is not None:
            return self.sweep.figure(self.values()[self.sweep.name]), None
        figures = self.shown[1]
        return self._placed(figures) if figures else (None, None)

    def _placed(self, figures: tuple[Figure, ...]) -> tuple[Figure, Figure | None]:
        """Of a run's figures the one whose turn it is, and the one that is pinned behind it."""
        place, pinned = self.place % len(figures), self.pinned
        return figures[place], pinned[place] if place < len(pinned) else None

    def _sweep_line(self) -> str:
        sweep = self.sweep
        if sweep is None:
            return ""
        said = words.SWEPT if sweep.done else words.SWEEPING
        line = self.lab_page.say(said, name=sweep.meaning, done=len(sweep.runs), all=sweep.places)
        return f"{line}\n\n"

    def _unit(self) -> str:
        from engine.notation.wide import joins_tight

        unit = self.lab_page.say(self.demo.headline.unit)
        return f"{'' if joins_tight('0', unit[0]) else ' '}{unit}" if unit else ""

    def _headline(self, run: Run) -> str:
        say = self.lab_page.say
        headline = self.demo.headline
        measured = run.headline
        said = say(messages.OUTCOME, meaning=say(headline.meaning), value=number(measured) + self._unit())
        if self.guess is None or self.guessed_at != (self.values(), self.seed):
            return said
        return said + say(off_by(headline, self.guess, measured))

    def call(self) -> str:
        """The shell call that gives what is shown."""
        defaults = self.demo.read({})
        changed = [
            f" --set {name}={value}" for name, value in self.values().items() if value != defaults[name]
        ]
        seed = f" --seed {self.seed}" if self.seed else ""
        swept = f" --sweep {self.sweep.name}" if self.sweep is not None else ""
        return f"proofdeck demo {self.demo.id}{''.join(changed)}{seed}{swept}"

    def values(self) -> dict[str, Value]:
        return {slider.parameter.name: slider.value for slider in self._sliders}

    # What a person does ------------------------------------------------------------------------

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        match action:
            case "figure":
                one = self.sweep is not None or self.shown is None or len(self.shown[1]) < 2
                return not (self.hidden or one)
            case "reveal":
                return self.hidden and self.error is None
            case "predict" | "sample" | "zoom":
                return not self.hidden
            case "pin":
                return not self.hidden and self.shown is not None and self.sweep is None
            case "copy":
                return not self.hidden and self.shown is not None
            case "sweep":
                return not self.hidden and bool(self.demo.parameters)
            case "derive_step":
                seen = self.has_class("-roomy") and not self.has_class("-zoom", "-guessing")
                return seen and self.query_one(DerivationView).check_action("next_step", ())
        return True

    def _ask(self, dragging: bool = False) -> None:
        self._recompute.ask((self.values(), self.seed), dragging)
        if self._rest is not None:
            self._rest.cancel()
        if dragging:
            loop = asyncio.get_running_loop()
            self._rest = loop.call_later(self._recompute.still, self._recompute.come_to_rest)

    def on_slider_changed(self, event: Slider.Changed) -> None:
        event.stop()
        if self.sweep is not None and not self.sweep.is_of((self.values(), self.seed)):
            self._end_sweep()
        self._ask(dragging=True)

    def on_recomputed(self, event: Recomputed) -> None:
        event.stop()
        if not self.stands:
            return
        outcome: Outcome[Any, Shown] = event.outcome
        before = self.shown is None, self.error is None
        self.error = outcome.error
        if outcome.error is None:
            self.shown = outcome.result
        self._keep_guess()
        self._show_outcome()
        if before != (self.shown is None, self.error is None):
            self.refresh_bindings()
        self.call_after_refresh(self._recompute.painted)

    async def action_reveal(self) -> None:
        """Enter on a slider does what it does in the line of the guess."""
        await self.query_one("#lab-guess", Entry).input.action_submit()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        typed = event.value.strip()
        guess = read_guess(typed)
        self.guess_fault = bool(typed) and guess is None
        if not self.guess_fault:
            self.guess, self.hidden = guess, False
            self.guessed_at = (self.values(), self.seed)
            # whoever has seen the outcome at this setting guesses no more
            self._unkept = guess is not None and self.guessed_at not in self._seen
            self._keep_guess()
            event.input.value = ""
        self._show_outcome()
        self.refresh_bindings()
        if not self.hidden:
            self.take_focus()

    def _keep_guess(self) -> None:
        """Keep a guess, once, beside the outcome at the setting it was made at, with the whole sample."""
        if not self._unkept or self.guess is None or self.shown is None:
            return
        run, guess = self.shown[0], self.guess
        if (
            run.params.as_dict(),
            run.seed,
        ) != self.guessed_at or run.params.samples != self.demo.samples.rest:
            return
        self._unkept = False
        workspace = self.lab_page.proofdeck.workspace
        self.lab_page.later(lambda: workspace.keep_guess(run, guess), lambda _: None, group=f"guess {guess}")

    def action_predict(self) -> None:
        self._set_zoom(False)
        self.hidden, self.guess = True, None
        self._show_outcome()
        self.take_focus()

    def action_sample(self) -> None:
        self.seed += 1
        self._end_sweep()
        self._ask()

    def action_reset_all(self) -> None:
        self.seed = 0
        self._end_sweep()
        for slider in self.query(Slider):
            slider.set_value(self.first[slider.parameter.name])
        self._ask()

    def action_pin(self) -> None:
        """Keep the figures of now behind those to come, or let go of the kept ones."""
        assert self.shown is not None
        self.pinned, self.pinned_call = ((), "") if self.pinned else (self.shown[1], self.call())
        self._show_outcome()

    def action_copy(self, what: str) -> None:
        """Put the shell call, or the values, into the terminal's clipboard."""
        from engine.report import run_json

        assert self.shown is not None
        if what == "call":
            copied = self.call()
        else:
            told = run_json(self.shown[0], ())
            kept = ("id", "parameters", "seed", "headline", "checks")
            copied = json.dumps({name: told[name] for name in kept}, ensure_ascii=False)
        self.app.copy_to_clipboard(copied)
        shown = copied if len(copied) <= 160 else copied[:160] + "…"
        self.lab_page.proofdeck.notice(self.lab_page.say(words.COPIED, copied=shown))

    async def action_derive_step(self) -> None:
        view = self.query_one(DerivationView)
        view.action_next_step()
        if not self._deciding:
            self._deciding = True
            self.run_worker(
                partial(decide, self.lab_page, self.demo, view), group="derivation", exclusive=True
            )

    # One parameter through its range -------------------------------------------------------------

    def _end_sweep(self) -> None:
        if self.sweep is not None:
            self.sweep.ended = True
            self.sweep = None
            # pinning and the next figure are offered again
            self.refresh_bindings()

    def action_sweep(self) -> None:
        """Sweep the slider that has the focus, or had it before the zoom; end the sweep that there is."""
        if self.sweep is not None:
            self._end_sweep()
        else:
            from engine.sweep import places

            focused = self._beneath if self.zoomed else self.app.focused
            slider = focused if isinstance(focused, Slider) else self.query(Slider).first()
            parameter = slider.parameter
            begun = Sweep(self.demo, parameter.name, (self.values(), self.seed), len(places(parameter)))
            self.sweep = begun

            def done(runs: int) -> None:
                # where the other values left no run, a place was passed over
                begun.places = runs
                self._show_outcome()

            self.lab_page.later(lambda: begun.work(self.post_message), done, group="sweep")
            # how far the sweep has come stands at the top
            self.query_one("#lab-results", Pane).edge(-1)
        self._show_outcome()
        self.refresh_bindings()

    def on_swept(self, event: Swept) -> None:
        event.stop()
        if self.stands and self.sweep is not None and event.sweep is self.sweep:
            self.sweep.runs = event.runs
            self._show_outcome()

    def action_figure(self) -> None:
        self.place += 1
        self._show_outcome()

    @property
    def zoomed(self) -> bool:
        """Is the figure alone on the screen?"""
        return self.has_class("-zoom")

    def _set_zoom(self, zoomed: bool) -> None:
        self.set_class(zoomed, "-zoom")
        # what has the focus would be hidden, and the keys of the lab with it
        self.can_focus = zoomed

    def action_zoom(self) -> None:
        """The figure alone on the screen; then all of it again, the focus on the slider that had it."""
        focused = self.app.focused
        self._set_zoom(not self.zoomed)
        if self.zoomed:
            self._beneath = focused if isinstance(focused, Slider) else None
            self.focus()
        elif self._beneath is not None:
            self._beneath.focus()
        else:
            self.take_focus()

    def action_slider(self, by: int) -> None:
        sliders: list[Slider] = list(self.query(Slider))
        if not sliders:
            return
        if self.app.focused in sliders:
            place = sliders.index(self.app.focused) + by
        else:
            place = 0 if by > 0 else len(sliders) - 1
        if self.hidden and not 0 <= place < len(sliders):
            self.take_focus()
        else:
            # at once: keys that came together each go one further
            self.screen.set_focus(sliders[max(0, min(len(sliders) - 1, place))])
