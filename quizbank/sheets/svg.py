"""Figures as SVG: one string, no script, nothing from outside, legible on light and dark.

Colours are CSS variables with fallbacks, so a page can set them; roles also differ by dash
pattern and marker, never by colour alone.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from html import escape

import numpy as np

from engine.figure import Axis, Bars, Figure, Floats, HeatMap, Line, Mark, Plot, Points, Role, Rule
from engine.notation.wide import width
from engine.text import Language, Text
from engine.ticks import EXTREME, axis_range, number, ticks

WIDTH, HEIGHT = 640, 360
LEFT, RIGHT, TOP, BOTTOM = 74, 14, 12, 46

_COLOUR: dict[Role, str] = {
    "measured": "var(--measured, #0f6cbd)",
    "predicted": "var(--predicted, #b5540a)",
    "popular": "var(--popular, #c0182e)",
    "bound": "var(--bound, #6b6b6b)",
    "other": "var(--other, #17803d)",
    "context": "var(--context, #9a9a9a)",
}
_DASH: dict[Role, str] = {
    "measured": "",
    "predicted": "7 4",
    "popular": "2 4",
    "bound": "10 3 2 3",
    "other": "14 3",
    "context": "1 3",
}


@dataclass(frozen=True)
class _Frame:
    """Maps values to pixels over two axes."""

    x: Axis
    y: Axis
    x_low: float
    x_high: float
    y_low: float
    y_high: float

    def px(self, values: Floats) -> Floats:
        share = _share(values, self.x_low, self.x_high, self.x.scale)
        return LEFT + share * (WIDTH - LEFT - RIGHT)

    def py(self, values: Floats) -> Floats:
        share = _share(values, self.y_low, self.y_high, self.y.scale)
        return HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM)


def svg(figure: Figure, language: Language, colour: str = "currentColor") -> str:
    """The figure as one ``<svg>`` element with a title and a description for readers who cannot see it.

    ``colour`` is that of text and axes: the page's own, or a fixed one where the drawing stands
    apart from any page (an image).
    """
    match figure:
        case Plot():
            body, height = _plot(figure, language)
        case Bars():
            body, height = _bars(figure, language)
        case HeatMap():
            body, height = _heat_map(figure, language)
    name, seen = _text(figure.title, language), _text(figure.see, language)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img" '
        f'font-family="system-ui, sans-serif" font-size="12" fill="currentColor" color="{colour}" lang="{language}">'
        f"<title>{name}</title><desc>{seen}</desc>{body}</svg>"
    )


def _text(text: Text, language: Language) -> str:
    """The text, safe inside SVG: markup escaped, characters that XML forbids left out."""
    said = text.of(language)
    return escape(said if said.isprintable() else "".join(c for c in said if c.isprintable() or c == "\n"))


def _share(values: Floats, low: float, high: float, scale: str) -> Floats:
    values = np.clip(np.asarray(values, dtype=float), -EXTREME, EXTREME)
    if scale == "log":
        with np.errstate(divide="ignore", invalid="ignore"):
            values, low, high = np.log(values), math.log(low), math.log(high)
    share: Floats = (values - low) / (high - low)
    return share


# plots


def _plot(plot: Plot, language: Language) -> tuple[str, int]:
    frame = _frame(plot)
    parts = [_axes(frame, language)]
    parts += [_mark(mark, frame) for mark in plot.marks]
    legend, rows = _legend(plot.marks, language)
    parts.append(legend)
    return "".join(parts), HEIGHT + rows * 18


def _frame(plot: Plot) -> _Frame:
    x_low, x_high = _range(plot.x, [*_spans(plot.marks, "x")])
    y_low, y_high = _range(plot.y, [*_spans(plot.marks, "y")])
    return _Frame(plot.x, plot.y, x_low, x_high, y_low, y_high)


def _spans(marks: tuple[Mark, ...], axis: str) -> list[Floats]:
    spans: list[Floats] = []
    for mark in marks:
        if isinstance(mark, Rule):
            if mark.axis == axis:
                spans.append(np.array([mark.at]))
            continue
        spans.append(np.asarray(mark.x if axis == "x" else mark.y, dtype=float))
        if axis == "y" and isinstance(mark, Line) and mark.band is not None:
            spans.extend(mark.band)
    return spans


def _range(axis: Axis, spans: list[Floats]) -> tuple[float, float]:
    values = np.concatenate([np.ravel(span) for span in spans]) if spans else np.array([])
    return axis_range(axis, values, margin=0.04)


def _axes(frame: _Frame, language: Language) -> str:
    right, bottom = WIDTH - RIGHT, HEIGHT - BOTTOM
    parts = [
        f'<rect x="{LEFT}" y="{TOP}" width="{right - LEFT}" height="{bottom - TOP}" fill="none" '
        'stroke="currentColor" stroke-opacity=".35"/>'
    ]
    along = ticks(frame.x_low, frame.x_high, frame.x.scale, 7)
    for tick, at in zip(along, frame.px(np.array([tick.at for tick in along])).tolist(), strict=True):
        parts.append(f'<path d="M{at:.1f} {bottom}v4" stroke="currentColor"/>')
        parts.append(f'<text x="{at:.1f}" y="{bottom + 17}" text-anchor="middle">{escape(tick.label)}</text>')
    upwards = ticks(frame.y_low, frame.y_high, frame.y.scale, 6)
    for tick, at in zip(upwards, frame.py(np.array([tick.at for tick in upwards])).tolist(), strict=True):
        parts.append(f'<path d="M{LEFT} {at:.1f}H{right}" stroke="currentColor" stroke-opacity=".1"/>')
        parts.append(f'<text x="{LEFT - 7}" y="{at + 4:.1f}" text-anchor="end">{escape(tick.label)}</text>')
    middle = (TOP + bottom) / 2
    parts.append(
        f'<text x="{(LEFT + right) / 2}" y="{bottom + 37}" text-anchor="middle">{_text(frame.x.label, language)}</text>'
        f'<text transform="translate(15 {middle}) rotate(-90)" text-anchor="middle">{_text(frame.y.label, language)}</text>'
    )
    return "".join(parts)


def _mark(mark: Mark, frame: _Frame) -> str:
    match mark:
        case Line():
            band = ""
            if mark.band is not None:
                lower, upper = (np.asarray(edge, dtype=float) for edge in mark.band)
                x = np.concatenate([mark.x, mark.x[::-1]])
                y = np.concatenate([lower, upper[::-1]])
                band = f'<path d="{_path(x, y, frame)}Z" fill="{_COLOUR[mark.role]}" fill-opacity=".15"/>'
            return band + _stroke(_path(mark.x, mark.y, frame), mark.role)
        case Points():
            return "".join(_dots(mark, frame))
        case Rule():
            ends = (
                (np.array([mark.at] * 2), np.array([frame.y_low, frame.y_high]))
                if mark.axis == "x"
                else (np.array([frame.x_low, frame.x_high]), np.array([mark.at] * 2))
            )
            return _stroke(_path(*ends, frame), mark.role)


def _stroke(path: str, role: Role) -> str:
    dash = f' stroke-dasharray="{_DASH[role]}"' if _DASH[role] else ""
    return f'<path d="{path}" fill="none" stroke="{_COLOUR[role]}" stroke-width="2"{dash}/>'


def _path(x: Floats, y: Floats, frame: _Frame) -> str:
    """An SVG path, clipped to the frame's height, with a gap wherever a value is not finite."""
    px, py = frame.px(np.asarray(x, dtype=float)), frame.py(np.asarray(y, dtype=float))
    py = np.clip(py, TOP, HEIGHT - BOTTOM)
    # what is not finite stands by itself between commas, so that each piece of the line is a run without any
    points = [
        f"{a:.1f} {b:.1f}" if math.isfinite(a) and math.isfinite(b) else ","
        for a, b in zip(px.tolist(), py.tolist(), strict=True)
    ]
    return "".join(f"M{piece.strip('L')}" for piece in "L".join(points).split(",") if piece.strip("L"))


