"""A slider's values: exact decimals, whole numbers where whole, both ends in reach, every step counts."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.demonstration import Choice, Parameter
from engine.demos import catalogue, load
from engine.stepping import Stepping
from engine.text import Text, same

NAME = same("x")


def number(low: float, high: float, step: float, kind: str = "float", scale: str = "linear") -> Parameter:
    return Parameter("x", "x", NAME, low, low, high, step, kind, scale)  # type: ignore[arg-type]


def walk(parameter: Parameter, by: int = 1) -> list[object]:
    """Every value from one end to the other, a step at a time."""
    stepping = Stepping(parameter)
    value = stepping.value(0 if by > 0 else stepping.last)
    seen = [value]
    while True:
        value = stepping.moved(value, by)
        if value == seen[-1]:
            return seen
        seen.append(value)


def test_tenths_do_not_drift() -> None:
    assert walk(number(-2.0, 2.0, 0.1)) == [float(Decimal(k) / 10) for k in range(-20, 21)]


def test_doubling_from_one_end_to_the_other() -> None:
    assert walk(number(1, 1024, 1.0, "int", "log")) == [2**k for k in range(11)]
    assert walk(number(1e-4, 1.0, 9.0, "float", "log")) == [0.0001, 0.001, 0.01, 0.1, 1.0]


def test_an_end_off_the_grid_is_still_reached_and_left_again() -> None:
    up = number(0.0, 1.0, 0.3)
    assert walk(up) == [0.0, 0.3, 0.6, 0.9, 1.0]
    assert walk(up, -1) == [1.0, 0.9, 0.6, 0.3, 0.0]


def test_from_a_typed_value_the_first_step_leads_to_the_next_stop() -> None:
    stepping = Stepping(number(0.0, 1.0, 0.1))
    assert stepping.moved(0.25, 1) == 0.3
    assert stepping.moved(0.25, -1) == 0.2
    assert stepping.moved(0.25, 2) == 0.4


def test_choices_in_their_order() -> None:
    choices = tuple(Choice(name, Text(name, name)) for name in ("none", "sqrt", "linear"))
    parameter = Parameter("s", "s", NAME, "sqrt", kind="choice", choices=choices)
    assert walk(parameter) == ["none", "sqrt", "linear"]
    assert Stepping(parameter).at_share(0.5) == "sqrt"


decimals = st.decimals(-1000, 1000, places=3, allow_nan=False).map(float)


@st.composite
def parameters(draw: st.DrawFn) -> Parameter:
    kind = draw(st.sampled_from(["int", "float"]))
    if draw(st.booleans()):
        low = draw(st.decimals("0.001", 100, places=3)) if kind == "float" else draw(st.integers(1, 100))
        high = float(low) * draw(st.integers(1, 10_000))
        return number(float(low), high, draw(st.sampled_from([1.0, 9.0, 0.5, 0.25])), kind, "log")
    if kind == "int":
        low = draw(st.integers(-1000, 1000))
        return number(low, low + draw(st.integers(0, 5000)), draw(st.integers(1, 100)), "int")
    low = draw(decimals)
    return number(low, low + draw(st.integers(0, 500)), draw(st.sampled_from([0.001, 0.1, 0.25, 0.3, 7.0])))


@given(parameters(), st.floats(0, 1), st.integers(-40, 40))
def test_every_value_is_one_the_parameter_accepts(parameter: Parameter, share: float, by: int) -> None:
    stepping = Stepping(parameter)
    value = stepping.at_share(share)
    assert parameter.read(value) == value
    moved = stepping.moved(value, by)
    assert parameter.read(moved) == moved
    assert (moved > value) == (by > 0 and value < parameter.high)  # type: ignore[operator]
    assert (moved < value) == (by < 0 and value > parameter.low)  # type: ignore[operator]


@given(parameters())
def test_both_ends_are_stops_and_lie_at_the_ends_of_the_track(parameter: Parameter) -> None:
    stepping = Stepping(parameter)
    assert stepping.at_share(0.0) == parameter.low
    assert stepping.at_share(1.0) == parameter.high or parameter.high == parameter.low
    assert stepping.moved(parameter.low, 10**9) == parameter.high
    assert stepping.moved(parameter.high, -(10**9)) == parameter.low


@given(parameters(), st.integers(0, 10**6))
def test_there_and_back_is_the_same_value(parameter: Parameter, pick: int) -> None:
    stepping = Stepping(parameter)
    stop = pick % (stepping.last + 1)
    value = stepping.value(stop)
    if stop < stepping.last:
        assert stepping.moved(stepping.moved(value, 1), -1) == value


@pytest.mark.parametrize("demo_id", [entry.id for entry in catalogue()])
def test_every_parameter_of_every_demonstration_can_be_walked(demo_id: str) -> None:
    for parameter in load(demo_id).parameters:
        stepping = Stepping(parameter)
        stops = {stepping.value(stop) for stop in range(0, stepping.last + 1, max(1, stepping.last // 200))}
        assert all(parameter.read(value) == value for value in stops)
        if parameter.kind != "choice":
            assert {stepping.value(0), stepping.value(stepping.last)} == {parameter.low, parameter.high}
