"""A function written by hand: an area to write in, a key to run it, what came of the run."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, ClassVar, cast

from textual.app import ComposeResult
from textual.containers import Vertical

from engine.errors import InputError
from engine.text import Language, Text
from tui import answer_messages as words
from tui.background import in_thread
from tui.commands import Command, bindings
from tui.outside_editor import edited_outside
from tui.screens.base import Page, Pane
from tui.widgets.prose import ProseView
from tui.widgets.text_areas import CodeArea
from tui.widgets.typed_line import Entered

if TYPE_CHECKING:
    from engine.coding.outcome import Outcome
    from engine.coding.specification import Specification

RUN = Command("run", ("f9",), Text("Run", "运行"), Text("run it and see what comes out", "运行并查看结果"), 1)
DONE = Command(
    "done",
    ("ctrl+o", "f10"),
    Text("Answer", "作答"),
    Text("take the program as it stands for the answer", "以当前程序作答"),
    2,
)
OUTSIDE = Command(
    "outside",
    ("ctrl+g",),
    Text("$EDITOR", "$EDITOR"),
    Text("write it in the editor that $VISUAL or $EDITOR names", "在 $VISUAL 或 $EDITOR 指定的编辑器中编写"),
    3,
)

REPORT_DOWN = Command(
    "report(1)",
    ("ctrl+down",),
    Text("Report down", "结果下滚"),
    Text("scroll what came of the run down", "向下滚动运行结果"),
    palette=False,
)
REPORT_UP = Command(
    "report(-1)",
    ("ctrl+up",),
    Text("Report up", "结果上滚"),
    Text("scroll what came of the run up", "向上滚动运行结果"),
    palette=False,
)


class CodeEditor(Vertical):
    """Begins with the signature of ``specification``.

    ``example_only``: as in a paper, a run tries one case and names no slip; the rest is for the grading.
    """

    DEFAULT_CSS = """
    CodeEditor { height: 1fr; }
    CodeEditor > Pane { height: auto; max-height: 45%; }
    CodeEditor.-quiet > Pane { display: none; }
    """
    OFFERS: ClassVar[tuple[Command, ...]] = (RUN, DONE, OUTSIDE, REPORT_DOWN, REPORT_UP)
    BINDINGS = bindings("code", OFFERS)

    def __init__(self, specification: Specification, example_only: bool = False) -> None:
        super().__init__(classes="-quiet")
        self.specification = specification
        self.example_only = example_only
        self._tried = _with_an_example(specification) if example_only else specification
        self.outcome: Outcome | None = None
        self.running = False
        self._fault: Exception | None = None
        self._answer = ""
        self._language: Language = "en"

    def compose(self) -> ComposeResult:
        yield CodeArea()
        with Pane():
            yield ProseView()

    @property
    def _page(self) -> Page:
        return cast(Page, self.screen)

    @property
    def area(self) -> CodeArea:
        return self.query_one(CodeArea)

    @property
    def is_waiting(self) -> bool:
        return self.running

    def on_mount(self) -> None:
        self._language = self._page.language
        self.load(self._answer)
        self.show()

    # What was written --------------------------------------------------------------------------

    @property
    def answer(self) -> str:
        """The program; nothing where it is still what one begins with."""
        if not self.query(CodeArea):
            return self._answer
        text = self.area.text
        return "" if text.strip() == self._start.strip() else text

    @property
    def _start(self) -> str:
        return self.specification.start(self._language)

    def load(self, answer: str) -> None:
        """Put a program in place of what stands there; the empty one is the signature to begin with."""
        self._answer = answer
        if self.query(CodeArea):
            self.area.load_text(answer or self._start)
            self.area.move_cursor(self.area.document.end)

    def take_focus(self) -> None:
        self.area.focus()

    # What is on screen -------------------------------------------------------------------------

    def show(self) -> None:
        if not self.query(ProseView):
            return
        if self._page.language != self._language:
            untouched = not self.answer
            self._language = self._page.language
            if untouched:
                self.load("")
        said = self._said()
        self.query_one(ProseView).text = said
        self.set_class(not said, "-quiet")
        self._page.frame()

    def _said(self) -> str:
        say = self._page.say
        if self.running:
            return say(words.RUNNING)
        if self._fault is not None:
            return self._page.fault_line(self._fault)
        if self.outcome is None:
            return ""
        from quizbank.drills.code import report

        outcome = self.outcome
        passed = outcome.verdict == "passed"
        head = words.RAN_EXAMPLE if self.example_only else words.RAN[passed]
        sign = words.RUN_SIGNS[passed]
        if outcome.verdict == "refused":
            head, sign = words.NOT_RUN, words.NOT_RUN_SIGN
        lines = [f"{sign} {say(head)}", *(f"- {say(text)}" for text in report(outcome))]
        if outcome.printed.strip():
            from quizbank.papers.told import verbatim

            lines += ["", say(words.PRINTED), "", verbatim(outcome.printed.rstrip())]
        return "\n".join(lines)

    # What a person does ------------------------------------------------------------------------

    def action_run(self) -> None:
        if not self.running:
            self.running, self._fault = True, None
            self.show()
            self.run_worker(self._run(self.area.text), group="run", exclusive=True)

    async def _run(self, source: str) -> None:
        try:
            self.outcome = await in_thread(lambda: self._ran(source))
        except InputError as error:
            self._fault = error
        finally:
            self.running = False
        self.show()
        self.query_one(Pane).scroll_home(animate=False)

    def _ran(self, source: str) -> Outcome:
        from engine.coding import run

        return run(self._tried, source)

    def action_done(self) -> None:
        self.post_message(Entered(self.answer))

    def action_report(self, by: int) -> None:
        self.query_one(Pane).move(by)

    def action_outside(self) -> None:
        try:
            text = edited_outside(self.app, self.area.text, f"{self.specification.function}.py")
        except InputError as error:
            self._page.complain(error)
            return
        self.load(text)


def _with_an_example(specification: Specification) -> Specification:
    """The second case alone: the first is often one of size 1, which shows little."""
    cases = specification.cases
    return replace(specification, cases=lambda seed: islice(cases(seed), 1, 2), slips=())
