"""Random recurrent matrices have the spread they promise."""

from __future__ import annotations

import numpy as np
import pytest

from engine.nn.initialization import recurrent_matrix


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
