"""Where a question is answered: the editor that its kind asks for, and what is said of an answer not understood."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Protocol, cast

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.widget import Widget
from textual.widgets import TextArea

from engine.text import Text
from tui import answer_messages as words
from tui import messages
from tui.screens.base import Page
from tui.widgets.code_editor import CodeEditor
from tui.widgets.lines_editor import LinesEditor
from tui.widgets.prose import ProseView
from tui.widgets.text_areas import ProseArea
from tui.widgets.typed_line import Edited, Entered, TypedLine

if TYPE_CHECKING:
    from engine.answers.judge import Case
    from engine.answers.verdict import Verdict
    from quizbank.card import DerivationDrill
    from tui.asking import Asked


class Editor(Protocol):
    """What every editor can: say what was written, be filled, take the keys, follow the language."""

    @property
    def answer(self) -> str: ...

    def load(self, answer: str) -> None: ...

    def take_focus(self) -> None: ...

    def show(self) -> None: ...


class RecallEditor(Vertical):
    """A few sentences, with what to do above them."""

    DEFAULT_CSS = """
    RecallEditor { height: 1fr; min-height: 4; max-height: 12; }
    RecallEditor > ProseView { color: $text-muted; padding: 0 1; }
    """

    def compose(self) -> ComposeResult:
        yield ProseView()
        yield ProseArea()

    def on_mount(self) -> None:
        self.show()

    @property
    def answer(self) -> str:
        return self.query_one(ProseArea).text.strip()

    def load(self, answer: str) -> None:
        area = self.query_one(ProseArea)
        area.load_text(answer)
        area.move_cursor(area.document.end)

    def take_focus(self) -> None:
        self.query_one(ProseArea).focus()

    def show(self) -> None:
        self.query_one(ProseView).text = cast(Page, self.screen).say(words.RECALL_HINT)


class AnswerPanel(Vertical):
    """Empty, and out of sight, until a question is put that is answered by typing.

    ``in_paper``: lines and programs are not judged before the paper is.
    """

    DEFAULT_CSS = """
    AnswerPanel { height: auto; }
    AnswerPanel.-tall { height: 1fr; min-height: 8; }
    AnswerPanel > #said { padding: 0 1; margin-top: 1; color: $text-warning; }
    """

    def __init__(self, in_paper: bool, judge: Callable[[Case], Verdict], *, id: str) -> None:  # noqa: A002
        super().__init__(id=id)
        self.in_paper = in_paper
        self._judge = judge
        self.editor: Editor | None = None
        self._said: tuple[Text, dict[str, object]] | None = None

    def compose(self) -> ComposeResult:
        yield ProseView(id="said")

    def on_mount(self) -> None:
        self.display = False
        self.show()

    async def put(self, asked: Asked, answer: str = "") -> None:
        """The editor for this question, with an answer in it; none for a choice."""
        await self.clear()
        editor = self._editor_for(asked)
        if editor is None:
            return
        self.set_class(asked.kind in ("derivation", "code", "recall"), "-tall")
        self.display = True
        await self.mount(editor, before="#said")
        self.editor = cast(Editor, editor)
        self.editor.load(answer)

    async def clear(self) -> None:
        """Take the editor away, and with it the room it had."""
        self.editor = None
        self.display = False
        self.remove_class("-tall")
        self.tell(None)
        await self.query("AnswerPanel > *").exclude("#said").remove()

    def _editor_for(self, asked: Asked) -> Widget | None:
        drill = asked.drill
        match drill.kind:
            case "number":
                return TypedLine(messages.YOUR_ANSWER, messages.NUMBER_HINT, asked.read, asked.unit)
            case "expression":
                return TypedLine(messages.YOUR_ANSWER, words.FORMULA_HINTS[drill.mode], asked.read)
            case "derivation":
                judge = None if self.in_paper else partial(_judge_line, drill, self._judge)
                return LinesEditor(
                    drill.start, drill.goal, drill.symbols, drill.mode, drill.where, drill.milestones, judge
                )
            case "code":
                assert asked.specification is not None
                return CodeEditor(asked.specification, example_only=self.in_paper)
            case "recall":
                return RecallEditor()
        return None

    @property
    def answer(self) -> str:
        """What was written; the empty text where nothing was, or nothing can be."""
        return self.editor.answer if self.editor is not None else ""

    @property
    def program(self) -> CodeEditor | None:
        """The editor of a program, where one is asked for: it runs and is handed in from beside it too."""
        return self.editor if isinstance(self.editor, CodeEditor) else None

    def take_focus(self) -> None:
        if self.editor is not None:
            self.editor.take_focus()

    def tell(self, text: Text | None, **values: object) -> None:
        """Say this under the editor; nothing with None."""
        self._said = None if text is None else (text, values)
        self._show_said()

    def show(self) -> None:
        """Everything in the language of the moment."""
        if self.editor is not None:
            self.editor.show()
        self._show_said()

    def _show_said(self) -> None:
        line = self.query_one("#said", ProseView)
        line.display = self._said is not None
        if self._said is not None:
            text, values = self._said
            line.text = cast(Page, self.screen).say(text, **values)

    def on_edited(self, event: Edited) -> None:
        # what was said was said of another text
        event.stop()
        self.tell(None)

    def on_text_area_changed(self, event: TextArea.Changed) -> None:
        event.stop()
        self.tell(None)

    def on_lines_editor_changed(self, event: LinesEditor.Changed) -> None:
        event.stop()
        self.tell(None)

    def on_lines_editor_finished(self, event: LinesEditor.Finished) -> None:
        event.stop()
        self.post_message(Entered(event.editor.answer))


def _judge_line(drill: DerivationDrill, judge: Callable[[Case], Verdict], before: str, line: str) -> Verdict:
    from quizbank.drills.derivation import judge_step

    return judge_step(drill, line, before, judge)
