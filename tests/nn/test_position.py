"""Position encodings and rotations: against PyTorch, plain loops and finite differences."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.nn.position import (
    angular_frequencies,
    interpolated_positions,
    join_pairs,
    learned_encoding,
    learned_encoding_backward,
    ntk_aware_base,
    sinusoidal_encoding,
    split_pairs,
)
from engine.nn.rotary import rotary_angles, rotate, rotate_backward
from tests.nn.differences import ATOL, RTOL, gradient
from tests.nn.oracle import SOURCES, arrays, assert_close, cases

LAYOUTS = ("interleaved", "halves")
SEEDS = st.integers(0, 2**31)
SIZES = st.integers(1, 4)


@pytest.mark.parametrize("source", SOURCES)
def test_sinusoidal_tables_are_those_of_the_exponential_form(source: str) -> None:
    made = cases(arrays("position", source), "sinusoidal-")
    assert len(made) == 4
    for name, torch in made.items():
        for layout in LAYOUTS:
            d = torch[layout].shape[1]
            ours = sinusoidal_encoding(torch["positions"], d, base=float(torch["base"]), layout=layout)
            # the two forms of the frequency differ by a few ulp, which the position multiplies
            assert_close(ours, torch[layout], f"{name}, {layout}", atol=1e-14)


@pytest.mark.parametrize("source", SOURCES)
def test_rotations_and_their_gradients_are_pytorchs(source: str) -> None:
    made = cases(arrays("position", source), "rotary-")
    assert len(made) == 4
    for name, torch in made.items():
        angles = rotary_angles(torch["positions"], int(torch["rotated"]), float(torch["base"]))
        assert_close(angles, torch["angles"], f"{name}: angles")
        for layout in LAYOUTS:
            turned = rotate(torch["x"], torch["angles"], layout)
            assert_close(turned, torch[layout], f"{name}, {layout}", atol=2e-14)
            back = rotate_backward(torch["d_output"], torch["angles"], layout)
            assert_close(back, torch[f"grad_{layout}"], f"{name}, {layout}: dL/dx", atol=2e-14)


@pytest.mark.parametrize("source", SOURCES)
def test_a_learned_table_and_its_gradient_are_those_of_an_embedding(source: str) -> None:
    torch = cases(arrays("position", source), "learned-")["learned-table"]
    assert_close(learned_encoding(torch["table"], torch["positions"]), torch["encoding"], "rows")
    d_table = learned_encoding_backward(torch["positions"], torch["d_encoding"], len(torch["table"]))
    assert_close(d_table, torch["grad_table"], "dL/d table")


@given(SEEDS, st.integers(0, 4), SIZES, st.sampled_from(LAYOUTS), st.floats(2, 1e6))
def test_the_table_is_what_the_loop_says(seed: int, n: int, pairs: int, layout: str, base: float) -> None:
    positions = np.random.default_rng(seed).uniform(0, 100, n)
    table = sinusoidal_encoding(positions, 2 * pairs, base=base, layout=layout)
    assert table.shape == (n, 2 * pairs)
    for p in range(n):
        for i in range(pairs):
            angle = positions[p] / base ** (2 * i / (2 * pairs))
            sine, cosine = (2 * i, 2 * i + 1) if layout == "interleaved" else (i, pairs + i)
            assert table[p, sine] == pytest.approx(math.sin(angle), abs=1e-12)
            assert table[p, cosine] == pytest.approx(math.cos(angle), abs=1e-12)


@given(SEEDS, st.integers(0, 3), SIZES, st.integers(0, 3), st.sampled_from(LAYOUTS))
def test_a_rotation_is_what_the_loop_says(seed: int, n: int, pairs: int, rest: int, layout: str) -> None:
    rng = np.random.default_rng(seed)
    r = 2 * pairs
    x, angles = rng.standard_normal((2, n, r + rest)), rng.uniform(-9, 9, (n, pairs))
    turned = rotate(x, angles, layout)
    assert turned.shape == x.shape
    for b in range(2):
        for p in range(n):
            assert (turned[b, p, r:] == x[b, p, r:]).all()
            for i in range(pairs):
                one, two = (2 * i, 2 * i + 1) if layout == "interleaved" else (i, pairs + i)
                z = complex(x[b, p, one], x[b, p, two]) * complex(
                    math.cos(angles[p, i]), math.sin(angles[p, i])
                )
                assert turned[b, p, one] == pytest.approx(z.real, abs=1e-13)
                assert turned[b, p, two] == pytest.approx(z.imag, abs=1e-13)


@given(SEEDS, SIZES, SIZES, st.sampled_from(LAYOUTS))
def test_the_rotations_backward_pass_is_its_derivative(seed: int, n: int, pairs: int, layout: str) -> None:
    rng = np.random.default_rng(seed)
    x, angles = rng.standard_normal((n, 2 * pairs + 1)), rng.uniform(-9, 9, (n, pairs))
    upstream = rng.standard_normal(x.shape)
    expected = gradient(lambda moved: rotate(moved, angles, layout), x, upstream)
    np.testing.assert_allclose(rotate_backward(upstream, angles, layout), expected, rtol=RTOL, atol=ATOL)


@given(SEEDS, st.integers(0, 5), SIZES)
def test_the_tables_backward_pass_is_its_derivative(seed: int, uses: int, d: int) -> None:
    rng = np.random.default_rng(seed)
    table, positions = rng.standard_normal((4, d)), rng.integers(0, 4, uses)
    upstream = rng.standard_normal((uses, d))
    expected = gradient(lambda moved: learned_encoding(moved, positions), table, upstream)
    ours = learned_encoding_backward(positions, upstream, 4)
    np.testing.assert_allclose(ours, expected, rtol=RTOL, atol=ATOL)


@given(SEEDS, SIZES, st.integers(-50, 50), st.integers(-50, 50), st.sampled_from(LAYOUTS))
def test_scores_of_rotated_vectors_know_the_distance_only(
    seed: int, pairs: int, shift: int, distance: int, layout: str
) -> None:
    query, key = np.random.default_rng(seed).standard_normal((2, 1, 2 * pairs))

    def score(m: int, n: int) -> float:
        at = rotary_angles([m, n], 2 * pairs)
        return float((rotate(query, at[:1], layout) @ rotate(key, at[1:], layout).T)[0, 0])

    assert score(shift, shift + distance) == pytest.approx(score(0, distance), abs=1e-12)


def test_the_two_layouts_are_one_rotation_of_reordered_features() -> None:
    rng = np.random.default_rng(1)
    x, angles = rng.standard_normal((5, 8)), rng.uniform(0, 6, (5, 4))
    reordered = join_pairs(*split_pairs(x, "interleaved"), "halves")
    assert reordered[0].tolist() == x[0, [0, 2, 4, 6, 1, 3, 5, 7]].tolist()
    turned = rotate(reordered, angles, "halves")
    assert (join_pairs(*split_pairs(turned, "halves"), "interleaved") == rotate(x, angles)).all()
    assert np.abs(rotate(x, angles, "halves") - rotate(x, angles)).max() > 0.5


def test_an_odd_width_is_refused_by_name_of_the_width() -> None:
    for d in (1, 7, 0, -2):
        with pytest.raises(ValueError, match=f"even and at least 2, not {d}"):
            angular_frequencies(d)
    with pytest.raises(ValueError, match="8 features cannot be rotated where there are 6"):
        rotate(np.ones((2, 6)), np.ones((2, 4)))
    with pytest.raises(ValueError, match="at least 4"):
        ntk_aware_base(10_000, 2, 2)


def test_a_learned_table_has_no_row_beyond_its_length() -> None:
    table = np.ones((4, 2))
    for position in (4, -1):
        with pytest.raises(ValueError, match=r"0\.\.3"):
            learned_encoding(table, [0, position])
    assert learned_encoding(table, []).shape == (0, 2)


def test_interpolated_positions_stay_in_the_trained_range_and_shorter_ones_stay_put() -> None:
    squeezed = interpolated_positions(np.arange(8), trained=4, length=8)
    assert squeezed.tolist() == [0, 0.5, 1, 1.5, 2, 2.5, 3, 3.5]
    assert interpolated_positions(np.arange(3), trained=4, length=3).tolist() == [0, 1, 2]


def test_the_ntk_aware_base_slows_the_slowest_pair_by_the_factor_and_the_fastest_not_at_all() -> None:
    d, factor = 16, 4.0
    before, after = angular_frequencies(d), angular_frequencies(d, ntk_aware_base(10_000, factor, d))
    slowed = before / after
    assert slowed[0] == 1
    assert slowed[-1] == pytest.approx(factor, rel=1e-12)
    assert (np.diff(slowed) > 0).all()


def test_one_vector_is_turned_to_many_positions_by_broadcasting() -> None:
    x, angles = np.random.default_rng(2).standard_normal((1, 6)), rotary_angles(np.arange(5.0), 4)
    assert (rotate(x, angles) == rotate(np.tile(x, (5, 1)), angles)).all()
