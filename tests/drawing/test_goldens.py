"""Every kind of figure, as it is drawn without colour; the pictures are in ``golden``, to be looked at.

``PROOFDECK_WRITE_GOLDENS=1`` writes them anew.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from engine.text import LANGUAGES
from tests.drawing.samples import SAMPLES
from tui.drawing import figure_rows, plain_text
from tui.drawing.medium import Colours

GOLDEN = Path(__file__).parent / "golden"
SIZES = ((60, 16), (80, 20), (24, 8))


@pytest.mark.parametrize("colours", ["none", "full"])
@pytest.mark.parametrize("name", SAMPLES)
def test_as_in_the_golden_file(name: str, colours: Colours) -> None:
    figure = SAMPLES[name]
    pictures = []
    for width, height in SIZES:
        for language in LANGUAGES:
            rows = figure_rows(figure, width, height, language, colours)
            pictures.append(f"{width}x{height} {language} {'-' * (width - 9)}\n{plain_text(rows)}\n")
    drawn = "\n".join(pictures)
    path = GOLDEN / f"{name}.{colours}.txt"
    if os.environ.get("PROOFDECK_WRITE_GOLDENS"):
        GOLDEN.mkdir(exist_ok=True)
        path.write_text(drawn, encoding="utf-8")
    assert drawn == path.read_text(encoding="utf-8")
