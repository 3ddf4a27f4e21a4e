"""A terminal without colour: bold, underlined and reversed say what colours say elsewhere, and nothing else is sent.

Textual's own way with ``NO_COLOR`` turns colours to greys, which are colours still.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from rich.segment import Segment
from rich.style import Style
from textual.color import Color
from textual.filter import LineFilter

STANDS_OUT = 1.8
"""Contrast of two grounds from which on one is meant to be seen against the other: a cursor or a selection, no panel."""


class WithoutColour(LineFilter):
    """Takes every colour away; what stood on a ground that stands out from the page's is reversed instead."""

    def __init__(self, ground: Callable[[], Color]) -> None:
        super().__init__()
        self._ground = ground

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        ground = self._ground()
        return [
            Segment(text, None if style is None else without_colour(style, ground), control)
            for text, style, control in segments
        ]


@lru_cache(4096)
def without_colour(style: Style, ground: Color) -> Style:
    """The style with its attributes, but no colour; reversed if it stands out from ``ground``."""
    behind = style.color if style.reverse else style.bgcolor
    if behind is None or behind.is_default:
        return style.without_color
    reverse = contrast(Color.from_rich_color(behind), ground) >= STANDS_OUT
    return style.without_color + Style(reverse=reverse)


def contrast(one: Color, other: Color) -> float:
    """The contrast ratio of two opaque colours, 1 to 21 (WCAG 2.2, relative luminance)."""
    low, high = sorted((_luminance(one), _luminance(other)))
    return (high + 0.05) / (low + 0.05)


def _luminance(colour: Color) -> float:
    from tui.drawing.palette import luminance

    return luminance(colour.hex6)
