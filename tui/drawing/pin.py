"""Comparing two settings: the figure of now over the one that was pinned."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import chain

import numpy as np

from engine.figure import Axis, Bars, Figure, HeatMap, Plot, Rule
from engine.text import Text

_PINNED = Text("pinned: {name}", "已固定：{name}")
_CHANGE = Text("{title}: change since pinned", "{title}：与固定时之差")


def over_pinned(figure: Figure, pinned: Figure) -> Figure:
    """``figure`` with the pinned curves, points or bars behind it; of two matrices, their difference.

    Figures of different kinds, and matrices of different shapes, cannot be compared: ``figure``
    comes back as it is.
    """
    match figure, pinned:
        case Plot(), Plot():
            behind = tuple(
                replace(mark, name=_named(mark.name), role="context")
                for mark in pinned.marks
                if not isinstance(mark, Rule) and mark.role in ("measured", "other")
            )
            return replace(
                figure,
                x=_holding(figure.x, pinned.x),
                y=_holding(figure.y, pinned.y),
                marks=(*behind, *figure.marks),
            )
        case Bars(), Bars() if len(figure.bars) == len(pinned.bars):
            earlier = (replace(bar, label=_named(bar.label), role="context") for bar in pinned.bars)
            return replace(
                figure,
                value=_holding(figure.value, pinned.value),
                bars=tuple(chain(*zip(figure.bars, earlier, strict=True))),
            )
        case HeatMap(), HeatMap() if np.shape(figure.values) == np.shape(pinned.values):
            with np.errstate(invalid="ignore"):
                change = figure.values - pinned.values
            title = Text(
                *(words.format(title=name) for words, name in zip(_CHANGE, figure.title, strict=True))
            )
            return replace(figure, title=title, values=change, low=None, high=None, diverging=True)
    return figure


def _holding(axis: Axis, pinned: Axis) -> Axis:
    """``axis`` with room for what was drawn along ``pinned``: an end that one leaves to the data stays so."""

    def end(own: float | None, other: float | None, further: Callable[[float, float], float]) -> float | None:
        return None if own is None or other is None else further(own, other)

    return replace(axis, low=end(axis.low, pinned.low, min), high=end(axis.high, pinned.high, max))


def _named(name: Text) -> Text:
    return Text(*(words.format(name=one) for words, one in zip(_PINNED, name, strict=True)))
