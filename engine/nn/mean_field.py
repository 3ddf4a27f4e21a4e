"""The wide random recurrent network at rest: what its width H makes predictable.

h_t = φ(a_t), a_t = W h_{t-1} + u_t, with weights of mean 0 and variance gain²/H (independent, or a
random rotation times the gain) and an input drive u_t of independent normal entries. Sources:
Poole et al. 2016, section 2; Schoenholz et al. 2017, section 4 (there a new W at every layer).

The formulas take numbers, arrays or SymPy symbols: what a proof checks is what a prediction evaluates.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from engine.nn.recurrent import Activation


class MeanField(NamedTuple):
    """``rate``: the factor on a gradient's norm per step. ``slope_variance``: Var(φ'²)/E[φ'²]².
    ``memory``: E[φ']²/E[φ'²], what one step with slopes of their own leaves of two gradients' cosine."""

    rate: float
    slope_variance: float
    memory: float


def preactivation_variance(gain: Any, state_square: Any, drive: Any) -> Any:
    """Var(a) of a unit: states of mean square ``state_square``, a drive of deviation ``drive``."""
    # Var(a) = g^2 E[h^2] + sigma^2
    return gain**2 * state_square + drive**2


def squared_rate(gain: Any, slope_square: Any) -> Any:
    """E‖Jᵀδ‖² / ‖δ‖² of one step; ``slope_square`` is E[φ'(a)²]."""
    # chi = g^2 E[phi'(a)^2]
    return gain**2 * slope_square


def weight_spread(hidden: Any) -> Any:
    """Relative variance of ‖Wᵀy‖² over independent normal weights of width ``hidden``; 0 for a rotation."""
    return 2 / hidden


def slope_spread(hidden: Any, relative_variance: Any) -> Any:
    """Relative variance of Σ φ'² δ² / Σ δ² for normal δ; ``relative_variance`` is that of φ'(a)²."""
    return 3 * relative_variance / hidden


def log_bias(spread: Any) -> Any:
    """E[ln r] - ln E[r] to second order, for r of relative variance ``spread``."""
    return -spread / 2


# A normal law on a grid: for functions analytic near the real line the trapezoidal sum is exact to rounding.
_Z = np.linspace(-8.5, 8.5, 171)
_NORMAL = np.exp(-(_Z**2) / 2) / np.exp(-(_Z**2) / 2).sum()


def mean_field(gain: float, drive: float, activation: Activation) -> MeanField:
    """The fixed point of the pre-activations' variance, for ``tanh`` or ``linear``.

    Raises:
        ValueError: another activation.
    """
    if activation == "linear":
        return MeanField(math.sqrt(squared_rate(gain, 1.0)), 0.0, 1.0)
    if activation != "tanh":
        raise ValueError(f"no mean field for {activation}")
    variance = preactivation_variance(gain, 1.0, drive)
    for _ in range(400):
        # q <- g^2 E[tanh(sqrt(q) z)^2] + sigma^2
        before = variance
        states = np.tanh(math.sqrt(variance) * _Z)
        variance = preactivation_variance(gain, float(_NORMAL @ states**2), drive)
        if abs(variance - before) <= 1e-14 * variance:
            break
    slope = 1 - np.tanh(math.sqrt(variance) * _Z) ** 2
    first, second, fourth = (float(_NORMAL @ slope**k) for k in (1, 2, 4))
    return MeanField(math.sqrt(squared_rate(gain, second)), fourth / second**2 - 1, first**2 / second)
