"""One derivation at the workbench: line by line, each judged at once; what is derived can be kept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from textual.app import ComposeResult
from textual.containers import Vertical

from engine.text import Text
from tui import messages
from tui.commands import Command
from tui.screens import workbench_words as words
from tui.screens.base import Page
from tui.widgets.lines_editor import LinesEditor
from tui.widgets.prose import ProseView

if TYPE_CHECKING:
    from engine.answers.verdict import Verdict
    from quizbank.workbench import Task, Work

KEEP = Command(
    "keep",
    ("f5",),
    Text("Keep", "保存"),
    Text("keep these lines with the card", "把这些推导与卡片一同保存"),
    footer=1,
    everywhere=True,
)
CARD = Command(
    "card",
    ("f8",),
    Text("Card", "卡片"),
    Text("the card's own derivation and its lab", "这张卡片自己的推导与实验室"),
    footer=4,
    everywhere=True,
)


class DeriveScreen(Page):
    """The editor under its question. ``lines`` stand there at the beginning."""

    HEADING = words.WORKBENCH
    ABOUT = words.DERIVE_ABOUT
    OFFERS = (KEEP, CARD)
    AUTO_FOCUS = ""
    CSS = """
    DeriveScreen #task { padding: 0 1; max-height: 4; }
    DeriveScreen #bench { height: 1fr; }
    DeriveScreen #said { padding: 0 1; max-height: 4; color: $text-warning; }
    """

    def __init__(
        self, task: Task | None, lines: Sequence[str] = (), options: Mapping[str, Any] | None = None
    ) -> None:
        super().__init__()
        self.derivation = task
        self.options = options or {}
        self.work: Work | None = None
        self.fault: Exception | None = None
        self.kept_lines: tuple[str, ...] = tuple(lines)
        self._first_lines = tuple(lines)
        self._leaving = self._asking = False

    def body(self) -> ComposeResult:
        yield ProseView(id="task")
        yield Vertical(id="bench")
        yield ProseView(id="said")

    def begin(self) -> None:
        workspace, options, known = self.proofdeck.workspace, self.options, self.derivation
        workspace.judge.warm()
        self.later(lambda: known or workspace.task(options), self._put, failed=self._not_found)

    def _not_found(self, error: Exception) -> None:
        self.fault = error
        self.show()

    async def _put(self, task: Task) -> None:
        """The editor, once it is known what is derived."""
        self.derivation = task
        drill = task.drill
        editor = LinesEditor(
            drill.start,
            drill.goal,
            drill.symbols,
            drill.mode,
            drill.where,
            drill.milestones,
            self._judge_line,
            hands_in=False,
        )
        await self.query_one("#bench").mount(editor)
        if self._first_lines:
            editor.load("\n".join(self._first_lines))
        editor.take_focus()
        self.show()
        self.frame()

    def _judge_line(self, before: str, line: str) -> Verdict:
        from quizbank.drills.derivation import judge_step

        assert self.derivation is not None
        return judge_step(self.derivation.drill, line, before, self.proofdeck.workspace.judge)

    @property
    def editor(self) -> LinesEditor | None:
        return next(iter(self.query(LinesEditor)), None)

    @property
    def lines(self) -> tuple[str, ...]:
        return self.editor.lines if self.editor is not None else ()

    def heading(self) -> str:
        key = self.derivation.key if self.derivation is not None else ""
        return f"{self.say(self.HEADING)} · {key}" if key else self.say(self.HEADING)

    def show(self) -> None:
        task, said = self.query_one("#task", ProseView), self.query_one("#said", ProseView)
        if self.derivation is None:
            task.text = self.say(messages.WORKING) if self.fault is None else ""
            said.text = _plain(self.fault_line(self.fault)) if self.fault is not None else ""
            return
        task.text = self.say(self.derivation.drill.question)
        said.text = self._said()
        if self.editor is not None:
            self.editor.show()

    def _said(self) -> str:
        work = self.work
        if work is None or not self.lines:
            return ""
        if work.complete:
            return self.say(words.DONE_KEPT if self.kept_lines == self.lines else words.DONE)
        verdict = work.graded.verdict
        if work.graded.slip is not None:
            return self.say(work.graded.slip)
        if verdict is not None and verdict.line is not None:
            # the editor says it under the line itself
            return ""
        return _plain(self.say(work.graded.feedback[0])) if work.graded.feedback else ""

    # What a person does ------------------------------------------------------------------------

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "keep":
            return self.editor is not None
        if action == "card":
            return self.derivation is not None and bool(self.derivation.card)
        return True

    def on_lines_editor_changed(self, event: LinesEditor.Changed) -> None:
        event.stop()
        self.work, self._leaving, self._asking = None, False, False
        self.show()

    def on_lines_editor_judged(self, event: LinesEditor.Judged) -> None:
        event.stop()
        self._assess()

    def on_lines_editor_finished(self, event: LinesEditor.Finished) -> None:
        event.stop()
        # what is being assessed for lines just written is told when it is known
        self._asking = True
        if self.work is None:
            self._assess()
        else:
            self._tell_how_far(self.work)

    def _tell_how_far(self, work: Work) -> None:
        """What Enter without a line asked: a notice, since it may say what stands there already."""
        self._asking = False
        if work.complete:
            self.proofdeck.notice(self.say(words.DONE_KEPT if self.kept_lines == self.lines else words.DONE))
            return
        verdict = work.graded.verdict
        if verdict is not None and verdict.verdict == "different" and verdict.line is not None:
            # the verdict counts the start as 1
            said = self.say(words.NOT_DONE_AT, n=verdict.line - 1)
        else:
            said = self.say(words.NOT_DONE, reason=self.say(work.graded.feedback[0]))
        self.proofdeck.notice(said)

    def _assess(self) -> None:
        """What the lines come to, beside the event loop; the newest lines win."""
        task, lines, judge = self.derivation, self.lines, self.proofdeck.workspace.judge
        assert task is not None
        if not lines:
            return

        def assess() -> Work:
            from quizbank.workbench import assess

            return assess(task, "\n".join(lines), judge)

        def assessed(work: Work) -> None:
            if lines == self.lines:
                self.work = work
                self.show()
                if self._asking:
                    self._tell_how_far(work)

        self.later(assess, assessed, group="assess")

    def action_keep(self) -> None:
        task, lines, workspace = self.derivation, self.lines, self.proofdeck.workspace
        assert task is not None
        if not lines:
            self.proofdeck.notice(self.say(words.NOTHING_TO_KEEP), severity="warning")
            return

        def keep() -> Work:
            from quizbank.workbench import assess

            work = assess(task, "\n".join(lines), workspace.judge)
            workspace.notebook.keep(task.drill, lines, work.complete, task.card)
            return work

        def kept(work: Work) -> None:
            self.kept_lines = lines
            if lines == self.lines:
                self.work = work
            self.proofdeck.notice(self.say(words.KEPT if task.card else words.KEPT_OWN))
            self.show()

        self.later(keep, kept, group="keep")

    def action_card(self) -> None:
        from tui.screens.card import CardScreen

        assert self.derivation is not None
        if self.derivation.card in self.proofdeck.workspace.bank:
            self.app.push_screen(CardScreen(self.derivation.card, "derivation"))
        else:
            self.proofdeck.notice(
                self.say(messages.NO_SUCH_CARD, card=self.derivation.card), severity="warning"
            )

    def leave(self) -> None:
        """Lines that are not kept are asked about once."""
        if self.lines and self.lines != self.kept_lines and not self._leaving:
            self._leaving = True
            self.proofdeck.notice(self.say(words.NOT_KEPT), severity="warning")
            return
        super().leave()


def _plain(text: str | Text) -> str:
    """Plain text as prose: what was typed may stand in it."""
    return str(text).replace("$", r"\$").replace("`", "'")