def _dots(mark: Points, frame: _Frame) -> list[str]:
    px, py = frame.px(np.asarray(mark.x, dtype=float)), frame.py(np.asarray(mark.y, dtype=float))
    return [
        f'<circle cx="{a:.1f}" cy="{b:.1f}" r="3" fill="{_COLOUR[mark.role]}"/>'
        for a, b in zip(px.tolist(), py.tolist(), strict=True)
        if math.isfinite(a) and math.isfinite(b) and TOP <= b <= HEIGHT - BOTTOM
    ]


def _legend(marks: tuple[Mark, ...], language: Language) -> tuple[str, int]:
    """Two entries a row under the plot, one where a name is long; (elements, rows)."""
    parts = []
    columns = 1 if any(_wide(mark.name, language) > 245 for mark in marks) else 2
    for index, mark in enumerate(marks):
        row, column = divmod(index, columns)
        x, y = LEFT + column * 280, HEIGHT + 6 + row * 18
        if isinstance(mark, Points):
            sample = f'<circle cx="{x + 12}" cy="{y}" r="3" fill="{_COLOUR[mark.role]}"/>'
        else:
            sample = _stroke(f"M{x} {y}h24", mark.role)
        parts.append(f'{sample}<text x="{x + 32}" y="{y + 4}">{_text(mark.name, language)}</text>')
    return "".join(parts), -(-len(marks) // columns)


def _wide(text: Text, language: Language) -> float:
    """About how wide a label is, in pixels: a hanzi takes 12, a letter half of that on average."""
    return 6.2 * width(text.of(language))


# bars


def _bars(bars: Bars, language: Language) -> tuple[str, int]:
    row = 26
    left = max(220, min(340, 16 + max(_wide(bar.label, language) for bar in bars.bars)))
    bottom = TOP + row * len(bars.bars)
    ends = np.array(
        [bar.value + bar.error for bar in bars.bars] + [bar.value - bar.error for bar in bars.bars]
    )
    axis = bars.value
    if axis.scale == "log":
        low, high = _range(axis, [ends, ends / 3])
    else:
        low, high = _range(axis, [ends, np.array([0.0])])
        low = min(low, 0.0) if float(ends.min()) < 0 else (axis.low if axis.low is not None else 0.0)

    def at(value: float) -> float:
        share = float(_share(np.array([value]), low, high, axis.scale)[0])
        return left + min(1.0, max(0.0, share if math.isfinite(share) else 0.0)) * (WIDTH - left - 84)

    zero = at(low if axis.scale == "log" else max(low, 0.0))
    parts = []
    for index, bar in enumerate(bars.bars):
        y, end = TOP + index * row, at(bar.value)
        # the number stands clear of the bar and of its interval
        past = max(zero, end, at(bar.value + bar.error))
        parts.append(
            f'<text x="{left - 8}" y="{y + 17}" text-anchor="end">{_text(bar.label, language)}</text>'
            f'<rect x="{min(zero, end):.1f}" y="{y + 4}" width="{abs(end - zero):.1f}" height="18" '
            f'fill="{_COLOUR[bar.role]}" fill-opacity=".75"/>'
            f'<text x="{past + 6:.1f}" y="{y + 17}">{escape(number(bar.value))}</text>'
        )
        if bar.error:
            a, b = at(bar.value - bar.error), at(bar.value + bar.error)
            parts.append(f'<path d="M{a:.1f} {y + 13}H{b:.1f}" stroke="currentColor" stroke-width="2"/>')
    parts.append(
        f'<text x="{(left + WIDTH) / 2}" y="{bottom + 22}" text-anchor="middle">{_text(axis.label, language)}</text>'
    )
    return "".join(parts), bottom + 34


# heat maps


def _heat_map(heat: HeatMap, language: Language) -> tuple[str, int]:
    rows, columns = heat.values.shape
    left = max(110, min(200, 12 + max(_wide(label, language) for label in heat.rows))) if heat.rows else 20
    cell = min((WIDTH - left - 90) / columns, 320 / rows)
    low, high = _heat_range(heat)
    parts = []
    begins = [f'<rect x="{left + column * cell:.1f}" y="' for column in range(columns)]
    size = f'" width="{cell + 0.3:.1f}" height="{cell + 0.3:.1f}" fill="'
    for row, values in enumerate(heat.values.tolist()):
        at = f"{TOP + row * cell:.1f}{size}"
        for begin, value in zip(begins, values, strict=True):
            parts.append(f'{begin}{at}{_heat_colour(float(value), low, high, heat.diverging)}"/>')
    for row, column in heat.outline:
        parts.append(
            f'<rect x="{left + column * cell:.1f}" y="{TOP + row * cell:.1f}" width="{cell:.1f}" height="{cell:.1f}" '
            'fill="none" stroke="currentColor" stroke-width="2"/>'
        )
    parts += [
        f'<text x="{left - 6}" y="{TOP + (row + 0.5) * cell + 4:.1f}" text-anchor="end">{_text(label, language)}</text>'
        for row, label in enumerate(heat.rows)
        if cell >= 10 or row % math.ceil(12 / cell) == 0
    ]
    bottom = TOP + rows * cell
    parts += [
        f'<text x="{left + (column + 0.5) * cell:.1f}" y="{bottom + 15:.1f}" text-anchor="middle">{_text(label, language)}</text>'
        for column, label in enumerate(heat.columns)
        if cell >= 24 or column % math.ceil(40 / cell) == 0
    ]
    return "".join(parts) + _scale_bar(low, high, heat.diverging), math.ceil(bottom + 26)


def _heat_range(heat: HeatMap) -> tuple[float, float]:
    low, high = axis_range(Axis(heat.title, low=heat.low, high=heat.high), heat.values)
    reach = max(abs(low), abs(high))
    return (-reach, reach) if heat.diverging else (low, high)


def _heat_colour(value: float, low: float, high: float, diverging: bool) -> str:
    """Light to dark blue; or red over white to blue. Not-a-number is grey."""
    if not math.isfinite(value):
        return "#999999"
    share = min(1.0, max(0.0, (value - low) / (high - low)))
    if not diverging:
        return _mix((247, 251, 255), (8, 48, 107), share)
    if share < 0.5:
        return _mix((178, 24, 43), (247, 247, 247), share * 2)
    return _mix((247, 247, 247), (33, 102, 172), share * 2 - 1)


def _mix(start: tuple[int, int, int], end: tuple[int, int, int], share: float) -> str:
    red, green, blue = (round(a + (b - a) * share) for a, b in zip(start, end, strict=True))
    return f"#{red:02x}{green:02x}{blue:02x}"


def _scale_bar(low: float, high: float, diverging: bool) -> str:
    steps, height, x = 20, 160, WIDTH - 70
    parts = [
        f'<rect x="{x}" y="{TOP + index * height / steps:.1f}" width="12" height="{height / steps + 0.3:.1f}" '
        f'fill="{_heat_colour(high - (index + 0.5) * (high - low) / steps, low, high, diverging)}"/>'
        for index in range(steps)
    ]
    parts.append(f'<text x="{x + 16}" y="{TOP + 10}">{escape(number(high))}</text>')
    parts.append(f'<text x="{x + 16}" y="{TOP + height}">{escape(number(low))}</text>')
    return "".join(parts)
