"""Pooling over the last axes: maximum, average, over everything, and blurred before it is thinned out.

Shapes: x (…, *n), y (…, *out); ``size`` names one length for each pooled axis. Sources: Boureau, Ponce, LeCun 2010 (maximum and
average); Lin, Chen, Yan 2014, section 3.2 (global average); Zhang 2019, section 3 (blur).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import reduce
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.nn.convolution import correlate
from engine.nn.windows import Fill, Floats, Pads, pad, pad_backward, windows, windows_backward


class MaxPooled(NamedTuple):
    """``y`` (…, *out), and the ``windows`` (…, *out, *size) of which it holds the largest values: a view of x."""

    y: Floats
    windows: Floats

    @property
    def winners(self) -> NDArray[np.intp]:
        """The place of each maximum in its window (…, *out), counted row by row, the first of equals."""
        places: NDArray[np.intp] = self.windows.reshape(*self.y.shape, -1).argmax(axis=-1)
        return places


def max_pool(
    x: Floats, size: Sequence[int], *, stride: Sequence[int] | None = None, padding: Sequence[int] = ()
) -> MaxPooled:
    """The largest value of each window; ``stride`` is the window's size unless given; padding never wins.

    Raises:
        ValueError: a window longer than its axis.
    """
    dims = len(size)
    # a place of padding counts as -inf
    lowest = [(0, 0)] * (x.ndim - dims) + _both_ends(size, padding)
    padded = np.pad(x, lowest, constant_values=-np.inf) if any(padding) else x
    view = windows(padded, size, stride or size, (1,) * dims)  # (..., *out, *size)
    # y[i] = max_m x[s i + m]: one place of all windows after the other
    y = reduce(np.maximum, (view[(..., *m)] for m in np.ndindex(*size)))  # (..., *out)
    return MaxPooled(np.array(y), view)


def max_pool_backward(
    pooled: MaxPooled,
    d_y: Floats,
    shape: Sequence[int],
    size: Sequence[int],
    *,
    stride: Sequence[int] | None = None,
    padding: Sequence[int] = (),
) -> Floats:
    """dL/dx, whose pooled axes have length ``shape``, from dL/dy (…, *out): all of it goes to the winner."""
    dims = len(size)
    routed = np.zeros((*d_y.shape, math.prod(size)), d_y.dtype)
    # dL/dx[s i + m] collects dL/dy[i] where m won
    np.put_along_axis(routed, pooled.winners[..., None], d_y[..., None], axis=-1)  # (..., *out, prod(size))
    return _collected(
        routed.reshape(*d_y.shape, *size), shape, stride or size, _both_ends(size, padding), dims
    )


def average_pool(
    x: Floats, size: Sequence[int], *, stride: Sequence[int] | None = None, padding: Sequence[int] = ()
) -> Floats:
    """The mean of each window (…, *out); zeros of the padding count, as PyTorch has it where not told otherwise."""
    dims = len(size)
    view = windows(pad(x, _both_ends(size, padding)), size, stride or size, (1,) * dims)
    # y[i] = sum_m x[s i + m] / prod(size)
    return np.asarray(view.mean(axis=tuple(range(-dims, 0))))  # (..., *out)


def average_pool_backward(
    d_y: Floats,
    shape: Sequence[int],
    size: Sequence[int],
    *,
    stride: Sequence[int] | None = None,
    padding: Sequence[int] = (),
) -> Floats:
    """dL/dx, whose pooled axes have length ``shape``, from dL/dy (…, *out): shared equally in the window."""
    dims = len(size)
    # dL/dx[s i + m] collects dL/dy[i] / prod(size)
    share = (d_y / math.prod(size))[(..., *(None,) * dims)]  # (..., *out, 1, ...)
    spread = np.broadcast_to(share, (*d_y.shape, *size))  # (..., *out, *size)
    return _collected(spread, shape, stride or size, _both_ends(size, padding), dims)


def global_average_pool(x: Floats, dims: int = 1) -> Floats:
    """The mean over the last ``dims`` axes, (…).

    Source: Lin, Chen, Yan 2014, section 3.2.
    """
    # y = sum_i x[i] / prod(n)
    return np.asarray(x.mean(axis=tuple(range(-dims, 0))))  # (...)


def binomial_filter(taps: int) -> Floats:
    """A row of Pascal's triangle, ``taps`` long, that sums to 1: 1; 1, 1; 1, 2, 1; …

    Source: Zhang 2019 (Binomial-5 and its kin).
    """
    return np.array([math.comb(taps - 1, m) for m in range(taps)]) / 2.0 ** (taps - 1)


def blur(x: Floats, taps: int, *, stride: int = 1, fill: Fill = "zero") -> Floats:
    """The last axis smoothed by a binomial filter of so many taps, then thinned out by ``stride``; (…, ceil(n / stride)).

    Source: Zhang 2019, section 3.2.
    """
    # y[i] = sum_m C(taps - 1, m) / 2^(taps - 1) x[s i + m - p]
    kernel = binomial_filter(taps)[None, None]  # (1, 1, taps)
    return correlate(x[..., None, :], kernel, stride=stride, padding="same", fill=fill)[..., 0, :]


def max_blur_pool(x: Floats, size: int, taps: int, *, circular: bool = False) -> Floats:
    """Max-pooling of the last axis with its two parts told apart: a maximum at every place, then a blur that thins out by ``size``.

    ``circular`` lets the windows run on at the other end; else only whole windows count and the blur sees zeros beyond the ends.

    Source: Zhang 2019, section 3.2.
    """
    fill: Fill = "circular" if circular else "zero"
    ends: Pads = [(0, size - 1 if circular else 0)]
    # Max_{k, s} = Subsample_s after Blur after Max_{k, 1}
    dense = max_pool(pad(x, ends, fill), (size,), stride=(1,)).y  # (..., n)
    return blur(dense, taps, stride=size, fill=fill)  # (..., ceil(n / size))


def _both_ends(size: Sequence[int], padding: Sequence[int]) -> list[tuple[int, int]]:
    return [(p, p) for p in padding] if padding else [(0, 0)] * len(size)


def _collected(
    d_windows: Floats, shape: Sequence[int], stride: Sequence[int], pads: Pads, dims: int
) -> Floats:
    padded = [n + before + after for n, (before, after) in zip(shape, pads, strict=True)]
    return pad_backward(windows_backward(d_windows, padded, stride, (1,) * dims), pads)
