"""Figures drawn as rows of text for a terminal: for the app's widgets and for the shell alike.

Nothing here imports Textual, and NumPy is loaded only when a figure, which holds arrays, is drawn.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.text import Language
from tui.drawing.medium import Colours, Medium
from tui.drawing.rows import Row, plain_text

if TYPE_CHECKING:
    from engine.figure import Figure

__all__ = ["Colours", "Row", "figure_rows", "plain_text"]


def figure_rows(
    figure: Figure,
    width: int,
    height: int,
    language: Language,
    colours: Colours = "full",
    *,
    ambiguous_wide: bool = False,
) -> list[Row]:
    """The figure as at most ``height`` rows, each exactly ``width`` cells wide.

    A row is a list of (text, style) runs; a style is a Rich style definition, empty for plain text.
    Small sizes drop axis titles, then the legend, then the labels; no size raises. The figure's
    ``see`` sentence is left to the caller, who knows how to set prose.

    ``colours``: ``full`` for 24-bit or 256 colours, ``16`` for the terminal's own, ``none`` for no
    colour at all; every distinction is made by shape as well. ``ambiguous_wide``: the terminal draws
    characters of ambiguous width two cells wide, so only safe ones are used.
    """
    if width < 1 or height < 1:
        return []
    from engine.figure import Bars, HeatMap
    from tui.drawing.bars import bars_rows
    from tui.drawing.heatmap import heatmap_rows
    from tui.drawing.plot import plot_rows

    medium = Medium(language, colours, ambiguous_wide)
    match figure:
        case HeatMap():
            return heatmap_rows(figure, width, height, medium)
        case Bars():
            return bars_rows(figure, width, height, medium)
        case _:
            return plot_rows(figure, width, height, medium)
