"""A figure of a demonstration as it stands in the lab, and beneath it the sentence that says what to see."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from engine.notation.wrap import wrap
from engine.text import Language, Text
from tui.drawing import Colours, Row, figure_rows
from tui.drawing.prose import laid
from tui.drawing.rows import clean, shorten

if TYPE_CHECKING:
    from engine.figure import Figure

FAULT = Text("This figure cannot be drawn: {error}", "无法绘制这幅图：{error}")

SEE = "see "
"""What the style of a run of the sentence begins with."""


class Frame(NamedTuple):
    """What the rows of a figure depend on beside the figure."""

    width: int
    height: int
    language: Language
    colours: Colours
    ambiguous_wide: bool


def framed_rows(figure: Figure, pinned: Figure | None, frame: Frame) -> list[Row]:
    """The figure, over a pinned one if there is any, and its sentence: rows that fill the frame.

    A figure that cannot be drawn is a line that says why.
    """
    height = frame.height
    # the sentence takes a quarter of the height at most; a longer one is cut, its figure is not
    most = max(1, height // 4) if height >= 4 else 0
    said = laid(figure.see.of(frame.language), frame.width)
    see: list[Row] = [[(text, SEE + kind) for text, kind in row] for row in said[:most]]
    if 0 < most < len(said):
        last = "".join(text for text, _ in see[-1])
        see[-1] = [(shorten(last, frame.width - 1).removesuffix("…") + "…", SEE + "text")]
    return [*_picture(figure, pinned, frame._replace(height=height - len(see))), *see]


def _picture(figure: Figure, pinned: Figure | None, frame: Frame) -> Sequence[Row]:
    width, height, language, colours, ambiguous_wide = frame
    try:
        if pinned is not None:
            from tui.drawing.pin import over_pinned

            figure = over_pinned(figure, pinned)
        return figure_rows(figure, width, height, language, colours, ambiguous_wide=ambiguous_wide)
    except Exception as error:  # a faulty figure is shown as a fault, and the app goes on
        said = FAULT.of(language).format(error=f"{type(error).__name__}: {error}")
        return [[(line, "bold")] for line in wrap(clean(said), width)]
