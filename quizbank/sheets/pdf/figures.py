"""Figures for paper: drawn once, with their labels in every language of the sheet."""

from __future__ import annotations

import re
from collections.abc import Sequence

from engine.figure import Figure
from engine.text import Language
from quizbank.sheets.beside import in_all
from quizbank.sheets.pdf.fonts import SANS
from quizbank.sheets.svg import svg

INK = "#1b1d21"

# the colours that a page may choose; what a label says has its quotes escaped, so this is never a label
_VARIABLE = re.compile(r'="var\(--[a-z]+, (#[0-9a-f]{6})\)"')
_FACE = 'font-family="system-ui, sans-serif"'


def drawn(figure: Figure, languages: Sequence[Language]) -> str:
    """The figure as SVG, with settled colours and the font that the sheet brings."""
    picture = svg(in_all(figure, languages), languages[0], colour=INK)
    return _VARIABLE.sub(r'="\1"', picture).replace(_FACE, f'font-family="{SANS}"', 1)
