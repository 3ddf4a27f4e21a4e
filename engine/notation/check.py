"""Every fault of a text's notation in one pass, for the loader, ``lint`` and ``check``."""

from __future__ import annotations

import re
from collections.abc import Iterator

from engine.notation.error import NotationError
from engine.notation.line import one_line
from engine.notation.mathml import mathml
from engine.notation.prose import Display, ListItem, Math, Paragraph, clean, parse_prose
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
        found: list[tuple[str, bool]] = []
        if isinstance(block, Display):
            found.append((block.latex, True))
        elif isinstance(block, Paragraph | ListItem):
            found.extend((span.latex, False) for span in block.spans if isinstance(span, Math))
        for latex, display in found:
            # a formula broken over lines was joined with spaces
            pattern = r"\s+".join(re.escape(word) for word in latex.split())
            match = re.compile(r"\$\s*(" + pattern + r")\s*\$").search(source, at)
            start = match.start(1) if match else at
            at = match.end(1) if match else at
            yield latex, display, start


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
