"""Prose laid out for a terminal: paragraphs, lists, formulas and code as rows of segments."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from engine.notation.prose import (
    Block,
    Code,
    CodeSpan,
    Display,
    ListItem,
    Math,
    Paragraph,
    Span,
    clean,
    joined,
    parse_prose,
    parse_spans,
)
from engine.notation.wide import width as cells_of
from engine.notation.wrap import Kind, Row, Segment, Token, fill, tokens

__all__ = ["Kind", "Row", "Segment", "inline", "linear", "page", "plain"]

BULLET = "• "
INDENT = 2
CONTINUED = "↳ "
"""Marks a code line that had to be broken."""
KEPT_WHOLE = 16
"""Cells up to which an inline formula stays on one line, if that is no more than a third of it: a line that begins with
``= 512`` reads badly, and little is gained by it."""


@lru_cache(maxsize=512)
def page(text: str, width: int) -> tuple[Row, ...]:
    """A text in the prose dialect as rows, none wider than ``width`` cells.

    Each row is a tuple of ``(text, kind)``, kind being ``text``, ``math`` or ``code``; an empty row is a
    blank line. Inline formulas stand on the line, display formulas as two-dimensional boxes.

    Raises:
        NotationError: the prose or a formula in it cannot be read.
    """
    rows: list[Row] = []
    before: Block | None = None
    for block in parse_prose(text):
        both_items = isinstance(before, ListItem) and isinstance(block, ListItem)
        if before is not None and not both_items:
            rows.append(())
        rows.extend(_block(block, max(width, 1)))
        before = block
    return tuple(rows)


def plain(text: str, width: int) -> list[str]:
    """The rows of :func:`page` as strings, without spaces at their ends.

    Raises:
        NotationError: the prose or a formula in it cannot be read.
    """
    return ["".join(part for part, _ in row).rstrip() for row in page(text, width)]


def inline(text: str) -> str:
    """One line of prose with its formulas in one-line form: for titles, list rows and labels.

    Raises:
        NotationError: a formula in it cannot be read.
    """
    from engine.notation.line import one_line

    line = joined([line for line in clean(text).expandtabs(1).split("\n") if line.strip()] or [""])
    return "".join(
        one_line(span.latex) if isinstance(span, Math) else span.text for span in parse_spans(line)
    )


def linear(text: str) -> list[str]:
    """Every block on a line of its own, formulas in one-line form, nothing drawn: for a screen reader.

    Raises:
        NotationError: the prose or a formula in it cannot be read.
    """
    from engine.notation.line import one_line

    lines: list[str] = []
    for block in parse_prose(text):
        if isinstance(block, Display):
            lines.append(one_line(block.latex))
        elif isinstance(block, Code):
            lines += block.text.split("\n")
        else:
            said = "".join(
                one_line(span.latex) if isinstance(span, Math) else span.text for span in block.spans
            )
            lines.append(f"- {said}" if isinstance(block, ListItem) else said)
    return lines


def _block(block: Block, width: int) -> list[Row]:
    if isinstance(block, Paragraph):
        return fill(_tokens(block.spans, width), width)
    if isinstance(block, ListItem):
        units = _tokens(block.spans, width)
        if width < 4 * len(BULLET):
            return fill(units, width)
        return fill(units, width, ((BULLET, "text"),), cells_of(BULLET))
    if isinstance(block, Display):
        return _display(block, width)
    return list(_code(block, width))


def _tokens(spans: Sequence[Span], width: int) -> list[Token]:
    return tokens(_pieces(spans, min(KEPT_WHOLE, width // 3)))


def _pieces(spans: Iterable[Span], whole: int) -> Iterator[tuple[str, Kind] | tuple[Sequence[str], Kind]]:
    for span in spans:
        if isinstance(span, Math):
            from engine.notation.line import chunks, one_line

            line = one_line(span.latex)
            yield (line,) if cells_of(line) <= whole else chunks(span.latex), "math"
        elif isinstance(span, CodeSpan):
            yield span.text, "code"
        else:
            yield span.text, "text"


def _display(block: Display, width: int) -> list[Row]:
    from engine.notation.terminal import layout

    indent = INDENT if width > 8 * INDENT else 0
    box = layout(block.latex, width - indent)
    lead: Row = ((" " * indent, "text"),) if indent else ()
    return [(*lead, (row, "math")) for row in box.rows]


def _code(block: Code, width: int) -> Iterator[Row]:
    indent = INDENT if width > 8 * INDENT else 0
    lead: Row = ((" " * indent, "text"),) if indent else ()
    room = max(width - indent, 2)
    for line in block.text.expandtabs(4).split("\n"):
        mark = ""
        while cells_of(line) > room - len(mark):
            taken = _fitting(line, room - len(mark))
            yield (*lead, (mark + line[:taken].rstrip(), "code"))
            line = line[taken:]
            mark = CONTINUED if room > 8 else ""
        yield (*lead, (mark + line, "code"))


def _fitting(line: str, cells: int) -> int:
    """How many characters of a line fit, at least one; up to a space where one is near the end."""
    used = 0
    for number, character in enumerate(line):
        used += cells_of(character)
        if used > cells:
            space = line.rfind(" ", number // 2, number + 1)
            return max(number, 1) if space < 0 or not line[:space].strip() else space + 1
    return len(line)
