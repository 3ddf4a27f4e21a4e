"""A program's results against the expected ones, case by case."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from engine.coding.specification import Array, Specification
from engine.coding.wire import WireError, decode

_AROUND = 3
"""Neighbours shown on each side of the worst number."""
_TOKENS = 12

Problem = Literal["shape", "dtype", "values"]


@dataclass(frozen=True)
class Difference:
    """Where a result parts from the expected one: in ``output`` number so and so, at ``where``."""

    problem: Problem
    output: int
    got: str
    expected: str
    largest: float | None = None
    where: tuple[int, ...] | None = None


def arrays_of(record: Mapping[str, Any], outputs: int) -> tuple[Array, ...] | None:
    """The arrays of a record; None where it holds none, or not as many as there should be."""
    documents = record.get("arrays") if record.get("kind") == "value" else None
    if not isinstance(documents, list) or len(documents) != outputs:
        return None
    try:
        return tuple(decode(document) for document in documents)
    except WireError:
        return None


def first_difference(
    specification: Specification, got: Sequence[Array], expected: Sequence[Array]
) -> Difference | None:
    """The first output that differs; None where all agree."""
    for place, (mine, right) in enumerate(zip(got, expected, strict=True)):
        if not _kind_fits(mine, right):
            return Difference("dtype", place, mine.dtype.name, right.dtype.name)
        if mine.shape != right.shape and _is_sentence(mine) and _is_sentence(right):
            return Difference("values", place, str(mine.tolist()), str(right.tolist()))
        if mine.shape != right.shape:
            return Difference("shape", place, str(mine.shape), str(right.shape))
        wrong = ~_agree(specification, mine, right)
        if wrong.any():
            return _worst(place, mine, right, wrong)
    return None


def alike(specification: Specification, one: Sequence[Array], other: Sequence[Array]) -> bool:
    """Whether two programs gave the same: kinds, shapes, and values to the tolerance.

    NaN and infinity count as one: which of them an overflow ends in depends on how the formula is written.
    """
    return all(
        a.dtype.kind == b.dtype.kind and a.shape == b.shape and bool(_similar(specification, a, b).all())
        for a, b in zip(one, other, strict=True)
    )


def _similar(specification: Specification, a: Array, b: Array) -> NDArray[np.bool_]:
    agree = _agree(specification, a, b)
    if a.dtype.kind != "f":
        return agree
    return np.asarray(agree | ~(np.isfinite(a) | np.isfinite(b)))


def _kind_fits(mine: Array, right: Array) -> bool:
    """Whole numbers may stand for real ones, not the other way round; truth values are only themselves."""
    return mine.dtype.kind in ("fi" if right.dtype.kind == "f" else right.dtype.kind)


def _agree(specification: Specification, mine: Array, right: Array) -> NDArray[np.bool_]:
    if right.dtype.kind != "f":
        return np.asarray(mine == right, dtype=np.bool_)
    close = np.isclose(mine, right, rtol=specification.rtol, atol=specification.atol, equal_nan=True)
    return np.asarray(close, dtype=np.bool_)


def _is_sentence(array: Array) -> bool:
    """A few tokens in a row: two of different lengths are told by what they hold."""
    return array.ndim == 1 and array.dtype.kind == "i" and len(array) <= _TOKENS


def _worst(place: int, mine: Array, right: Array, wrong: NDArray[np.bool_]) -> Difference:
    a, b = mine.astype(np.float64), right.astype(np.float64)
    with np.errstate(invalid="ignore"):
        gap = np.where(wrong, np.abs(a - b), -1.0)
    # NaN and infinity are the worst of all
    order = np.where(np.isfinite(gap), gap, np.inf)
    flat = int(np.argmax(order))
    where = tuple(int(i) for i in np.unravel_index(flat, order.shape))
    # by how much a token or a truth value is wrong says nothing
    largest = float(gap.flat[flat]) if right.dtype.kind == "f" else None
    return Difference("values", place, _around(mine, where), _around(right, where), largest, where)


def _around(array: Array, where: tuple[int, ...]) -> str:
    """The numbers beside one place, along the last axis."""
    if not where:
        return _number(array[()])
    row = array[where[:-1]]
    first, last = max(0, where[-1] - _AROUND), min(len(row), where[-1] + _AROUND + 1)
    shown = ", ".join(_number(value) for value in row[first:last])
    return f"[{'…, ' if first else ''}{shown}{', …' if last < len(row) else ''}]"


def _number(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, np.floating) else str(value)
