"""The wide random network: fixed point, moments and limits against routes of their own."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

from engine.nn.mean_field import mean_field


def moments_by_quadrature(gain: float, drive: float) -> tuple[float, float, float]:
    """As :func:`mean_field`, by Simpson's rule over pre-activations and bisection instead of iteration."""

    def expectation(q: float, function: Callable[[np.ndarray], np.ndarray]) -> float:
        a = np.linspace(-9 * math.sqrt(q), 9 * math.sqrt(q), 20_001)
        simpson = np.where(np.arange(a.size) % 2, 4.0, 2.0)
        simpson[[0, -1]] = 1.0
        density = np.exp(-(a**2) / (2 * q)) / math.sqrt(2 * math.pi * q)
        return float((simpson * density * function(a)).sum() * (a[1] - a[0]) / 3)

    low, high = drive**2, drive**2 + gain**2
    for _ in range(60):
        q = (low + high) / 2
        image = gain**2 * expectation(q, lambda a: np.tanh(a) ** 2) + drive**2
        low, high = (q, high) if image > q else (low, q)
    m_1, m_2, m_4 = (expectation(q, lambda a, k=k: np.cosh(a) ** (-2 * k)) for k in (1, 2, 4))
    return gain * math.sqrt(m_2), m_4 / m_2**2 - 1, m_1**2 / m_2


@pytest.mark.parametrize("gain", [0.2, 0.577, 1.0, 1.8])
@pytest.mark.parametrize("drive", [0.3, 0.8, 2.0])
def test_the_moments_agree_with_another_quadrature(gain: float, drive: float) -> None:
    assert mean_field(gain, drive, "tanh") == pytest.approx(moments_by_quadrature(gain, drive), rel=1e-9)


def test_a_weakly_driven_network_is_linear() -> None:
    field = mean_field(0.5, 1e-3, "tanh")
    assert field == pytest.approx((0.5, 0.0, 1.0), abs=1e-5)
    assert mean_field(0.5, 1e-3, "linear") == (0.5, 0.0, 1.0)


def test_drive_saturates_the_units_and_slows_the_gradient() -> None:
    rates = [mean_field(1.0, drive, "tanh").rate for drive in (0.1, 0.5, 1.0, 2.0)]
    assert rates == sorted(rates, reverse=True)


def test_an_activation_without_a_theory_here_is_refused() -> None:
    with pytest.raises(ValueError, match="no mean field for relu"):
        mean_field(1.0, 1.0, "relu")
