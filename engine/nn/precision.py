"""Storing numbers in a short floating format: rounding to its significand, values kept as float64."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Format:
    """A binary floating format: bits of the significand (the hidden one counted), exponent of the least normal number."""

    name: str
    significand: int
    least_exponent: int

    @property
    def unit_roundoff(self) -> float:
        """u with |stored(x) - x| <= u |x| for normal numbers. Higham 2002, theorem 2.2."""
        # u = 2^-p
        return 2.0**-self.significand

    @property
    def underflow(self) -> float:
        """Largest error below the normal numbers: half the distance of the subnormal ones."""
        # eta = 2^{e_min - p}
        return 2.0 ** (self.least_exponent - self.significand)


FORMATS = {
    form.name: form
    for form in (
        Format("float64", 53, -1022),
        Format("float32", 24, -126),
        Format("bfloat16", 8, -126),
        Format("float16", 11, -14),
    )
}
"""IEEE 754-2019, table 3.5; bfloat16 keeps float32's exponents and eight bits of its significand."""


def stored(x: Floats, form: Format) -> Floats:
    """The nearest numbers of the format, ties to even, same shape. Overflow is the caller's: exponents are not cut off.

    Source: IEEE 754-2019, section 4.3.1.
    """
    _, exponent = np.frexp(x)  # |x| = f 2^e, f in [1/2, 1)
    # spacing of the format at x: 2^{e - p}, and never below that of the subnormal numbers
    step = np.ldexp(1.0, np.maximum(exponent - form.significand, form.least_exponent - form.significand + 1))
    # x -> step * rint(x / step)
    rounded: Floats = np.rint(x / step) * step  # x's shape
    return rounded
