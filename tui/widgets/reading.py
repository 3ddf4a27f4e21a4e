"""How what is being typed is read: laid out in two dimensions; or where reading stopped, and why."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from rich.cells import cell_len
from rich.style import Style

from engine.errors import InputError
from engine.notation.wrap import wrap
from engine.text import Language
from tui import answer_messages as words
from tui.drawing.rows import clean
from tui.recompute import Outcome, Recompute, Recomputed
from tui.widgets.chrome import clipped
from tui.widgets.fields import LABEL_WIDTH
from tui.widgets.rows import RowsView, StyledRow

if TYPE_CHECKING:
    from engine.answers.reading import Reading

Read = Callable[[str], "Reading"]
"""How a line is read: :func:`engine.answers.reading.read_answer` for the question at hand."""

_INDENT = LABEL_WIDTH + 2
_NARROWEST = 24
"""Cells beside the label below which a formula stands beneath it."""


class ReadingView(RowsView):
    """Follows a line as it is typed: it is read in a thread, the newest line wins.

    ``read`` may be slow the first time (it loads what it needs); the screen never waits for it.
    """

    COMPONENT_CLASSES: ClassVar[set[str]] = {"reading--math", "reading--label", "reading--place"}
    DEFAULT_CSS = """
    ReadingView {
        height: auto; min-height: 1; max-height: 9; padding: 0 1;
        .reading--math { color: $text-success; }
        .reading--label { color: $text-muted; }
        .reading--place { text-style: bold; }
    }
    """

    def __init__(self, read: Read | None = None, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.reading: Reading | None = None
        self.language: Language = "en"
        self._typed = ""
        self._read_for = ""
        self._read = read
        self._recompute: Recompute[str, Reading] = Recompute(self._compute, self._deliver, settles=False)

    def use(self, read: Read | None) -> None:
        """Read by other rules from now on: another question."""
        self._read = read
        self.follow("")

    def follow(self, typed: str) -> None:
        """Read this line; what stands here is replaced when it was read."""
        self._typed = typed
        if self._read is None or not typed.strip():
            self._read_for, self.reading = typed, None
            self.changed(layout=True)
        else:
            self._recompute.ask(typed)

    @property
    def is_waiting(self) -> bool:
        """Is the line that was typed last still being read?"""
        return self._read is not None and self._read_for != self._typed

    def _compute(self, typed: str, dragging: bool) -> Reading:
        assert self._read is not None
        return self._read(typed)

    def _deliver(self, outcome: Outcome[str, Any]) -> None:
        self.post_message(Recomputed(outcome))

    def on_recomputed(self, event: Recomputed) -> None:
        event.stop()
        outcome: Outcome[str, Any] = event.outcome
        if outcome.given != self._typed:
            return
        # a declaration at fault is told where the question is asked, not at every keystroke
        self._read_for, self.reading = outcome.given, outcome.result
        self.changed(layout=True)

    def tell(self, language: Language) -> None:
        if language != self.language:
            self.language = language
            self.changed(layout=True)

    def on_unmount(self) -> None:
        self._recompute.close()

    def style_of(self, name: str) -> Style:
        return self.component_style(f"reading--{name}") if name else Style.null()

    def rows(self, width: int, height: int) -> Sequence[StyledRow]:
        reading = self.reading
        if reading is None:
            return []
        if reading.fault is not None:
            return self._fault_rows(reading, width)
        if not reading.latex:
            return []
        label = words.READ_AS.of(self.language)
        formula = _laid(reading.latex, width - _INDENT)
        if width - _INDENT >= _NARROWEST and formula is not None:
            box, at = formula
            return [[(_label(label if n == at else ""), "label"), (row, "math")] for n, row in enumerate(box)]
        rows = formula_lines(reading.latex, width)
        return [[(label, "label")], *([(row, "math")] for row in rows)]

    def _fault_rows(self, reading: Reading, width: int) -> list[StyledRow]:
        assert reading.fault is not None
        rows: list[StyledRow] = []
        room = max(8, width - _INDENT)
        if reading.at is not None:
            before, after = _around(self._read_for, reading.at, room)
            rows.append([(_label(words.STOPS.of(self.language)), "label"), (before + after, "")])
            rows.append([(_label(""), "label"), (" " * cell_len(before) + "^", "place")])
        label = "" if rows else words.STOPS.of(self.language)
        for line in wrap(clean(reading.fault.of(self.language)), room):
            rows.append([(_label(label), "label"), (line, "")])
            label = ""
        return rows


def _label(text: str) -> str:
    """Two cells for a mark, then the label, as in a form's rows."""
    text = clipped(text, LABEL_WIDTH - 1)
    return "  " + text + " " * (LABEL_WIDTH - cell_len(text))


def _around(typed: str, at: int, room: int) -> tuple[str, str]:
    """The line up to a place and from it on, cut at both ends to so many cells."""
    at = min(max(at, 0), len(typed))
    printable = "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in typed)
    before, after = printable[:at], printable[at:]
    while before and cell_len(before) > room - 1 - min(4, len(after)):
        before = before[1:]
    while after and cell_len(before) + cell_len(after) > room:
        after = after[:-1]
    return before, after


def _laid(latex: str, width: int) -> tuple[Sequence[str], int] | None:
    """The formula and its base line, if it is no wider than this."""
    from engine.notation.terminal import layout

    try:
        box = layout(latex, max(1, width))
    except InputError:
        return None
    return (box.rows, box.baseline) if box.width <= width else None


def formula_lines(latex: str, width: int) -> Sequence[str]:
    """A formula in rows of at most this width: laid out, else in one line that is broken."""
    if (formula := _laid(latex, width)) is not None:
        return formula[0]
    from engine.notation.line import one_line

    try:
        line = one_line(latex)
    except InputError:
        line = clean(latex)
    return wrap(line, max(8, width))
