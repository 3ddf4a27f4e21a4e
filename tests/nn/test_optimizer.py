"""Optimizers and clipping: equal to PyTorch step by step, and to the loop that the papers write."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.nn.optimizer import SGD, Adam, clip_by_norm, clip_by_value, total_norm, warm_up_rate
from tests.nn.oracle import SOURCES, arrays, assert_close, cases

OURS = {
    "sgd": SGD(0.1),
    "momentum": SGD(0.1, momentum=0.9),
    "dampened": SGD(0.1, momentum=0.8, dampening=0.3),
    "nesterov": SGD(0.05, momentum=0.9, nesterov=True),
    "sgd_decay": SGD(0.1, momentum=0.9, weight_decay=0.2),
    "adam": Adam(0.01),
    "adam_vaswani": Adam(0.01, 0.9, 0.98, 1e-9),
    "adam_decay": Adam(0.01, weight_decay=0.1),
    "adamw": Adam(0.01, weight_decay=0.1, decoupled=True),
    "adam_large_epsilon": Adam(0.1, epsilon=0.5),
}


@pytest.mark.parametrize("source", SOURCES)
def test_every_step_is_pytorchs(source: str) -> None:
    recorded = cases(arrays("optimizer", source), "opt_")
    assert {f"opt_{name}" for name in OURS} == set(recorded)
    for name, optimizer in OURS.items():
        torch = recorded[f"opt_{name}"]
        parameter = torch["parameters"][0]
        state = optimizer.start(parameter) if isinstance(optimizer, Adam) else None
        for t, gradient in enumerate(torch["gradients"]):
            parameter, state = optimizer.step(parameter, gradient, state)
            # a parameter may pass near zero: rounding is relative to the steps taken, of order lr |g|
            moved = np.abs(torch["parameters"]).max()
            assert_close(parameter, torch["parameters"][t + 1], f"{name}, step {t + 1}", atol=1e-14 * moved)


@pytest.mark.parametrize("source", SOURCES)
def test_clipping_is_pytorchs(source: str) -> None:
    for name, torch in cases(arrays("optimizer", source), "clip_").items():
        before = [torch["before_0"], torch["before_1"]]
        limit, order = float(torch["limit"]), float(torch["order"])
        clipped = clip_by_norm(before, limit, order)
        assert_close(clipped.norm, torch["norm"], f"{name}: norm")
        for index, (ours, by_value) in enumerate(
            zip(clipped.gradients, clip_by_value(before, limit), strict=True)
        ):
            assert_close(ours, torch[f"after_{index}"], f"{name}: after")
            assert_close(by_value, torch[f"by_value_{index}"], f"{name}: by value")


FLOATS = st.floats(-1e3, 1e3, allow_subnormal=False)


@given(st.lists(FLOATS, min_size=1, max_size=8), st.floats(0.1, 10), st.booleans(), st.booleans())
def test_adam_does_what_the_loop_says(
    gradients: list[float], theta: float, decoupled: bool, uncorrected: bool
) -> None:
    lr, beta_1, beta_2, epsilon, decay = 0.01, 0.9, 0.98, 1e-3, 0.1
    place = "uncorrected" if uncorrected else "corrected"
    optimizer = Adam(lr, beta_1, beta_2, epsilon, decay, decoupled, place)
    parameter = np.array([theta])
    state = optimizer.start(parameter)
    m = v = 0.0
    for t, g in enumerate(gradients, 1):
        parameter, state = optimizer.step(parameter, np.array([g]), state)
        if decoupled:
            theta -= lr * decay * theta
        else:
            g += decay * theta
        m, v = beta_1 * m + (1 - beta_1) * g, beta_2 * v + (1 - beta_2) * g * g
        if uncorrected:
            rate = lr * math.sqrt(1 - beta_2**t) / (1 - beta_1**t)
            theta -= rate * m / (math.sqrt(v) + epsilon)
        else:
            theta -= lr * (m / (1 - beta_1**t)) / (math.sqrt(v / (1 - beta_2**t)) + epsilon)
        assert parameter[0] == pytest.approx(theta, rel=1e-11, abs=1e-12)


@given(
    st.lists(FLOATS, min_size=1, max_size=8), st.floats(-10, 10), st.sampled_from([0.0, 0.5]), st.booleans()
)
def test_sgd_does_what_the_loop_says(
    gradients: list[float], theta: float, dampening: float, nesterov: bool
) -> None:
    optimizer = SGD(0.01, momentum=0.9, dampening=dampening, nesterov=nesterov, weight_decay=0.1)
    parameter, velocity, v = np.array([theta]), None, None
    for g in gradients:
        parameter, velocity = optimizer.step(parameter, np.array([g]), velocity)
        g += 0.1 * theta
        v = g if v is None else 0.9 * v + (1 - dampening) * g
        theta -= 0.01 * (g + 0.9 * v if nesterov else v)
        assert parameter[0] == pytest.approx(theta, rel=1e-11, abs=1e-11)


@given(st.lists(st.lists(FLOATS, min_size=1, max_size=4), max_size=3), st.floats(1e-3, 1e3))
def test_clipping_by_norm_keeps_the_direction_and_the_limit(rows: list[list[float]], limit: float) -> None:
    gradients = [np.array(row) for row in rows]
    clipped = clip_by_norm(gradients, limit, epsilon=0.0)
    assert total_norm(clipped.gradients) <= limit * (1 + 1e-12)
    assert 0 < clipped.factor <= 1
    for before, after in zip(gradients, clipped.gradients, strict=True):
        assert_close(after, before * clipped.factor, "direction", rtol=0, atol=0)
    if clipped.norm <= limit:
        assert clipped.factor == 1


def test_a_gradient_of_zero_and_no_gradient_at_all_are_left_alone() -> None:
    assert clip_by_norm([np.zeros(3)], 1.0, epsilon=0.0).factor == 1
    assert clip_by_norm([], 1.0) == ((), 0.0, 1.0)


def test_steps_leave_the_callers_arrays() -> None:
    parameter, gradient = np.ones(2), np.full(2, 3.0)
    optimizer = SGD(0.1, momentum=0.9)
    _, velocity = optimizer.step(parameter, gradient)
    optimizer.step(parameter, gradient, velocity)
    adam = Adam()
    state = adam.start(parameter)
    adam.step(parameter, gradient, state)
    assert (parameter == 1).all()
    assert (gradient == 3).all()
    assert (velocity == 3).all()
    assert (state.m == 0).all()


def test_warm_up_rises_to_its_peak_and_falls() -> None:
    rates = [warm_up_rate(step, 512, 4000) for step in (1, 2, 4000, 16000)]
    assert rates[1] == 2 * rates[0]
    assert rates[2] == pytest.approx((512 * 4000) ** -0.5)
    assert rates[3] == pytest.approx(rates[2] / 2)
