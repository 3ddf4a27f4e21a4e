"""A self-test being sat: one question at a time, every answer stored as it is given."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from textual.app import ComposeResult

from engine.errors import InputError
from engine.text import Text
from quizbank import labels
from tui import answer_messages as words
from tui import messages
from tui.background import in_thread
from tui.screens.answering import (
    BACK,
    EDIT,
    FLAG,
    HAND_IN,
    LETTERS,
    PICKS,
    SKIP,
    TOGGLE,
    BesideEditor,
    to_tick,
)
from tui.screens.base import Page
from tui.widgets.answer_panel import AnswerPanel
from tui.widgets.code_editor import DONE, RUN
from tui.widgets.menu import Item, Menu
from tui.widgets.text_areas import Left
from tui.widgets.typed_line import Entered

if TYPE_CHECKING:
    from quizbank.drills.graded import Graded
    from quizbank.papers.sitting import Sitting
    from tui.asking import Asked

T = TypeVar("T")

_LAST_MS = 2500
_LAST_MS_OF_CODE = 12_000
"""How long before the end what is being typed begins to be graded at each tick of the clock; a program is run."""
_LONG_KINDS = ("derivation", "code")
"""What is written over minutes: half of it is a draft, and no answer before the paper ends."""


class SittingScreen(BesideEditor, Page):
    """Choice: pick an option. All else is typed; a recall's key points are ticked by the person."""

    HEADING = messages.TEST
    ABOUT = messages.SITTING_ABOUT
    OFFERS = (TOGGLE, EDIT, RUN, DONE, SKIP, BACK, FLAG, HAND_IN, *PICKS)
    AUTO_FOCUS = ""
    CSS = """
    SittingScreen Menu.-typed { height: auto; max-height: 60%; }
    SittingScreen Menu.-tall { max-height: 38%; }
    """

    def __init__(self, options: Mapping[str, Any]) -> None:
        super().__init__()
        self.options = dict(options)
        self.sitting: Sitting | None = None
        self.asked: Asked | None = None
        self.ticking: Graded | None = None
        self.ticked: set[str] = set()
        self.told: Text | None = None
        self.all_answered = False
        self.sure = False
        self.refused: str | None = None
        self._put_at = -1
        self._is_too_long = self._is_leaving = False
        self._turn = asyncio.Lock()

    def body(self) -> ComposeResult:
        yield Menu(id="question")
        yield AnswerPanel(True, self.proofdeck.workspace.judge, id="answer")

    def begin(self) -> None:
        workspace = self.proofdeck.workspace

        def begin() -> Sitting:
            if self.options.get("resume"):
                return workspace.results.resume(workspace.grader)
            return workspace.results.begin(workspace.paper(self.options), workspace.grader)

        self.later(begin, self._begun, failed=self._not_begun)
        self.set_interval(1, self._tick)

    def _begun(self, sitting: Sitting) -> None:
        self.sitting = sitting
        self.told = sitting.paper.shortfall
        self.proofdeck.tell_notices()
        if any(one.variant.kind in ("expression", "derivation") for one in sitting.paper.questions):
            self.proofdeck.workspace.judge.warm()
        self._ask()

    def _not_begun(self, error: Exception) -> None:
        self.complain(error)
        self.app.pop_screen()

    def _ask(self) -> None:
        """Turn to the sitting's question."""
        sitting = self.sitting
        assert sitting is not None
        if not sitting.running:
            return
        self.asked = self.ticking = self.refused = None
        self.sure = False
        self.all_answered = not sitting.unanswered
        workspace = self.proofdeck.workspace
        self.later(
            lambda: workspace.asked(sitting.question.variant), self._put, group="ask", failed=self._gone
        )

    async def _put(self, asked: Asked) -> None:
        sitting = self.sitting
        assert sitting is not None
        self.asked, self._put_at = asked, sitting.position
        answer = sitting.answers[sitting.position]
        await self.panel.put(asked, sitting.draft or answer.given or "")
        self.show()
        self.query_one(Menu).scroll_home(animate=False)
        if asked.options and answer.given:
            self.query_one(Menu).fill(self._items(), at=answer.given)
        self._take_focus()
        self.frame()

    @property
    def panel(self) -> AnswerPanel:
        return self.query_one(AnswerPanel)

    def _gone(self, error: Exception) -> None:
        # the drill is no longer in the bank: it can only be skipped
        self.complain(error)
        self._take_focus()

    @property
    def _typed(self) -> bool:
        """Is the question at hand answered by typing?"""
        return self.asked is not None and not self.asked.options and self.ticking is None

    def _take_focus(self) -> None:
        # once all is answered the keys are free to hand in with; Enter goes back to the text
        if self._typed and not self.all_answered:
            self.panel.take_focus()
        else:
            self.query_one(Menu).focus()

    # What is on screen -------------------------------------------------------------------------

    def status(self) -> str:
        sitting = self.sitting
        if sitting is None:
            return self.say(messages.LOADING)
        parts = [f"{sitting.position + 1}/{len(sitting.paper.questions)}"]
        if sitting.answers[sitting.position].flagged:
            parts.append(self.say(messages.FLAGGED))
        left = sitting.remaining_ms
        used = sitting.used_ms if left is None else left
        clock = f"{used // 60_000}:{used // 1000 % 60:02d}"
        parts.append(clock if left is None else self.say(messages.TIME_LEFT, clock=clock))
        return "  ".join(parts)

    def show(self) -> None:
        panel = self.panel
        panel.display = self._typed and panel.editor is not None
        panel.show()
        menu = self.query_one(Menu)
        menu.set_class(self._typed, "-typed")
        menu.set_class(self._typed and panel.has_class("-tall"), "-tall")
        if self.ticking is None:
            menu.offer(messages.ANSWER, messages.ANSWER_HELP, 1)
        else:
            menu.offer(messages.NEXT, messages.NEXT_HELP, 1)
        menu.fill(self._items())

    def _items(self) -> list[Item]:
        sitting, asked = self.sitting, self.asked
        if sitting is None or asked is None:
            return [Item("working", self.say(messages.WORKING), role="quiet")]
        question = sitting.question
        about = f"{self.say(labels.KIND[question.variant.kind])} · {self.say(labels.TOPIC[question.topic])}"
        items = [
            Item("about", about, role="quiet"),
            Item("question", self.say(asked.question), role="strong"),
            *(Item(f"more {n}", text, role="text") for n, text in enumerate(asked.more(self.language))),
        ]
        if self.told is not None:
            items.insert(0, Item("told", self.say(self.told), role="text"))
        if self.ticking is not None:
            return [*items, *self._ticks(self.ticking)]
        given = sitting.answers[sitting.position].given
        for (option, text), letter in zip(asked.options, LETTERS, strict=False):
            chosen = self.say(messages.CHOSEN) if option == given else ""
            items.append(Item(option, self.say(text), lead=f"{letter.upper()}.", note=chosen))
        if self.all_answered:
            items.append(Item("all", self.say(messages.ALL_ANSWERED), role="text"))
        return items

    def _ticks(self, graded: Graded) -> list[Item]:
        """What was typed, then each key point with its tick."""
        typed = self.say(graded.given)
        given = [Item("given", typed, role="text")] if typed else []
        points = [
            Item(point.id, self.say(point.text), lead="[x]" if point.id in self.ticked else "[ ]")
            for point in graded.ticks
        ]
        return [*given, Item("tick", self.say(to_tick(graded.ticks)), role="quiet"), *points]

    # What a person does ------------------------------------------------------------------------

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        sitting = self.sitting
        if action in ("tick", "pick", "skip", "previous", "flag", "hand_in") and sitting is None:
            return False
        match action:
            case "tick":
                return self.ticking is not None
            case "edit":
                return self._typed and self.panel not in (self.focused.ancestors if self.focused else ())
            case "run" | "done":
                return self._typed and self.panel.program is not None
            case "pick":
                options = self.asked.options if self.asked else ()
                return self.ticking is None and int(str(parameters[0])) < len(options)
            case "previous":
                return sitting is not None and sitting.position > 0
        return True

    async def _do(self, work: Callable[[Sitting], T]) -> T | None:
        """One action of the person on the sitting; what it refuses is said. None where it did."""
        sitting = self.sitting
        assert sitting is not None
        async with self._turn:
            try:
                return await in_thread(lambda: work(sitting))
            except InputError as error:
                self.complain(error)
                if not sitting.running:
                    self._over()
                return None

    async def _answer(self, given: str) -> None:
        graded = await self._do(lambda sitting: sitting.answer(given))
        if graded is None:
            return
        self.told = None
        if graded.outcome == "to-tick":
            self.ticking = graded
            self.ticked = {point.id for point in graded.ticks if point.proposed}
            self.show()
            self._take_focus()
            self.frame()
        elif graded.outcome == "not-understood":
            # said at once, since it says nothing about right or wrong
            self.refused = given
            told = words.NOT_UNDERSTOOD_CODE if graded.kind == "code" else words.NOT_UNDERSTOOD
            self.panel.tell(told, reason=graded.feedback[0])
        else:
            await self._onward()

    async def _keep_typed(self, ending: bool = False) -> None:
        """What is typed and not yet entered is an answer too; of a recall the points proposed are ticked.

        What is written over minutes stays a draft until the paper is ``ending``.
        """
        sitting, kind = self.sitting, self.asked.kind if self.asked else ""
        typed = self.panel.answer if self._typed else ""
        if sitting is None or self._put_at != sitting.position:
            return
        if kind in _LONG_KINDS and not ending:
            await self._keep_draft()
            return
        if typed == (sitting.answers[sitting.position].given or ""):
            return

        def keep(sitting: Sitting) -> None:
            graded = sitting.answer(typed)
            if graded.outcome == "to-tick":
                sitting.tick_points({point.id for point in graded.ticks if point.proposed})

        if typed:
            await self._do(keep)

    async def _keep_draft(self) -> None:
        """What is being typed is stored as it grows, so that a crash does not lose it."""
        from quizbank.papers.sitting import LONGEST_DRAFT

        sitting, at = self.sitting, self._put_at
        if sitting is None or not self._typed or self.panel.editor is None or at != sitting.position:
            return
        typed = self.panel.answer
        draft = "" if typed == (sitting.answers[at].given or "") else typed
        if self._is_too_long and len(draft) > LONGEST_DRAFT:
            # it was said once, and the clock ticks every second
            return
        self._is_too_long = len(draft) > LONGEST_DRAFT

        def keep(sitting: Sitting) -> None:
            # another question may have been turned to while this waited for its turn
            if sitting.running and not sitting.paused and sitting.position == at:
                sitting.keep_draft(draft)

        await self._do(keep)

    async def _onward(self) -> None:
        """To the next question without an answer; after the last, to the handing in."""
        await self._do(lambda sitting: sitting.skip() if sitting.unanswered else None)
        self._ask()

    async def action_pick(self, place: int) -> None:
        assert self.asked is not None
        await self._answer(self.asked.options[place][0])

    async def on_menu_chosen(self, event: Menu.Chosen) -> None:
        if self.ticking is None:
            await self._answer(event.item.id)
            return
        ticked = set(self.ticked)
        if await self._do(lambda sitting: sitting.tick_points(ticked)) is not None:
            await self._onward()

    async def on_entered(self, event: Entered) -> None:
        event.stop()
        typed, kind = event.answer, self.asked.kind if self.asked else ""
        if typed and typed == self.refused:
            await self._onward()
        elif typed or kind == "recall":
            if kind in _LONG_KINDS:
                self.panel.tell(words.GRADING)
            await self._answer(typed)
        else:
            self.panel.tell(words.NOTHING_WRITTEN)

    def on_left(self, event: Left) -> None:
        event.stop()
        self.query_one(Menu).focus()

    def action_tick(self) -> None:
        item = self.query_one(Menu).item
        if item is not None:
            self.ticked ^= {item.id}
            self.show()

    def action_edit(self) -> None:
        self.panel.take_focus()

    async def action_skip(self) -> None:
        self.told = None
        await self._keep_draft()
        await self._do(_to_the_next)
        self._ask()

    async def action_previous(self) -> None:
        await self._keep_typed()
        await self._do(lambda sitting: sitting.back())
        self._ask()

    async def action_flag(self) -> None:
        await self._do(lambda sitting: sitting.flag(not sitting.answers[sitting.position].flagged))
        self.frame()

    async def action_hand_in(self) -> None:
        assert self.sitting is not None
        if self._typed and self.panel.answer:
            self.panel.tell(words.GRADING)
        await self._keep_typed(ending=True)
        if self.sitting.running and (left := len(self.sitting.unanswered)) and not self.sure:
            # one key must not end a paper with questions left
            self.sure = True
            self.panel.tell(None)
            self.proofdeck.notice(self.say(messages.STILL_UNANSWERED, n=left), severity="warning")
            return
        await self._do(lambda sitting: sitting.hand_in())
        # what was said of questions left would lie over the results
        self.app.clear_notifications()
        self._over()

    async def _tick(self) -> None:
        sitting = self.sitting
        if sitting is None:
            return
        if self.app.screen is not self:
            # help or the palette lies above: the clock goes on, and the time used is kept all the same
            if sitting.running:
                await self._do(lambda sitting: sitting.tick())
            return
        if not sitting.running:
            if sitting.status == "timed out":
                self._time_up()
            return
        left = sitting.remaining_ms
        kind = self.asked.kind if self.asked else ""
        if left is not None and left < (_LAST_MS_OF_CODE if kind == "code" else _LAST_MS):
            await self._keep_typed(ending=True)
        else:
            await self._keep_draft()
        if await self._do(lambda sitting: sitting.tick()) is False:
            self._time_up()
        else:
            self.frame()

    def _time_up(self) -> None:
        self.proofdeck.notice(self.say(messages.TIME_UP), severity="warning")
        self._over()

    def _over(self) -> None:
        from tui.screens.results import ResultsScreen

        assert self.sitting is not None
        if self.app.screen is self:
            self.app.switch_screen(ResultsScreen(self.sitting.id))

    def leave(self) -> None:
        """Going back stops the clock; the self-test can be resumed where it was left."""
        sitting = self.sitting
        if self._is_leaving:
            return
        if sitting is not None and sitting.running:
            self._is_leaving = True
            self.run_worker(self._pause(), group="pause")
            self.proofdeck.notice(self.say(messages.PAUSED))
        else:
            super().leave()

    async def _pause(self) -> None:
        await self._keep_typed()
        await self._do(lambda sitting: sitting.pause())
        # time may have run out meanwhile, and the result stand here instead
        if self.app.screen is self:
            self.app.pop_screen()


def _to_the_next(sitting: Sitting) -> None:
    """On to the question after this one; after the last comes the first."""
    if not sitting.next():
        sitting.go_to(0)
