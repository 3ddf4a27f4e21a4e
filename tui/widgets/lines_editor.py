"""A derivation written line by line: each line laid out as it is read, and judged where there is a judge."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, cast

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.message import Message
from textual.widgets import Input

from engine.errors import InputError
from engine.text import Text
from tui import answer_messages as words
from tui.background import in_thread
from tui.commands import Command, bindings
from tui.screens.base import Page
from tui.widgets.derived_lines import OWN, START, DerivedLines, JudgeLine, Line, bare, judged
from tui.widgets.fields import Entry
from tui.widgets.menu import Menu
from tui.widgets.reading import ReadingView

if TYPE_CHECKING:
    from quizbank.card import Milestone

TAKE = Command(
    "take",
    ("enter",),
    Text("Next line", "下一行"),
    Text("take the line that is typed; where none is, the derivation is done", "写入这一行；空行则结束推导"),
    footer=1,
    palette=False,
)
TAKE_OR_TELL = TAKE._replace(
    help=Text(
        "take the line that is typed; where none is, say how far the derivation is",
        "写入这一行；空行则说明推导进行到了哪一步",
    )
)
TAKE_CHANGED = TAKE._replace(
    name=Text("Keep line", "保存此行"),
    help=Text("keep the line as it is changed; an empty one is deleted", "保存修改后的这一行；清空则删除"),
)
HINT = Command(
    "hint",
    ("f9",),
    Text("Hint", "提示"),
    Text("show the next line of one way to the goal", "给出通向目标的下一行"),
    footer=2,
)
DELETE = Command(
    "delete",
    ("d", "delete"),
    Text("Delete", "删除"),
    Text("take out the line under the cursor", "删除光标所在的一行"),
    footer=3,
)
ABOVE = Command(
    "step(-1)", ("up", "k"), Text("Lines above", "上面各行"),
    Text("to the lines already written, to change or delete one", "移到已写的各行，可修改或删除"), palette=False,
)  # fmt: skip
BELOW = Command(
    "step(1)", ("down", "j"), Text("Line below", "下一行"),
    Text("one line down, and back to where the next one is typed", "下移一行，直至回到输入处"), palette=False,
)  # fmt: skip


CHANGE = Text("Change", "修改"), Text("change the line under the cursor", "修改光标所在的一行")
KEEP_AS_IT_WAS = Command(
    "keep_as_it_was",
    ("escape",),
    Text("As it was", "放弃修改"),
    Text("leave the line being changed as it was", "不修改，保留这一行原来的内容"),
    footer=4,
)


class LineInput(Input):
    """A row to type in; of several pasted lines each becomes one of the derivation."""

    class Pasted(Message):
        def __init__(self, lines: tuple[str, ...]) -> None:
            super().__init__()
            self.lines = lines

    def _on_paste(self, event: object) -> None:
        text = getattr(event, "text", "")
        lines = tuple(line for line in text.splitlines() if line.strip())
        if len(lines) > 1:
            event.stop()  # type: ignore[attr-defined]
            event.prevent_default()  # type: ignore[attr-defined]
            self.post_message(self.Pasted(lines))


class LinesEditor(Vertical):
    """From ``start`` to ``goal``, both typed formulas over ``symbols``.

    With ``judge_line`` every line is judged as soon as it is entered, and a hint costs nothing; without it,
    as in a paper, lines are only read back. ``milestones`` are given one by one as hints. Enter without a line
    hands the derivation in; where not ``hands_in``, it asks how far it is.
    """

    DEFAULT_CSS = """
    LinesEditor { height: 1fr; }
    LinesEditor > Menu { height: 1fr; min-height: 3; }
    LinesEditor > ReadingView { max-height: 6; }
    """
    OFFERS: tuple[Command, ...] = (TAKE, HINT, DELETE, KEEP_AS_IT_WAS, ABOVE, BELOW)
    BINDINGS = bindings("lines", OFFERS)

    class Changed(Message):
        """Other lines stand there; ``lines`` as in :attr:`LinesEditor.lines`."""

        def __init__(self, editor: LinesEditor, lines: tuple[str, ...]) -> None:
            super().__init__()
            self.editor, self.lines = editor, lines

        @property
        def control(self) -> LinesEditor:
            return self.editor

    class Finished(Message):
        """Enter without a line, where lines stand: the person is done, or asks how far it is."""

        def __init__(self, editor: LinesEditor) -> None:
            super().__init__()
            self.editor = editor

        @property
        def control(self) -> LinesEditor:
            return self.editor

    class Judged(Message):
        """Every line has its verdict; ``reached`` where all follow and the last is the goal."""

        def __init__(self, editor: LinesEditor, reached: bool) -> None:
            super().__init__()
            self.editor, self.reached = editor, reached

        @property
        def control(self) -> LinesEditor:
            return self.editor

    def __init__(
        self,
        start: str,
        goal: str,
        symbols: Mapping[str, str],
        mode: str = "symbolic",
        where: Mapping[str, str] | None = None,
        milestones: Sequence[Milestone] = (),
        judge_line: JudgeLine | None = None,
        *,
        hands_in: bool = True,
        id: str | None = None,  # noqa: A002 (Textual's name)
    ) -> None:
        super().__init__(id=id)
        self.judge_line = judge_line
        self.hands_in = hands_in
        self.derived = DerivedLines(
            start, goal, symbols, mode, where or {}, milestones, is_judged=judge_line is not None
        )
        self._editing: int | None = None
        self._set_aside = ""
        self._asked_for_hint = False
        self._turn = asyncio.Lock()

    # What was written --------------------------------------------------------------------------

    @property
    def lines(self) -> tuple[str, ...]:
        """The lines entered: ``= …`` the person's own, ``?= …`` those a hint gave."""
        return self.derived.written

    @property
    def answer(self) -> str:
        """The lines joined, with what is typed and not yet entered."""
        lines = list(self.lines)
        typed = bare(self.input.value) if self._stands else ""
        if self._editing is not None:
            if typed:
                lines[self._editing] = f"{OWN} {typed}"
            typed = bare(self._set_aside)
        if typed:
            lines.append(f"{OWN} {typed}")
        return "\n".join(lines)

    def load(self, answer: str) -> None:
        """Put the lines of an answer in place of those that stand here. Posts nothing."""
        self.derived.load(answer)
        self._editing, self._set_aside = None, ""
        if self._stands:
            self._type("")
        self._refresh_lines()

    @property
    def input(self) -> Input:
        return self.query_one("#line", Entry).input

    def take_focus(self) -> None:
        self.input.focus()

    @property
    def _stands(self) -> bool:
        """Are the parts there? They come after the editor itself, and go before it."""
        return bool(self.query("#line Input")) and bool(self.query(ReadingView))

    @property
    def is_waiting(self) -> bool:
        """Is a line still being read or judged?"""
        return (
            self._turn.locked()
            or bool(self.derived.unread)
            or (self.judge_line is not None and self._unjudged is not None)
        )

    @property
    def _unjudged(self) -> int | None:
        """The first line that still wants a verdict: what stands behind a wrong one waits until that is mended."""
        lines = self.derived.lines[: self.derived.standing]
        return next((place for place, line in enumerate(lines) if line.verdict is None), None)

    # Composition -------------------------------------------------------------------------------

    def compose(self) -> ComposeResult:
        yield Menu(id="lines")
        yield Entry(id="line", field=LineInput)
        yield ReadingView(self.derived.read_line, id="line-reading")

    @property
    def _page(self) -> Page:
        return cast(Page, self.screen)

    def on_mount(self) -> None:
        self._refresh_lines()

    def show(self) -> None:
        """Everything in the language of the moment."""
        if not self._stands:
            return
        say, language = self._page.say, self._page.language
        if self._editing is None:
            hint = say(words.LINE_HINT if self.hands_in else words.LINE_HINT_OPEN)
            label = say(words.LINE)
        else:
            label, hint = say(words.EDITED_LINE, n=self._editing + 1), say(words.EDITED_LINE_HINT)
        self.query_one("#line", Entry).tell(label, hint)
        self.query_one(ReadingView).tell(language)
        self.query_one(Menu).fill(self.derived.items(language))
        self._offer()

    def _offer(self) -> None:
        """What Enter does, in the words of the moment: to a line typed, a line being changed, one in the list."""
        usual = TAKE if self.hands_in else TAKE_OR_TELL
        self.OFFERS = (usual if self._editing is None else TAKE_CHANGED, *type(self).OFFERS[1:])
        # the start cannot be changed, so it is not offered there
        self.query_one(Menu).offer(*CHANGE, footer=1 if self._under_cursor() is not None else 0)
        self.refresh_bindings()

    def _type(self, text: str) -> None:
        self.input.value = text
        self.input.cursor_position = len(text)

    # Reading and judging, in threads -----------------------------------------------------------

    def _refresh_lines(self) -> None:
        """Show the lines; what of them was not read or judged yet is, beside the event loop."""
        if self._stands:
            self.show()
            # the function, not its coroutine: work that is replaced before it began would be one never awaited
            self.run_worker(self._catch_up, group="lines", exclusive=True)

    async def _catch_up(self) -> None:
        if unread := self.derived.unread:
            self.derived.known |= await in_thread(partial(self.derived.read, unread))
            self.show()
        if self.judge_line is not None:
            await self._judge_all(self.judge_line)

    async def _judge_all(self, judge_line: JudgeLine) -> None:
        while (place := self._unjudged) is not None:
            lines = self.derived.lines
            line = lines[place]
            before = lines[place - 1].text if place else self.derived.start
            verdict = await in_thread(partial(judged, judge_line, before, line.text))
            # newer lines cancel this worker, so what was judged still stands there
            lines[place] = replace(line, verdict=verdict)
            self.show()
        if self.derived.lines:
            self.post_message(self.Judged(self, self.derived.reached))

    # What a person does ------------------------------------------------------------------------

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        match action:
            case "take":
                return self._stands and self.input.has_focus
            case "hint":
                return bool(self.derived.milestones)
            case "delete":
                return self._in_list and self._under_cursor() is not None
            case "keep_as_it_was":
                return self._editing is not None
        return True

    @property
    def _in_list(self) -> bool:
        return self._stands and self.query_one(Menu).has_focus

    @property
    def _last_id(self) -> str:
        return str(len(self.derived.lines) - 1) if self.derived.lines else START

    def _under_cursor(self) -> int | None:
        """The place of the line with the cursor; None on the start."""
        item = self.query_one(Menu).item
        return int(item.id) if item is not None and item.id != START else None

    def action_step(self, by: int) -> None:
        menu = self.query_one(Menu)
        if not self._in_list:
            if by < 0:
                menu.fill(menu.items, at=self._last_id)
                self._offer()
                menu.focus()
            return
        if by > 0 and menu.item is not None and menu.item.id == self._last_id:
            self.take_focus()
        else:
            menu.move(by)

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        self._asked_for_hint = False
        self.query_one(ReadingView).follow(bare(event.value))

    async def action_take(self) -> None:
        await self.input.action_submit()

    async def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        typed, place = bare(event.value), self._editing
        if place is not None:
            self._stop_editing()
        elif typed:
            # the field is free at once: what is typed on goes into the next line
            self._type("")
        elif self.derived.lines:
            self.post_message(self.Finished(self))
        else:
            self._page.proofdeck.notice(self._page.say(words.NO_LINE_YET))
        if typed:
            await self._enter((typed,), place)
        elif place is not None:
            self.derived.change(place)
            self._changed()

    async def on_line_input_pasted(self, event: LineInput.Pasted) -> None:
        event.stop()
        await self._enter([text for line in event.lines if (text := bare(line))])

    async def _enter(self, typed: Sequence[str], place: int | None = None) -> None:
        """Add lines, or put them in the place of one; a chain of equals signs is several.

        A single new one that cannot be read goes back to where it is typed, to be mended.
        """
        async with self._turn:
            try:
                texts, read = await in_thread(partial(self.derived.read_chains, typed))
            except InputError as error:
                self._page.complain(error)
                return
        self.derived.known |= read
        faulty = any(one.reading.fault is not None for one in read.values())
        if faulty and place is None and len(typed) == 1 and not self.input.value:
            self._type(typed[0])
            self.app.bell()
            return
        if place is None:
            self.derived.lines += map(Line, texts)
        elif place < len(self.derived.lines):
            self.derived.change(place, *texts)
        self._changed()

    def _changed(self) -> None:
        self._asked_for_hint = False
        self._refresh_lines()
        menu = self.query_one(Menu)
        menu.fill(menu.items, at=self._last_id)
        self._offer()
        self.post_message(self.Changed(self, self.lines))

    def on_menu_moved(self, event: Menu.Moved) -> None:
        event.stop()
        self._offer()

    def on_menu_chosen(self, event: Menu.Chosen) -> None:
        event.stop()
        if (place := self._under_cursor()) is None or not self._is_own(place):
            return
        if self._editing is None:
            self._set_aside = self.input.value
        self._editing = place
        self._type(self.derived.lines[place].text)
        self.show()
        self.take_focus()

    def _is_own(self, place: int) -> bool:
        """Whether the person may change the line; where not, it is said why."""
        if self.derived.lines[place].hinted:
            self._page.proofdeck.notice(self._page.say(words.HINT_STAYS))
            return False
        return True

    def _stop_editing(self) -> None:
        """Back to the next line, with what was typed of it."""
        if self._editing is not None:
            self._editing, typed = None, self._set_aside
            self._set_aside = ""
            self._type(typed)
            self.show()

    def action_keep_as_it_was(self) -> None:
        self._stop_editing()

    def action_delete(self) -> None:
        place = self._under_cursor()
        if place is None or not self._is_own(place):
            return
        self._stop_editing()
        self.derived.change(place)
        self._changed()
        if not self.derived.lines:
            self.take_focus()

    def action_hint(self) -> None:
        page = self._page
        if (milestone := self.derived.next_milestone()) is None:
            page.proofdeck.notice(page.say(words.NO_HINT_LEFT))
            return
        if self.judge_line is None and not self._asked_for_hint:
            # one key must not cost points
            self._asked_for_hint = True
            page.proofdeck.notice(page.say(words.HINT_COSTS, key=HINT.shown_keys()[0]), severity="warning")
            return
        self.derived.lines.append(Line(milestone.line, hinted=True))
        self._changed()
