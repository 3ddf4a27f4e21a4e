"""Every fault of a text's notation in one pass, for the loader, ``lint`` and ``check``."""

from __future__ import annotations

import re
from collections.abc import Iterator

from engine.notation.error import NotationError
from engine.notation.line import one_line
from engine.notation.mathml import mathml
from engine.notation.prose import Code, CodeSpan, Display, Math, Plain, Span, clean, parse_prose
from engine.notation.terminal import layout
from engine.notation.typst import typst


def formulas(text: str) -> Iterator[tuple[str, bool, int]]:
    """The formulas of a prose text: LaTeX, whether it is a display formula, and where it starts in
    the cleaned text.

    Raises:
        NotationError: the blocks cannot be read.
    """
    source = clean(text)
    at = 0
    for block in parse_prose(source):
        if isinstance(block, Display):
            parts: tuple[Span, ...] = (Math(block.latex),)
        elif isinstance(block, Code):
            parts = (CodeSpan(block.text),)
        else:
            parts = block.spans
        for part in parts:
            if isinstance(part, Plain):
                continue
            start, at = _found(part, source, at)
            if isinstance(part, Math):
                yield part.latex, isinstance(block, Display), start


def _found(part: Math | CodeSpan, source: str, at: int) -> tuple[int, int]:
    """Where a part stands in the source at or after a place; line breaks in it became spaces."""
    text, mark = (part.latex, r"\$") if isinstance(part, Math) else (part.text, "`")
    words = r"\s+".join(re.escape(word) for word in text.split())
    match = re.compile(rf"{mark}\s*({words})\s*{mark}").search(source, at)
    return (match.start(1), match.end()) if match else (at, at)


def faults(text: str) -> tuple[NotationError, ...]:
    """All that some output cannot read or draw; empty where the text is sound.

    The errors' offsets are those of the cleaned text. A text whose blocks cannot be read gives the
    one fault that stopped the reading.
    """
    source = clean(text)
    out: list[NotationError] = []
    try:
        for latex, display, start in formulas(source):
            if fault := formula_fault(latex, display):
                out.append(NotationError(fault.text, source, start + fault.offset))
    except NotationError as fault:
        out.append(fault)
    return tuple(out)


def formula_fault(latex: str, display: bool = False) -> NotationError | None:
    """What keeps a formula from being drawn in every output, None where nothing does."""
    try:
        layout(latex)
        one_line(latex)
        mathml(latex, display)
        typst(latex, display)
    except NotationError as fault:
        return fault
    return None
