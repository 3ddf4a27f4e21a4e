"""Colours for matrices: few and perceptually even, so that a redraw sends little over a slow line."""

from __future__ import annotations

from functools import cache

SEQUENTIAL_LEVELS = 24
DIVERGING_LEVELS = 25
"""Odd: zero has a level of its own."""

_SEQUENTIAL = ("#1d1147", "#2f4f97", "#1f8f96", "#63c466", "#f6e646")
_DIVERGING = ("#0f3d80", "#4f8fce", "#f1f1f1", "#d9813f", "#7d330c")

OUTLINE = "#ff3fd2"
"""In neither palette: cells pointed out where there is no room for brackets."""


@cache
def palette(diverging: bool) -> tuple[str, ...]:
    """Hex colours from low to high, evenly spaced in OKLab between the anchors."""
    anchors = [_to_oklab(_linear(colour)) for colour in (_DIVERGING if diverging else _SEQUENTIAL)]
    levels = DIVERGING_LEVELS if diverging else SEQUENTIAL_LEVELS
    colours = []
    for level in range(levels):
        along = level / (levels - 1) * (len(anchors) - 1)
        index = min(int(along), len(anchors) - 2)
        share = along - index
        mixed = tuple(a + (b - a) * share for a, b in zip(anchors[index], anchors[index + 1], strict=True))
        colours.append(_hex(_from_oklab(mixed)))
    return tuple(colours)


@cache
def ink_on(colour: str) -> str:
    """Black or white, whichever reads better on the colour."""
    return "#000000" if luminance(colour) > 0.179 else "#ffffff"


def luminance(colour: str) -> float:
    """Relative luminance of an sRGB colour (WCAG 2.2)."""
    red, green, blue = _linear(colour)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _linear(colour: str) -> tuple[float, ...]:
    channels = (int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5))
    return tuple(c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)


def _hex(linear: tuple[float, ...]) -> str:
    clipped = (min(max(c, 0.0), 1.0) for c in linear)
    encoded = (12.92 * c if c <= 0.0031308 else 1.055 * c ** (1 / 2.4) - 0.055 for c in clipped)
    return "#" + "".join(f"{round(c * 255):02x}" for c in encoded)


# Ottosson 2020, "A perceptual color space for image processing": linear sRGB to OKLab and back.
def _to_oklab(rgb: tuple[float, ...]) -> tuple[float, ...]:
    r, g, b = rgb
    long = (0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b) ** (1 / 3)
    medium = (0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b) ** (1 / 3)
    short = (0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b) ** (1 / 3)
    return (
        0.2104542553 * long + 0.7936177850 * medium - 0.0040720468 * short,
        1.9779984951 * long - 2.4285922050 * medium + 0.4505937099 * short,
        0.0259040371 * long + 0.7827717662 * medium - 0.8086757660 * short,
    )


def _from_oklab(lab: tuple[float, ...]) -> tuple[float, ...]:
    lightness, a, b = lab
    long = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3
    medium = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3
    short = (lightness - 0.0894841775 * a - 1.2914855480 * b) ** 3
    return (
        4.0767416621 * long - 3.3077115913 * medium + 0.2309699292 * short,
        -1.2684380046 * long + 2.6097574011 * medium - 0.3413193965 * short,
        -0.0041960863 * long - 0.7034186147 * medium + 1.7076147010 * short,
    )
