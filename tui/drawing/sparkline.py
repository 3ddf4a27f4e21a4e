"""A row of bars, one cell each."""

from __future__ import annotations

from collections.abc import Sequence

_BARS = "▁▂▃▄▅▆▇█"


def sparkline(shares: Sequence[float], most: int = 12) -> str:
    """The latest ``most`` of some shares from 0 to 1, as bars of an eighth to eight eighths of a row."""
    return "".join(
        _BARS[min(len(_BARS) - 1, int(min(max(share, 0.0), 1.0) * len(_BARS)))] for share in shares[-most:]
    )
