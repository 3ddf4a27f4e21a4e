"""Tick marks stand on round values inside the axis, and read as what they are."""

from __future__ import annotations

import math

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from engine.ticks import number, ticks


@pytest.mark.parametrize(
    ("low", "high", "scale", "labels"),
    [
        (0, 1, "linear", ["0", "0.2", "0.4", "0.6", "0.8", "1.0"]),
        (-3, 3, "linear", ["−2", "0", "2"]),
        (0, 120, "linear", ["0", "50", "100"]),
        (1, 1024, "log", ["1", "10", "100", "1000"]),
        (1e-6, 1, "log", ["10⁻⁶", "10⁻⁴", "10⁻²", "1"]),
        (2, 8, "log", ["2", "5"]),
        (-2e4, 2e4, "linear", ["−20,000", "−10,000", "0", "10,000", "20,000"]),
    ],
)
def test_labels(low: float, high: float, scale: str, labels: list[str]) -> None:
    assert [tick.label for tick in ticks(low, high, scale, 6 if low != -3 and high != 120 else 4)] == labels  # type: ignore[arg-type]


@given(st.floats(-1e9, 1e9), st.floats(-1e9, 1e9), st.integers(2, 12))
def test_linear_ticks_are_in_range_and_few(low: float, high: float, at_most: int) -> None:
    assume(high - low > 1e-6 * max(1.0, abs(low), abs(high)))
    found = ticks(low, high, "linear", at_most)
    slack = (high - low) * 1e-6
    assert 2 <= len(found) <= at_most
    assert all(low - slack <= tick.at <= high + slack for tick in found)


@given(st.floats(1e-12, 1e12), st.floats(1.01, 1e9), st.integers(2, 12))
def test_log_ticks_are_in_range_and_few(low: float, ratio: float, at_most: int) -> None:
    high = low * ratio
    found = ticks(low, high, "log", at_most)
    assert 2 <= len(found) <= at_most
    assert all(low * 0.999 <= tick.at <= high * 1.001 for tick in found)


@given(st.floats(-1e12, 1e12).filter(lambda value: value == 0 or abs(value) > 1e-12))
def test_a_label_reads_back_as_its_value(value: float) -> None:
    label = number(value).replace("−", "-").replace(",", "")
    mantissa, _, power = (
        label.rpartition("10")
        if "10" in label and any(c in label for c in "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")
        else (label, "", "")
    )
    exponent = int(power.translate(str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789"))) if power else 0
    read = float(mantissa.rstrip("×") or 1) * 10.0**exponent if power else float(label)
    assert math.isclose(read, value, rel_tol=6e-3, abs_tol=0)
