"""How each role of a series looks, so that "predicted" looks the same in every figure.

Colour is never the only difference: each role has a marker, a dash and a filling of its own. The
24-bit colours all have a relative luminance near 0.185, which gives a contrast of at least 3.3 to 1
both on Textual's dark ground and on its light one, and are told apart by hue (blue against orange
first, which every common kind of colour blindness keeps apart).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.text import Text
from tui.drawing.medium import Medium

if TYPE_CHECKING:
    from engine.figure import Role


@dataclass(frozen=True)
class RoleLook:
    """One role's look. The tuples are cycled through where several series share the role.

    ``dash``: dots drawn, dots left out, and so on along a curve; empty for a solid one.
    ``on_line``: whether a curve carries its marker as well (for the first series, and for later ones).
    """

    words: Text
    markers: tuple[str, ...]
    dash: tuple[int, ...]
    on_line: tuple[bool, bool]
    fill: str
    full: tuple[str, ...]
    ansi: tuple[str, ...]
    depth: int


ROLES: dict[Role, RoleLook] = {
    "context": RoleLook(
        Text("for reference", "参照"),
        markers=(".", ",", "'"),
        dash=(1, 2),
        on_line=(False, False),
        fill="░",
        full=("#777777",),
        ansi=("bright_black",),
        depth=0,
    ),
    "bound": RoleLook(
        Text("bound", "界"),
        markers=("─", "=", "_"),
        dash=(5, 2, 1, 2),
        on_line=(False, False),
        fill="─",
        full=("#8d5fd1", "#606cdd"),
        ansi=("cyan", "cyan"),
        depth=1,
    ),
    "popular": RoleLook(
        Text("popular claim", "流行说法"),
        markers=("×", "*", "%"),
        dash=(1, 1),
        on_line=(True, True),
        fill="×",
        full=("#cf4852", "#bc4d9d"),
        ansi=("red", "magenta"),
        depth=2,
    ),
    "predicted": RoleLook(
        Text("predicted", "预测"),
        markers=("◇", "□", "△", "▽"),
        dash=(4, 3),
        on_line=(False, True),
        fill="▒",
        full=("#b8600c", "#977108", "#bc4d9d", "#cf4852"),
        ansi=("magenta", "yellow", "red", "green"),
        depth=3,
    ),
    "other": RoleLook(
        Text("another measurement", "另一项实测"),
        markers=("○", "+", "x", "&"),
        dash=(),
        on_line=(True, True),
        fill="▓",
        full=("#088a3f", "#088580", "#977108", "#606cdd"),
        ansi=("green", "cyan", "yellow", "bright_blue"),
        depth=4,
    ),
    "measured": RoleLook(
        Text("measured", "实测"),
        markers=("●", "■", "▲", "◆"),
        dash=(),
        on_line=(True, True),
        fill="█",
        full=("#047ad1", "#088580", "#8d5fd1", "#088a3f"),
        ansi=("bright_blue", "cyan", "magenta", "green"),
        depth=5,
    ),
}


@dataclass(frozen=True)
class Pen:
    """What one series is drawn with, on one medium."""

    style: str
    marker: str
    dash: tuple[int, ...]
    marks_line: bool
    fill: str
    depth: int


def pen(role: Role, occurrence: int, medium: Medium) -> Pen:
    """The pen of the ``occurrence``-th series (from 0) that has this role in one figure."""
    look = ROLES[role]
    return Pen(
        style=medium.pick(look.full[occurrence % len(look.full)], look.ansi[occurrence % len(look.ansi)]),
        marker=medium.glyph(look.markers[occurrence % len(look.markers)]),
        dash=look.dash,
        marks_line=look.on_line[min(occurrence, 1)],
        fill=medium.glyph(look.fill),
        depth=look.depth,
    )
