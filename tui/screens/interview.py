"""An interview being held: a question against thirty seconds, its answer, and what was in yours."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from textual.app import ComposeResult

from engine.errors import InputError
from engine.text import Text
from quizbank import labels
from tui import interview_told, messages
from tui.background import in_thread
from tui.commands import Command, bindings
from tui.screens import interview_words as words
from tui.screens.base import Page
from tui.widgets import countdown
from tui.widgets.countdown import Countdown
from tui.widgets.menu import OPEN, Item, Menu

if TYPE_CHECKING:
    from quizbank.interview.question import Posed
    from quizbank.interview.session import Interview
    from quizbank.interview.verdict import Mark

TICK_SECONDS = 0.2
"""How often the bar is drawn anew."""

TICK = Command(
    "tick", ("space",), Text("Tick", "勾选"), Text("say whether this point was in your answer", "标记你的回答是否包含这一点"), 2
)  # fmt: skip
REVEAL = Command(
    "reveal", ("space", "enter"), Text("Reveal", "揭示"),
    Text("stop the clock and show the answer, then what to mark", "停表并显示答案，再次按下则开始标记"), 1,
)  # fmt: skip
CLOCK = Command(
    "clock", ("t",), Text("Clock", "停表"), Text("stop the clock, or let it run on", "停表，或继续计时"), 3
)
PROOF = Command(
    "proof", ("p",), Text("Proof", "证明"), Text("the derivation behind it, step by step", "逐步查看背后的推导"), 4
)  # fmt: skip
LAB = Command(
    "lab", ("l",), Text("Lab", "实验室"), Text("its demonstration, with sliders", "背后的演示，可拖动滑块"), 5
)
OPEN_CARD = Command("card", ("o",), Text("Card", "卡片"), Text("the whole card", "查看整张卡片"), 6)
MARKS = tuple(
    Command(f"judge('{mark}')", (str(number),), words.MARKS[mark], help_text, 2)
    for number, (mark, help_text) in enumerate(
        {
            "said": Text("the answer was said in full", "完整说出了答案"),
            "partly": Text("a part of it was said", "只说出了一部分"),
            "not": Text("it was not said", "没有说出来"),
        }.items(),
        1,
    )
)


class Answers(Menu):
    """The page of an interview; while key points are marked, Space ticks the one with the cursor."""

    OFFERS: tuple[Command, ...] = (TICK, *Menu.OFFERS)
    BINDINGS = bindings("answers", OFFERS)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "tick":
            return self.item is not None and self.item.lead.startswith("[")
        return super().check_action(action, parameters)

    def action_tick(self) -> None:
        page = self.screen
        if self.item is not None and isinstance(page, InterviewScreen):
            page.toggle(self.item.id)


class InterviewScreen(Page):
    """Phases of a question: ``asked`` (the clock runs), ``answer``, ``marking``; after the last comes the verdict."""

    HEADING = words.INTERVIEW
    ABOUT = words.ABOUT
    OFFERS: ClassVar[tuple[Command, ...]] = (REVEAL, *MARKS, CLOCK, PROOF, LAB, OPEN_CARD)

    def __init__(self, options: Mapping[str, Any] | None = None) -> None:
        super().__init__()
        self.options = dict(options or {})
        self.interview: Interview | None = None
        self.posed: Posed | None = None
        self.phase = "asked"
        self.ticked: set[str] = set()
        self.stopped = False
        self.fault: Exception | None = None
        self._sure: tuple[int, str] | None = None
        self._ahead: dict[int, Posed] = {}
        self._turn = asyncio.Lock()

    def body(self) -> ComposeResult:
        yield Countdown(id="clock")
        yield Answers(id="interview")

    def begin(self) -> None:
        options = self.options
        self.later(lambda: self.proofdeck.workspace.interview(options), self._begun, failed=self._failed)
        self.set_interval(TICK_SECONDS, self._tick)

    def _failed(self, error: Exception) -> None:
        # stays on the screen: a notice would leave an empty one behind
        self.fault = error
        self.show()
        self.frame()

    def _begun(self, interview: Interview) -> None:
        self.interview = interview
        self.proofdeck.tell_notices()
        self._ask()

    def _ask(self) -> None:
        """Turn to the question at hand, or to the verdict."""
        interview = self.interview
        assert interview is not None
        self.posed, self.phase, self.ticked, self.stopped = None, "asked", set(), False
        number, turn, seed = len(interview.marks), interview.turn, interview.seed
        self.show()
        self.frame()
        self.query_one(Answers).scroll_home(animate=False)
        if turn is None:
            from tui.screens.interview_verdict import VerdictScreen

            self.app.switch_screen(VerdictScreen(interview.opening, seed, interview.marks))
            return
        if number in self._ahead:
            self._put(self._ahead.pop(number))
            return
        workspace = self.proofdeck.workspace
        self.later(lambda: workspace.posed(turn, seed), self._put, group="pose", failed=self._failed)

    def _put(self, posed: Posed) -> None:
        interview = self.interview
        assert interview is not None
        self.posed = posed
        self.show()
        self.frame()
        if self.app.screen is self:
            interview.listen()
        self._tick()
        self._look_ahead(len(interview.marks) + 1)

    def _look_ahead(self, number: int) -> None:
        """Decide the next question's proof while this one is answered: nobody should wait for it."""
        interview = self.interview
        assert interview is not None
        if number >= len(interview.turns):
            return
        turn, seed, workspace = interview.turns[number], interview.seed, self.proofdeck.workspace

        def keep(posed: Posed) -> None:
            self._ahead[number] = posed

        # a fault in it is met again, and told, when it is asked
        self.later(lambda: workspace.posed(turn, seed), keep, group="ahead", failed=lambda _: None)

    # The clock ---------------------------------------------------------------------------------

    def on_screen_suspend(self) -> None:
        if self.interview is not None:
            self.interview.pause()

    def on_screen_resume(self) -> None:
        if self.interview is not None and self.posed is not None and not self.stopped:
            self.interview.listen()

    def _tick(self) -> None:
        clock, interview = self.query_one(Countdown), self.interview
        shown = self.fault is None and (interview is None or interview.turn is not None)
        clock.display = shown
        if interview is None or not shown:
            return
        from quizbank.interview.plan import LIMIT_MS

        left = interview.left_ms
        said = self.say(
            countdown.LEFT if left > 0 else countdown.OVER, n=-(-left // 1000) if left > 0 else -left // 1000
        )
        if self.phase != "asked":
            said = self.say(words.SPOKE, n=round(interview.stopwatch.used_ms / 1000))
        elif self.stopped:
            said = f"{said} · {self.say(countdown.STOPPED)}"
        clock.tell(left, LIMIT_MS, said)

    # What is on screen -------------------------------------------------------------------------

    def status(self) -> str:
        interview = self.interview
        if interview is None:
            return "" if self.fault else self.say(messages.LOADING)
        return self.say(words.PROGRESS, n=len(interview.marks) + 1, all=len(interview.turns))

    def show(self) -> None:
        menu = self.query_one(Answers)
        if self.phase == "marking":
            menu.offer(messages.NEXT, messages.NEXT_HELP, 1)
        else:
            menu.offer(OPEN.name, OPEN.help)
        menu.fill(list(self._items()))
        self._tick()

    def _items(self) -> Iterator[Item]:
        interview, posed = self.interview, self.posed
        if self.fault is not None:
            yield Item("fault", self.fault_line(self.fault), role="text")
            return
        if interview is None or posed is None or interview.turn is None:
            yield Item("working", self.say(messages.WORKING), role="quiet")
            return
        turn = posed.turn
        names = words.ASKED_AS if self.phase == "asked" else words.KIND
        level = self.say(words.LEVEL, n=turn.level)
        yield Item("about", f"{level} · {self.say(names[turn.kind])}", role="quiet")
        if turn.card != interview.opening:
            # the follow-up of another card takes that card's question for granted
            yield Item("context", self.say(words.CONTEXT, question=posed.about), role="quiet")
        if self.phase == "marking":
            yield from self._marking(posed)
            return
        yield Item("question", self.say(posed.question), role="strong")
        if self.phase == "asked":
            yield Item("speak", self.say(words.SPEAK), role="quiet")
            return
        heading = {"opening": labels.SPOKEN, "prove-it": labels.DERIVATION}.get(turn.kind, words.ANSWER)
        yield Item("answer", self.say(heading), role="heading")
        yield Item("answer text", self.say(posed.answer), role="text")
        whole = words.COMPARE_WHOLE if posed.demo else words.COMPARE_PLAIN
        yield Item("compare", self.say(words.COMPARE_POINTS if posed.points else whole), role="quiet")

    def _marking(self, posed: Posed) -> Iterator[Item]:
        yield Item("question", self.say(posed.question), role="quiet")
        if not posed.points:
            # what was said is held against it
            yield Item("answer text", self.say(posed.answer), role="text")
        yield Item("mark", self.say(words.TICK if posed.points else words.MARK), role="heading")
        for point in posed.points:
            yield Item(point.id, self.say(point.text), lead="[x]" if point.id in self.ticked else "[ ]")
        if not posed.points:
            for (mark, name), command in zip(words.MARKS.items(), MARKS, strict=True):
                yield Item(mark, self.say(name), lead=self.key_of(command))

    # What a person does ------------------------------------------------------------------------

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        interview, posed = self.interview, self.posed
        asking = interview is not None and posed is not None and self.phase == "asked"
        revealed = posed is not None and self.phase != "asked"
        match action:
            case "reveal":
                return posed is not None and self.phase != "marking"
            case "clock":
                return asking
            case "judge":
                return revealed and posed is not None and not posed.points
            case "proof" | "lab":
                return revealed and posed is not None and bool(posed.demo)
            case "card":
                return revealed
        return True

    def action_reveal(self) -> None:
        interview = self.interview
        assert interview is not None
        if self.phase == "asked":
            interview.reveal()
            self.phase = "answer"
        else:
            self.phase = "marking"
        self.show()
        self.frame()
        menu = self.query_one(Answers)
        if self.phase == "answer":
            # as far as the page can be scrolled: a short question stays in sight
            menu.scroll_to_item("answer")
        else:
            menu.scroll_home(animate=False)

    def action_clock(self) -> None:
        interview = self.interview
        assert interview is not None
        self.stopped = not self.stopped
        if self.stopped:
            interview.pause()
        else:
            interview.listen()
        self._tick()

    def toggle(self, point: str) -> None:
        self.ticked ^= {point}
        self.show()

    async def on_menu_chosen(self, event: Menu.Chosen) -> None:
        if self.posed is not None and self.posed.points:
            ticked = frozenset(self.ticked)
            await self._mark(lambda interview, posed: interview.tick(posed, ticked))
        else:
            await self.action_judge(event.item.id)

    async def action_judge(self, mark: str) -> None:
        await self._mark(lambda interview, posed: interview.judge(posed, mark))

    async def _mark(self, work: Callable[[Interview, Posed], Mark]) -> None:
        """Store the mark, then go on; what could not be stored is said, and the question stays."""
        async with self._turn:
            interview, posed = self.interview, self.posed
            if interview is None or posed is None or self.phase == "asked":
                return
            try:
                await in_thread(lambda: work(interview, posed))
            except InputError as error:
                self.complain(error)
                return
            self._ask()

    def leave(self) -> None:
        """Going back ends the interview, at the second asking where answers are marked: it cannot be resumed."""
        interview = self.interview
        if interview is None or interview.turn is None or self.fault is not None:
            super().leave()
            return
        # what was done in between is an answer to the asking
        place = (len(interview.marks), self.phase)
        if interview.marks and self._sure != place:
            self._sure = place
            said = self.say(words.END_AGAIN, n=len(interview.marks))
            self.proofdeck.notice(said, severity="warning")
            return
        # the asking would lie over the screen below
        self.app.clear_notifications()
        self.proofdeck.notice(self.say(interview_told.ended(interview)))
        super().leave()

    def action_proof(self) -> None:
        from tui.screens.lab import DerivationScreen

        assert self.posed is not None
        self.app.push_screen(DerivationScreen(self.posed.demo))

    def action_lab(self) -> None:
        from tui.screens.lab import LabScreen

        assert self.posed is not None
        self.app.push_screen(LabScreen(self.posed.demo))

    def action_card(self) -> None:
        from tui.screens.card import CardScreen

        assert self.posed is not None
        self.app.push_screen(CardScreen(self.posed.turn.card))
