"""The 21 weights of FSRS 6 as a person's settings may hold them."""

from __future__ import annotations

import math
from collections.abc import Sequence

LEAST = (
    0.001, 0.001, 0.001, 0.001, 1.0, 0.001, 0.001, 0.001, 0.0, 0.0, 0.001, 0.001, 0.001, 0.001, 0.0, 0.0, 1.0,
    0.0, 0.0, 0.0, 0.1,
)  # fmt: skip
MOST = (
    100.0, 100.0, 100.0, 100.0, 10.0, 4.0, 4.0, 0.75, 4.5, 0.8, 3.5, 5.0, 0.25, 0.9, 4.0, 1.0, 6.0, 2.0, 2.0,
    0.8, 0.8,
)  # fmt: skip
"""The bounds that py-fsrs 6.3 holds each weight to (a test compares them)."""


def are_usable(weights: Sequence[object]) -> bool:
    """Whether these are 21 numbers, each within its bounds."""
    if len(weights) != len(LEAST):
        return False
    return all(
        isinstance(weight, int | float)
        and not isinstance(weight, bool)
        and math.isfinite(weight)
        and low <= weight <= high
        for weight, low, high in zip(weights, LEAST, MOST, strict=True)
    )
