"""What formulas look like in the terminal, as pictures in plain text files.

``PROOFDECK_WRITE_GOLDENS=1`` writes them anew; then each changed file has to be looked at.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from engine.notation.line import one_line
from engine.notation.terminal import layout
from tests.notation.formulas import FORMULAS

GOLDEN = Path(__file__).parent / "golden"


def picture(latex: str) -> str:
    """The formula whole, on one line, and broken at 40 cells where it is wider; ``|`` marks the edge."""
    whole = layout(latex)
    parts = [
        latex,
        *(f"{row}|" for row in whole.rows),
        f"baseline {whole.baseline}",
        "one line",
        one_line(latex),
    ]
    if whole.width > 40:
        parts += ["at most 40 cells", *(f"{row}|" for row in layout(latex, 40).rows)]
    return "\n".join(parts) + "\n"


@pytest.mark.parametrize("name", FORMULAS)
def test_formula_looks_as_it_did_when_it_was_judged_right(name: str) -> None:
    path = GOLDEN / f"{name}.txt"
    drawn = picture(FORMULAS[name])
    if os.environ.get("PROOFDECK_WRITE_GOLDENS") == "1":
        path.write_text(drawn, encoding="utf-8")
    assert drawn == path.read_text(encoding="utf-8")


def test_no_golden_is_left_over() -> None:
    assert {path.stem for path in GOLDEN.glob("*.txt")} == set(FORMULAS)
