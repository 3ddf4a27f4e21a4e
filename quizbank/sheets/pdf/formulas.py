"""Formulas in Typst, each read once on this machine: reading them takes as long as all else that writes a source."""

from __future__ import annotations

from functools import cache
from importlib.metadata import version
from pathlib import Path

from engine.notation.breadth import breadth
from engine.notation.typst import broken, typst
from quizbank.card_cache import digest
from quizbank.sheets.memo import Memo

_ROOM = 37.0
"""The narrowest place of a formula, in em: beside the number of a step in a sheet of one language on A4."""


@cache
def _code() -> str:
    return f"{version('math-core')}-{digest(Path(__file__).read_bytes())[:16]}"


# the whole bank has some four thousand
KNOWN: Memo[str] = Memo("formulas", _code, 20_000)


def drawn(latex: str, display: bool = False) -> str:
    """A formula in a text; or on lines of its own (``display``), with pieces to break it into where it may be too wide.

    Raises:
        NotationError: the formula is outside the subset.
    """
    return KNOWN.get(f"{latex}\n{display:d}", lambda: _alone(latex) if display else typst(latex))


def _alone(latex: str) -> str:
    if breadth(latex, True) <= _ROOM:
        return f"#formula({typst(latex, True)})"
    pieces = broken(latex)
    rest = "".join(f", {piece}" for piece in pieces) if len(pieces) > 1 else ""
    return f"#fit({typst(latex, True)}{rest})"
