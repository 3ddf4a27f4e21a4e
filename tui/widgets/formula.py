"""A formula in two dimensions, broken at its relations where it is wider than there is room."""

from __future__ import annotations

from collections.abc import Sequence

from engine.errors import InputError
from engine.notation.terminal import layout
from tui.drawing.rows import clean


def formula_rows(latex: str, width: int) -> Sequence[str]:
    """The formula's rows; what is outside the subset stands as its LaTeX, so nothing is ever hidden."""
    if not latex:
        return ()
    try:
        return layout(latex, max(width, 1)).rows
    except InputError:
        return (clean(latex),)
