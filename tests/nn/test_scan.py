"""Scans: equal to the loop and to PyTorch, with the rounds and the work that they claim."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.nn.scan import (
    compose,
    linear_recurrence,
    linear_scan,
    linear_scan_backward,
    newton_recurrence,
    scan,
)
from tests.nn.differences import ATOL, RTOL, gradient
from tests.nn.oracle import SOURCES, arrays, assert_close, cases

METHODS = ("hillis_steele", "odd_even")


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("method", METHODS)
def test_states_and_gradients_are_pytorchs(source: str, method: str) -> None:
    for name, torch in cases(arrays("scan", source)).items():
        a, b, h_0 = (torch[key] for key in ("a", "b", "h_0"))
        assert_close(linear_recurrence(a, b, h_0), torch["states"], f"{name}: loop")
        states = linear_scan(a, b, h_0, method)
        # a scan sums the same terms in another order
        assert_close(states, torch["states"], f"{name}: scan", atol=1e-13)
        d_a, d_b, d_h_0 = linear_scan_backward(a, states, h_0, torch["d_states"], method)
        assert_close(d_a, torch["grad_a"], f"{name}: dL/da", atol=1e-13)
        assert_close(d_b, torch["grad_b"], f"{name}: dL/db", atol=1e-13)
        assert_close(d_h_0, torch["grad_h_0"], f"{name}: dL/dh_0", atol=1e-13)


@given(st.lists(st.text("abc", min_size=1, max_size=2), min_size=1, max_size=40), st.sampled_from(METHODS))
def test_every_prefix_is_combined_in_order(words: list[str], method: str) -> None:
    """Strings do not commute: a swap or a gap shows."""
    elements = (np.array(words, dtype=object),)
    done = scan(elements, lambda earlier, later: (earlier[0] + later[0],), method)
    assert done.elements[0].tolist() == ["".join(words[: t + 1]) for t in range(len(words))]
    assert elements[0].tolist() == words


@given(st.integers(1, 300))
def test_rounds_and_work(length: int) -> None:
    def count(earlier, later):
        calls.append(len(earlier[0]))
        return (np.maximum(earlier[0], later[0]) + 1,)

    for method in METHODS:
        calls: list[int] = []
        done = scan((np.zeros(length, int),), count, method)
        assert done.work == sum(calls)
        # no element waits for more combinations than there are rounds
        assert done.elements[0].max() <= done.rounds
        assert done.rounds_on(length) == done.rounds
        assert done.rounds_on(1) == done.work
    hillis_steele = scan((np.zeros(length, int),), count)
    assert hillis_steele.rounds == math.ceil(math.log2(length))
    assert done.work <= 2 * length
    assert done.rounds <= 2 * math.log2(length)


@given(st.integers(0, 2**31), st.integers(1, 6), st.integers(1, 3), st.sampled_from(METHODS))
def test_the_backward_scan_is_the_derivative(seed: int, steps: int, width: int, method: str) -> None:
    rng = np.random.default_rng(seed)
    a, b, d_states = rng.standard_normal((3, steps, width))
    h_0 = rng.standard_normal(width)
    found = linear_scan_backward(a, linear_recurrence(a, b, h_0), h_0, d_states, method)
    given_arrays = [a, b, h_0]
    for index, name in enumerate(("a", "b", "h_0")):

        def states(x: np.ndarray, index: int = index) -> np.ndarray:
            return linear_recurrence(*given_arrays[:index], x, *given_arrays[index + 1 :])

        expected = gradient(states, given_arrays[index], d_states)
        scale = 1 + np.abs(expected).max()
        assert_close(found[index], expected, name, rtol=RTOL, atol=100 * ATOL * scale)


@given(st.integers(0, 2**31), st.integers(1, 40))
def test_newtons_iteration_arrives_at_the_loops_states(seed: int, steps: int) -> None:
    rng = np.random.default_rng(seed)
    w, drive, h_0 = rng.uniform(-0.9, 0.9, 3), rng.standard_normal((steps, 3)), rng.standard_normal(3)
    h, expected = h_0, []
    for t in range(steps):
        h = np.tanh(w * h + drive[t])
        expected.append(h)
    found = newton_recurrence(
        lambda before: np.tanh(w * before + drive),
        lambda before: w * (1 - np.tanh(w * before + drive) ** 2),
        h_0,
        np.zeros((steps, 3)),
    )
    assert found.iterations <= steps
    assert_close(found.states, np.array(expected), "states", rtol=0, atol=1e-12)


def test_composing_two_steps_is_taking_both() -> None:
    a, b = compose((2.0, 3.0), (5.0, 7.0))
    assert a * 11 + b == 5 * (2 * 11 + 3) + 7


def test_nothing_to_scan_is_said() -> None:
    with pytest.raises(ValueError, match="nothing to scan"):
        scan((np.zeros(0),), compose)
