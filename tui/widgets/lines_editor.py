"""A derivation written line by line: each line laid out as it is read, and judged where there is a judge."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import TYPE_CHECKING, ClassVar, cast

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.message import Message
from textual.widgets import Input

from engine.errors import InputError
from engine.text import Text
from tui import answer_messages as words
from tui.answer_text import symbols_prose
from tui.background import in_thread
from tui.commands import Command, bindings
from tui.screens.base import Page
from tui.widgets.fields import Entry
from tui.widgets.menu import Item, Menu
from tui.widgets.reading import ReadingView

if TYPE_CHECKING:
    from engine.answers.reading import Reading
    from engine.answers.verdict import Verdict
    from quizbank.card import Milestone

JudgeLine = Callable[[str, str], "Verdict"]
"""The verdict on a line, given the line before it: ``judge_line(before, line)``. Called in a thread."""

_START = "start"
OWN, HINTED = "=", "?="
"""What a line begins with in the answer: one the person wrote, one a hint gave."""

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


@dataclass(frozen=True)
class Line:
    """A line without its equals sign. ``verdict`` is None until it was judged against the line before."""

    text: str
    hinted: bool = False
    verdict: Verdict | None = None


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
    as in a paper, lines are only read back. ``milestones`` are given one by one as hints.
    """

    DEFAULT_CSS = """
    LinesEditor { height: 1fr; }
    LinesEditor > Menu { height: 1fr; min-height: 3; }
    LinesEditor > ReadingView { max-height: 6; }
    """
    OFFERS: ClassVar[tuple[Command, ...]] = (HINT, DELETE, ABOVE, BELOW)
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
        """Enter without a line: the person is done."""

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
        id: str | None = None,  # noqa: A002 (Textual's name)
    ) -> None:
        super().__init__(id=id)
        self.start = start
        self.goal = goal
        self.symbols = dict(symbols)
        self.mode = mode
        self.where = dict(where or {})
        self.milestones = tuple(milestones)
        self.judge_line = judge_line
        self._lines: list[Line] = []
        self._readings: dict[str, Reading] = {}
        self._editing: int | None = None
        self._asked_for_hint = False
        self._turn = asyncio.Lock()
        self._read = lru_cache(256)(self._read_line)

    # What was written --------------------------------------------------------------------------

    @property
    def lines(self) -> tuple[str, ...]:
        """The lines entered: ``= …`` the person's own, ``?= …`` those a hint gave."""
        return tuple(f"{HINTED if line.hinted else OWN} {line.text}" for line in self._lines)

    @property
    def answer(self) -> str:
        """The lines joined, with what is typed and not yet entered."""
        lines = list(self.lines)
        typed = _bare(self.input.value) if self._stands else ""
        if typed and self._editing is None:
            lines.append(f"{OWN} {typed}")
        elif typed and self._editing is not None:
            lines[self._editing] = f"{OWN} {typed}"
        return "\n".join(lines)

    def load(self, answer: str) -> None:
        """Put the lines of an answer in place of those that stand here. Posts nothing."""
        self._lines = []
        for written in answer.splitlines():
            hinted = written.strip().startswith(HINTED)
            if text := _bare(written.strip().removeprefix("?")):
                self._lines.append(Line(text, hinted))
        self._stop_editing()
        self._refresh_lines()

    @property
    def hints_given(self) -> int:
        return sum(line.hinted for line in self._lines)

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
            or any(line.text not in self._readings for line in self._lines)
            or (self.judge_line is not None and any(line.verdict is None for line in self._lines))
        )

    # Composition -------------------------------------------------------------------------------

    def compose(self) -> ComposeResult:
        yield Menu(id="lines")
        yield Entry(id="line", field=LineInput)
        yield ReadingView(self._read, id="line-reading")

    @property
    def _page(self) -> Page:
        return cast(Page, self.screen)

    def on_mount(self) -> None:
        self.query_one(Menu).offer(
            Text("Change", "修改"), Text("change the line under the cursor", "修改光标所在的一行")
        )
        self._refresh_lines()

    def show(self) -> None:
        """Everything in the language of the moment."""
        if not self._stands:
            return
        say, language = self._page.say, self._page.language
        if self._editing is None:
            label, hint = say(words.LINE), say(words.LINE_HINT)
        else:
            label, hint = say(words.EDITED_LINE, n=self._editing + 1), say(words.EDITED_LINE_HINT)
        self.query_one("#line", Entry).tell(label, hint)
        self.query_one(ReadingView).tell(language)
        self.query_one(Menu).fill(self._items())
        self.refresh_bindings()

    def _items(self) -> list[Item]:
        say, language = self._page.say, self._page.language
        names = symbols_prose(self.symbols, self.where, language)
        items = [
            Item("about", f"- {say(words.GOAL, goal=self._inline(self.goal))}\n- {names}", role="text"),
            Item(_START, self._shown(self.start), lead="0.", note=say(words.START)),
        ]
        bad = self._first_bad()
        for place, line in enumerate(self._lines):
            detail = ""
            reading = self._readings.get(line.text)
            if reading is not None and reading.fault is not None:
                detail = say(reading.fault)
            elif line.verdict is not None and place == bad:
                detail = self._why(line.verdict)
            elif line.hinted:
                detail = "\n".join(say(one.hint) for one in self.milestones if one.line == line.text)
            items.append(
                Item(
                    str(place),
                    self._shown(line.text, "= "),
                    lead=f"{place + 1}.",
                    note=self._note(line),
                    detail=detail,
                )
            )
        return items

    def _shown(self, text: str, sign: str = "") -> str:
        """The formula as prose, laid out in two dimensions; as it was typed where it was not read."""
        reading = self._readings.get(text)
        return f"$${sign}{reading.latex}$$" if reading is not None and reading.latex else _typed(sign + text)

    def _inline(self, text: str) -> str:
        reading = self._readings.get(text)
        return f"${reading.latex}$" if reading is not None and reading.latex else _typed(text)

    def _note(self, line: Line) -> str:
        say = self._page.say
        parts = [say(words.HINT_LINE)] if line.hinted else []
        reading, goal = self._readings.get(line.text), self._readings.get(self.goal)
        if reading is not None and reading.fault is not None:
            parts.append(say(words.NOT_READ))
        elif line.verdict is not None:
            text = {"equal": words.FOLLOWS, "different": words.FOLLOWS_NOT}.get(
                line.verdict.verdict, words.NOT_READ if line.verdict.is_refusal else words.NOT_DECIDED
            )
            parts.append(say(text))
        elif self.judge_line is not None:
            parts.append(say(words.JUDGING))
        if reading is not None and goal is not None and reading.latex and reading.latex == goal.latex:
            parts.append(say(words.IS_GOAL))
        return " · ".join(parts)

    def _why(self, verdict: Verdict) -> str:
        from quizbank.papers.told import counterexample

        said = [verdict.reason]
        if verdict.counterexample is not None:
            said.append(counterexample(verdict.counterexample, of_a_line=True))
        return "\n".join(f"- {self._page.say(text)}" for text in said)

    def _first_bad(self) -> int | None:
        return next(
            (n for n, line in enumerate(self._lines) if line.verdict and line.verdict.verdict != "equal"),
            None,
        )

    # Reading and judging, in threads -----------------------------------------------------------

    def _read_line(self, text: str) -> Reading:
        from engine.answers.reading import Reading, read_answer

        try:
            return read_answer(text, self.symbols, self.mode)
        except InputError:
            # lines of this kind are not laid out, or the card is at fault: nobody's line is refused for it
            return Reading("")

    def _refresh_lines(self) -> None:
        """Show the lines; what of them was not read or judged yet is, beside the event loop."""
        if self._stands:
            self.show()
            self.run_worker(self._catch_up(), group="lines", exclusive=True)

    async def _catch_up(self) -> None:
        texts = [self.start, self.goal, *(m.line for m in self.milestones), *(l.text for l in self._lines)]
        wanted = [text for text in dict.fromkeys(texts) if text not in self._readings]
        if wanted:
            self._readings |= await in_thread(lambda: {text: self._read(text) for text in wanted})
            self.show()
        if self.judge_line is not None:
            await self._judge_all()

    async def _judge_all(self) -> None:
        judge_line = self.judge_line
        assert judge_line is not None
        for place in range(len(self._lines)):
            line = self._lines[place]
            if line.verdict is not None:
                continue
            before = self._lines[place - 1].text if place else self.start
            verdict = await in_thread(partial(_judged, judge_line, before, line.text))
            # newer lines cancel this worker, so what was judged still stands there
            self._lines[place] = replace(line, verdict=verdict)
            self.show()
        if self._lines:
            self.post_message(self.Judged(self, self._reached()))

    def _reached(self) -> bool:
        last, goal = self._readings.get(self._lines[-1].text), self._readings.get(self.goal)
        same = last is not None and goal is not None and bool(last.latex) and last.latex == goal.latex
        return same and self._first_bad() is None

    # What a person does ------------------------------------------------------------------------

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        match action:
            case "hint":
                return bool(self.milestones)
            case "delete":
                return self._in_list and self._under_cursor() is not None
        return True

    @property
    def _in_list(self) -> bool:
        return self._stands and self.query_one(Menu).has_focus

    @property
    def _last_id(self) -> str:
        return str(len(self._lines) - 1) if self._lines else _START

    def _under_cursor(self) -> int | None:
        """The place of the line with the cursor; None on the start."""
        item = self.query_one(Menu).item
        return int(item.id) if item is not None and item.id != _START else None

    def action_step(self, by: int) -> None:
        menu = self.query_one(Menu)
        if not self._in_list:
            if by < 0:
                menu.fill(menu.items, at=self._last_id)
                menu.focus()
            return
        if by > 0 and menu.item is not None and menu.item.id == self._last_id:
            self._stop_editing()
            self.take_focus()
        else:
            menu.move(by)

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        self._asked_for_hint = False
        self.query_one(ReadingView).follow(_bare(event.value))

    async def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        typed = _bare(event.value)
        place = self._editing
        # the field is free at once: what is typed on goes into the next line
        self._stop_editing()
        if place is not None:
            self._change(place, typed)
        elif typed:
            await self._enter((typed,))
        elif self._lines:
            self.post_message(self.Finished(self))

    async def on_line_input_pasted(self, event: LineInput.Pasted) -> None:
        event.stop()
        await self._enter([text for line in event.lines if (text := _bare(line))])

    async def _enter(self, texts: Sequence[str]) -> None:
        """Add lines; a single one that cannot be read goes back to where it is typed, to be mended."""
        async with self._turn:
            readings = await in_thread(lambda: {text: self._read(text) for text in texts})
        self._readings |= readings
        if len(texts) == 1 and readings[texts[0]].fault is not None and not self.input.value:
            self.input.value = texts[0]
            self.input.cursor_position = len(texts[0])
            self.app.bell()
            return
        self._lines += [Line(text) for text in texts]
        self._changed()

    def _change(self, place: int, text: str) -> None:
        if text:
            self._lines[place] = Line(text)
        else:
            del self._lines[place]
        # the line that now follows another one must be judged anew
        after = place + 1 if text else place
        if after < len(self._lines):
            self._lines[after] = replace(self._lines[after], verdict=None)
        self._changed()

    def _changed(self) -> None:
        self._asked_for_hint = False
        self._refresh_lines()
        menu = self.query_one(Menu)
        menu.fill(menu.items, at=self._last_id)
        self.post_message(self.Changed(self, self.lines))

    def on_menu_chosen(self, event: Menu.Chosen) -> None:
        event.stop()
        if (place := self._under_cursor()) is None or not self._is_own(place):
            return
        self._editing = place
        self.input.value = self._lines[place].text
        self.input.cursor_position = len(self.input.value)
        self.show()
        self.take_focus()

    def _is_own(self, place: int) -> bool:
        """Whether the person may change the line; where not, it is said why."""
        if self._lines[place].hinted:
            self._page.proofdeck.notice(self._page.say(words.HINT_STAYS))
            return False
        return True

    def _stop_editing(self) -> None:
        self._editing = None
        if self._stands:
            self.input.value = ""
            self.show()

    def action_delete(self) -> None:
        place = self._under_cursor()
        if place is None or not self._is_own(place):
            return
        if self._editing is not None:
            self._stop_editing()
        self._change(place, "")
        if not self._lines:
            self.take_focus()

    def action_hint(self) -> None:
        page = self._page
        if (milestone := self._next_milestone()) is None:
            page.proofdeck.notice(page.say(words.NO_HINT_LEFT))
            return
        if self.judge_line is None and not self._asked_for_hint:
            # one key must not cost points
            self._asked_for_hint = True
            page.proofdeck.notice(page.say(words.HINT_COSTS, key=HINT.shown_keys()[0]), severity="warning")
            return
        self._lines.append(Line(milestone.line, hinted=True))
        self._changed()

    def _next_milestone(self) -> Milestone | None:
        """The first after the last one that stands among the lines already, typed or given."""
        written = {self._written(line.text) for line in self._lines}
        passed = [n for n, one in enumerate(self.milestones) if self._written(one.line) in written]
        left = self.milestones[passed[-1] + 1 if passed else 0 :]
        return left[0] if left else None

    def _written(self, text: str) -> str:
        reading = self._readings.get(text)
        return reading.latex if reading is not None and reading.latex else text


def _bare(line: str) -> str:
    """A line without the equals sign it may begin with."""
    return line.strip().removeprefix("=").removeprefix("＝").strip()


def _typed(text: str) -> str:
    return f"`{text.replace('`', chr(39))}`"


def _judged(judge_line: JudgeLine, before: str, line: str) -> Verdict:
    """The verdict; a fault of the card leaves the line undecided and says so."""
    from engine.answers.verdict import Verdict

    try:
        return judge_line(before, line)
    except InputError as error:
        return Verdict("undecided", error.text)
