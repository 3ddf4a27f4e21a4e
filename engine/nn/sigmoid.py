"""The logistic sigmoid, the squashing function of every gate."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Numbers: TypeAlias = NDArray[Any]
"""Floating or complex: a complex forward pass carries a derivative in its imaginary part."""

# exp(-a) beyond the largest float is infinite and the sigmoid 0: the right value, and nothing to warn of
SATURATES = np.errstate(over="ignore", under="ignore")


@SATURATES
def sigmoid(a: Numbers) -> Numbers:
    """σ(a), same shape, in [0, 1]: relative accuracy in the left tail too, exactly 1 in float64 beyond a ≈ 36.7."""
    # sigma(a) = 1 / (1 + e^{-a})
    out: Numbers = 1.0 / (1.0 + np.exp(-a))
    return out


def sigmoid_slope(gate: Numbers) -> Numbers:
    """σ'(a) from ``gate`` = σ(a), same shape: at most 1/4."""
    # sigma' = sigma (1 - sigma)
    return gate * (1.0 - gate)


def logit(gate: float) -> float:
    """The pre-activation whose sigmoid is ``gate``, 0 < gate < 1."""
    # a = ln(s / (1 - s))
    return float(np.log(gate) - np.log1p(-gate))
