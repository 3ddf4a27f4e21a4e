"""Figures for paper: drawn once, with their labels in every language of the sheet."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import fields, is_dataclass, replace
from typing import Any

from engine.figure import Figure
from engine.text import Language, Text, same
from quizbank.sheets.document import spoken
from quizbank.sheets.pdf.fonts import SANS
from quizbank.sheets.svg import svg

INK = "#1b1d21"

# the colours that a page may choose; what a label says has its quotes escaped, so this is never a label
_VARIABLE = re.compile(r'="var\(--[a-z]+, (#[0-9a-f]{6})\)"')
_FACE = 'font-family="system-ui, sans-serif"'


def drawn(figure: Figure, languages: Sequence[Language]) -> str:
    """The figure as SVG, with settled colours and the font that the sheet brings."""
    joined = _joined(figure, languages)
    picture = svg(joined, languages[0], colour=INK)
    return _VARIABLE.sub(r'="\1"', picture).replace(_FACE, f'font-family="{SANS}"', 1)


def _joined(part: Any, languages: Sequence[Language]) -> Any:
    """The same part with each of its texts in all the languages at once."""
    if isinstance(part, Text):
        return same(" · ".join(text for _, text in spoken(part, languages)))
    if isinstance(part, tuple):
        return tuple(_joined(each, languages) for each in part)
    if is_dataclass(part) and not isinstance(part, type):
        return replace(part, **{f.name: _joined(getattr(part, f.name), languages) for f in fields(part)})
    return part
