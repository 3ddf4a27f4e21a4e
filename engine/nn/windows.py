"""Windows that slide over the last axes of an array: padding, stride, dilation, and the adjoint of each for gradients.

What convolution and pooling share. Sizes, strides and dilations are one number for each of those axes.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.floating[Any]]

Fill = Literal["zero", "circular"]
"""What stands beyond the ends: zeros, or the other end of the signal."""

Pads: TypeAlias = Sequence[tuple[int, int]]
"""Places added before and after, for each axis."""


def output_length(length: int, size: int, stride: int = 1, dilation: int = 1) -> int:
    """How many windows fit into ``length`` places, padding included; 0 where none does.

    Source: Dumoulin, Visin 2016, relationships 6 and 15.
    """
    return max(0, (length - (size - 1) * dilation - 1) // stride + 1)


def pad(x: Floats, pads: Pads, fill: Fill = "zero") -> Floats:
    """``x`` with its last axes longer by ``pads``; ``x`` itself where nothing is added."""
    if not any(before or after for before, after in pads):
        return x
    if fill == "zero":
        return np.pad(x, [(0, 0)] * (x.ndim - len(pads)) + [*pads])
    for axis, (before, after) in enumerate(pads, x.ndim - len(pads)):
        if before or after:
            # x_padded[i] = x[(i - before) mod n]
            x = np.take(x, np.arange(-before, x.shape[axis] + after) % x.shape[axis], axis)
    return x


def pad_backward(d_padded: Floats, pads: Pads, fill: Fill = "zero") -> Floats:
    """dL/dx from dL/d padded: every place of x collects what its copies got."""
    for axis, (before, after) in enumerate(pads, d_padded.ndim - len(pads)):
        if not (before or after):
            continue
        length = d_padded.shape[axis] - before - after
        places = np.moveaxis(d_padded, axis, 0)
        if fill == "zero":
            collected = places[before : before + length]
        else:
            collected = np.zeros((length, *places.shape[1:]), d_padded.dtype)
            np.add.at(collected, np.arange(-before, length + after) % length, places)
        d_padded = np.moveaxis(collected, 0, axis)
    return d_padded


def windows(x: Floats, size: Sequence[int], stride: Sequence[int], dilation: Sequence[int]) -> Floats:
    """A read-only view (…, *out, *size): entry [i, m] is x[stride · i + dilation · m], on each of the last axes.

    Raises:
        ValueError: a window longer than its axis.
    """
    dims = len(size)
    spans = tuple((k - 1) * d + 1 for k, d in zip(size, dilation, strict=True))
    if any(span > length for span, length in zip(spans, x.shape[-dims:], strict=True)):
        raise ValueError(f"a window of {spans} does not fit into {x.shape[-dims:]}")
    view = sliding_window_view(x, spans, tuple(range(-dims, 0)))
    every: tuple[Any, ...] = (..., *(slice(None, None, step) for step in (*stride, *dilation)))
    picked: Floats = view[every]
    return picked


def windows_backward(
    d_windows: Floats, shape: Sequence[int], stride: Sequence[int], dilation: Sequence[int]
) -> Floats:
    """dL/dx, last axes of length ``shape``, from dL/d windows (…, *out, *size): a place sums over its windows."""
    dims = len(shape)
    out, size = d_windows.shape[-2 * dims : -dims], d_windows.shape[-dims:]
    d_x = np.zeros((*d_windows.shape[: -2 * dims], *shape), d_windows.dtype)
    for taps in product(*(range(k) for k in size)):
        places: tuple[Any, ...] = tuple(
            slice(m * d, m * d + (n - 1) * s + 1, s)
            for m, d, n, s in zip(taps, dilation, out, stride, strict=True)
        )
        tap: tuple[Any, ...] = (..., *taps)
        d_x[(..., *places)] += d_windows[tap]
    return d_x
