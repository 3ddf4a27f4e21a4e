"""Random recurrent matrices have the spread they promise."""

from __future__ import annotations

import math

import numpy as np
import pytest

from engine.nn.initialization import initial_recurrent, recurrent_matrix
from tests.nn.oracle import SOURCES, arrays, cases


def test_an_orthogonal_matrix_keeps_lengths_times_the_gain() -> None:
    W = recurrent_matrix(np.random.default_rng(1), 24, 0.7, "orthogonal")
    np.testing.assert_allclose(W.T @ W, 0.49 * np.eye(24), atol=1e-14)


def test_orthogonal_matrices_are_uniform_over_both_components_and_directions() -> None:
    rng = np.random.default_rng(2)
    drawn = np.array([recurrent_matrix(rng, 3, 1.0, "orthogonal") for _ in range(2000)])
    # without the signs of R's diagonal the determinant of a Householder QR is always of one sign
    assert abs((np.linalg.det(drawn) > 0).mean() - 0.5) < 5 * 0.5 / np.sqrt(2000)
    # an entry of a uniform unit vector in three dimensions has mean 0 and variance 1/3
    assert np.abs(drawn.mean(axis=0)).max() < 5 / np.sqrt(3 * 2000)
    assert drawn.var(axis=0) == pytest.approx(np.full((3, 3), 1 / 3), abs=0.05)


def test_normal_entries_have_variance_gain_squared_over_width() -> None:
    W = recurrent_matrix(np.random.default_rng(3), 200, 1.5, "normal")
    spread = np.sqrt(2 / W.size)
    assert W.var() * 200 / 1.5**2 == pytest.approx(1, abs=5 * spread)
    # the circular law: all eigenvalues in a disc of radius gain, up to a finite-size fringe
    assert np.abs(np.linalg.eigvals(W)).max() == pytest.approx(1.5, rel=0.15)


BOUNDS = {"torch": lambda width: 1 / math.sqrt(width), "glorot": lambda width: math.sqrt(3 / width)}
"""Where the uniform laws end."""


def assert_fills(weights: np.ndarray, bound: float, name: str) -> None:
    """Uniform on [-bound, bound]: never outside, up to its ends, and as spread as that law."""
    count = weights.size
    assert np.abs(weights).max() <= bound, name
    # P(the largest of n falls short of the bound by a share x) = (1 - x)^n
    assert np.abs(weights).max() > bound * (1 - 20 / count), name
    # a uniform law's mean square is bound^2 / 3, of relative variance 4/5
    assert (weights**2).mean() * 3 / bound**2 == pytest.approx(1, abs=5 * math.sqrt(0.8 / count)), name


@pytest.mark.parametrize("source", SOURCES)
def test_weights_are_drawn_as_pytorch_draws_them(source: str) -> None:
    for case, made in cases(arrays("initialization", source)).items():
        scheme, width = case.split("_")
        ours = initial_recurrent(np.random.default_rng(4), int(width), scheme)
        for weights in (made["weights"], ours):
            assert weights.shape == (int(width), int(width))
            if scheme == "orthogonal":
                np.testing.assert_allclose(weights.T @ weights, np.eye(int(width)), atol=1e-13)
            else:
                assert_fills(weights, BOUNDS[scheme](int(width)), case)


def test_the_tutorials_normal_weights_have_deviation_a_tenth_at_any_width() -> None:
    for width in (32, 128):
        W = initial_recurrent(np.random.default_rng(5), width, "small_normal")
        assert (W**2).mean() * 100 == pytest.approx(1, abs=5 * math.sqrt(2 / W.size))


def test_one_unit_is_a_size_too() -> None:
    for scheme in ("torch", "glorot", "small_normal", "orthogonal"):
        assert initial_recurrent(np.random.default_rng(6), 1, scheme).shape == (1, 1)
