"""Figures for paper: drawn once, with their labels in every language of the sheet."""

from __future__ import annotations

import re
from collections.abc import Sequence

from engine.text import Language
from quizbank.sheets.pdf.fonts import SANS
from quizbank.sheets.picture import Picture

INK = "#1b1d21"

# the colours that a page may choose; what a label says has its quotes escaped, so this is never a label
_VARIABLE = re.compile(r'="var\(--[a-z]+, (#[0-9a-f]{6})\)"')
_FACE = 'font-family="system-ui, sans-serif"'


def settled(picture: Picture, languages: Sequence[Language]) -> str:
    """The figure as SVG, with settled colours and the font that the sheet brings."""
    return _VARIABLE.sub(r'="\1"', picture.svg(languages, INK)).replace(_FACE, f'font-family="{SANS}"', 1)
