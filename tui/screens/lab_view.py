"""One demonstration under the person's hand: guess, sliders, figure, predicted against measured."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, cast

from rich.cells import cell_len
from textual.app import ComposeResult
from textual.containers import Container, Vertical, VerticalScroll
from textual.widgets import Input

from engine.text import Text
from tui import messages
from tui.commands import Command, bindings
from tui.recompute import Outcome, Recompute, Recomputed
from tui.screens.base import Page, Pane
from tui.widgets.checks import ChecksView, number
from tui.widgets.fields import Entry
from tui.widgets.figure import FigureView
from tui.widgets.prose import ProseView
from tui.widgets.slider import Slider

if TYPE_CHECKING:
    from engine.demonstration import Demonstration, Run, Value
    from engine.figure import Figure

PREDICT = Command(
    "predict", ("p",), Text("Predict", "预测"),
    Text("hide the outcome and guess it at this setting", "隐藏结果，先猜这组参数下的数值"), 21,
)  # fmt: skip
SAMPLE = Command(
    "sample",
    ("n",),
    Text("New sample", "新样本"),
    Text("draw again with the next seed", "换下一个随机种子重新抽样"),
    22,
)
RESET_ALL = Command(
    "reset_all",
    ("x",),
    Text("Reset all", "全部复位"),
    Text("all sliders and the seed as they were", "全部滑块与种子恢复原状"),
    23,
)
FIGURE = Command("figure", ("v",), Text("Figure", "图"), Text("the next figure", "下一幅图"), 24)
ZOOM = Command(
    "zoom",
    ("z",),
    Text("Zoom", "放大"),
    Text("the figure alone on the screen, and back", "让图占满屏幕，再按一次还原"),
    25,
)
NEXT_SLIDER = Command(
    "slider(1)",
    ("down", "j"),
    Text("Next slider", "下一个滑块"),
    Text("to the slider below", "移到下一个滑块"),
    palette=False,
)
PREVIOUS_SLIDER = Command(
    "slider(-1)",
    ("up", "k"),
    Text("Slider before", "上一个滑块"),
    Text("to the slider above", "移到上一个滑块"),
    palette=False,
)

Given = tuple[Mapping[str, "Value"], int]
Shown = tuple["Run", tuple["Figure", ...]]


class SliderList(VerticalScroll, can_focus=False, inherit_bindings=False):
    """The sliders; it follows the focus, so the arrow keys stay with the lab."""


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
    LabView.-short #lab-sliders { max-height: 5; }
    LabView.-short #lab-results { max-height: 5; }
    LabView.-tiny #lab-sliders { max-height: 4; }
    LabView.-tiny #lab-results { max-height: 4; }
    LabView.-zoom #lab-hand { display: none; }
    LabView.-wide #lab-main { layout: horizontal; }
    LabView.-wide #lab-picture { width: 3fr; height: 1fr; }
    LabView.-wide #lab-hand { width: 2fr; height: 1fr; max-height: 100%; }
    LabView.-wide #lab-sliders { max-height: 12; }
    LabView.-wide #lab-results { height: 1fr; max-height: 100%; margin-top: 1; }
    """
    OFFERS: ClassVar[tuple[Command, ...]] = (
        PREDICT,
        SAMPLE,
        RESET_ALL,
        FIGURE,
        ZOOM,
        NEXT_SLIDER,
        PREVIOUS_SLIDER,
    )
    BINDINGS = bindings("lab", OFFERS)
    WIDE = 100

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
        self._recompute: Recompute[Given, Shown] = Recompute(
            self._compute, self._deliver, settles=demo.samples.rest != demo.samples.drag
        )

    def _compute(self, given: Given, dragging: bool) -> Shown:
        values, seed = given
        run = self.demo.run(values, seed, dragging)
        return run, run.figures()

    def _deliver(self, outcome: Outcome[Given, Shown]) -> None:
        self.post_message(Recomputed(outcome))

    def compose(self) -> ComposeResult:
        with Container(id="lab-main"):
            with Vertical(id="lab-picture"):
                yield ProseView(id="lab-prompt")
                yield Entry(id="lab-guess")
                yield FigureView(id="lab-figure")
            with Vertical(id="lab-hand"):
                with SliderList(id="lab-sliders"):
                    for parameter in self.demo.parameters:
                        yield Slider(parameter, self.first[parameter.name])
                with Pane(id="lab-results", can_focus=False):
                    yield ProseView(id="lab-headline")
                    yield ChecksView()
                    yield ProseView(id="lab-call")

    @property
    def lab_page(self) -> Page:
        return cast(Page, self.screen)

    def on_mount(self) -> None:
        self.show()
        self._ask()
        self.call_after_refresh(self.take_focus)

    def on_unmount(self) -> None:
        self._recompute.close()

    def on_resize(self) -> None:
        wide = self.size.width >= self.WIDE
        self.set_class(wide, "-wide")
        self.set_class(not wide and self.size.height < 22, "-short")
        self.set_class(not wide and self.size.height < 17, "-tiny")

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
        return bool(self.query(ChecksView)) and bool(self.query("#lab-figure"))

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
        self.query_one("#lab-figure", FigureView).language = language
        self.query_one(ChecksView).language = language
        self._show_outcome()

    def _show_outcome(self) -> None:
        say = self.lab_page.say
        prompt, entry = self.query_one("#lab-prompt", ProseView), self.query_one("#lab-guess", Entry)
        figure, checks = self.query_one("#lab-figure", FigureView), self.query_one(ChecksView)
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
            entry.tell(
                say(messages.GUESS_LABEL),
                say(messages.GUESS_FAULT if self.guess_fault else messages.GUESS_HINT),
            )
            return
        if self.shown is None:
            return
        run, figures = self.shown
        if (place := (run.params.as_dict(), run.seed)) not in self._seen:
            self._seen.append(place)
        checks.checks = run.checks
        figure.figure = figures[self.place % len(figures)] if figures else None
        self.query_one("#lab-headline", ProseView).text = self._headline(run)
        # it names the outcome, so it waits for the guess like the outcome itself
        shows = say(messages.SHOWS, shows=say(self.demo.shows))
        call = say(messages.SAME_IN_THE_SHELL, call=self.call())
        self.query_one("#lab-call", ProseView).text = f"{shows}\n\n{call}"

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
        if headline.scale == "log" and self.guess > 0 and measured > 0:
            factor = max(self.guess / measured, measured / self.guess)
            return said + say(messages.GUESS_FACTOR, guess=number(self.guess), factor=number(factor))
        return said + say(
            messages.GUESS_GAP, guess=number(self.guess), gap=number(abs(self.guess - measured))
        )

    def call(self) -> str:
        """The shell call that gives what is shown."""
        defaults = self.demo.read({})
        changed = [
            f" --set {name}={value}" for name, value in self.values().items() if value != defaults[name]
        ]
        seed = f" --seed {self.seed}" if self.seed else ""
        return f"proofdeck demo {self.demo.id}{''.join(changed)}{seed}"

    def values(self) -> dict[str, Value]:
        return {slider.parameter.name: slider.value for slider in self.query(Slider)}

    # What a person does ------------------------------------------------------------------------

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        match action:
            case "figure":
                return not self.hidden and self.shown is not None and len(self.shown[1]) > 1
            case "predict" | "sample" | "zoom":
                return not self.hidden
        return True

    def _ask(self, dragging: bool = False) -> None:
        self._recompute.ask((self.values(), self.seed), dragging)

    def on_slider_changed(self, event: Slider.Changed) -> None:
        event.stop()
        self._ask(dragging=True)

    def on_recomputed(self, event: Recomputed) -> None:
        event.stop()
        if not self.stands:
            return
        outcome: Outcome[Any, Shown] = event.outcome
        self.error = outcome.error
        if outcome.error is None:
            self.shown = outcome.result
        self._keep_guess()
        self._show_outcome()
        self.refresh_bindings()

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
        self.remove_class("-zoom")
        self.hidden, self.guess = True, None
        self._show_outcome()
        self.take_focus()

    def action_sample(self) -> None:
        self.seed += 1
        self._ask()

    def action_reset_all(self) -> None:
        self.seed = 0
        for slider in self.query(Slider):
            slider.set_value(self.first[slider.parameter.name])
        self._ask()

    def action_figure(self) -> None:
        self.place += 1
        self._show_outcome()

    def action_zoom(self) -> None:
        self.toggle_class("-zoom")
        # what has the focus would be hidden, and the keys of the lab with it
        self.can_focus = self.has_class("-zoom")
        if self.can_focus:
            self.focus()
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
            sliders[max(0, min(len(sliders) - 1, place))].focus()


def read_guess(typed: str) -> float | None:
    """A number as a person types one, full-width digits and thousands separators included; None for anything else."""
    import math
    import unicodedata

    plain = unicodedata.normalize("NFKC", typed).replace(",", "").replace("−", "-").replace(" ", "")
    if len(plain) > 40:
        return None
    try:
        guess = float(plain)
    except ValueError:
        return None
    return guess if math.isfinite(guess) else None
