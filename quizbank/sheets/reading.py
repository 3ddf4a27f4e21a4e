"""A card's text as a sheet reads it: what cannot be read stands as it was written.

The terminal shows it so too. A deck of one's own may hold a formula outside of the subset, or a fence that is not
closed; no sheet is refused for that.
"""

from __future__ import annotations

from collections.abc import Callable

from engine.notation.error import NotationError
from engine.notation.prose import (
    Block,
    Code,
    CodeSpan,
    Display,
    ListItem,
    Math,
    Paragraph,
    Plain,
    Span,
    clean,
    parse_prose,
)


def blocks_of(text: str) -> tuple[Block, ...]:
    """The blocks of a text; one paragraph of its characters where it is no prose."""
    try:
        return parse_prose(text)
    except NotationError:
        return (Paragraph((Plain(" ".join(clean(text).split())),)),)


def drawable(text: str, draw: Callable[[str, bool], str]) -> tuple[Block, ...]:
    """As :func:`blocks_of`, each formula that ``draw`` (LaTeX, on lines of its own?) cannot draw as code, with its dollars."""
    return tuple([_drawable(block, draw) for block in blocks_of(text)])


def _drawable(block: Block, draw: Callable[[str, bool], str]) -> Block:
    match block:
        case Display():
            if _is_drawn(block.latex, True, draw):
                return block
            return Paragraph((CodeSpan(f"$${' '.join(block.latex.split())}$$"),))
        case Code():
            return block
        case Paragraph() | ListItem():
            if all(_is_drawn(span.latex, False, draw) for span in block.spans if isinstance(span, Math)):
                return block
            return type(block)(tuple(_drawable_span(span, draw) for span in block.spans))


def _drawable_span(span: Span, draw: Callable[[str, bool], str]) -> Span:
    if isinstance(span, Math) and not _is_drawn(span.latex, False, draw):
        return CodeSpan(f"${span.latex}$")
    return span


def _is_drawn(latex: str, display: bool, draw: Callable[[str, bool], str]) -> bool:
    try:
        draw(latex, display)
    except NotationError:
        return False
    return True


def in_one_line(text: str) -> str:
    """The text as one line without markup, formulas written out, for a bookmark."""
    from engine.notation.page import inline as written_out

    try:
        return written_out(text)
    except NotationError:
        return " ".join(clean(text).split())
