"""Convolution layers of any number of axes: cross-correlation, true convolution, and the gradients.

Shapes: x (…, C_in, *n), weight (C_out, C_in, *k), bias (C_out,), y (…, C_out, *out), with as many axes n, k and out as the
weight has beyond two. Sources: Goodfellow, Bengio, Courville 2016, section 9.1; Yu, Koltun 2016 (dilation);
van den Oord et al. 2016, section 2.1 (causal).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from engine.nn.windows import Fill, Floats, pad, pad_backward, windows, windows_backward

Padding: TypeAlias = int | Literal["same", "causal"] | Sequence[tuple[int, int]]
"""Places added at both ends of each axis; ``same`` keeps the length at stride 1 (an odd place goes behind, as in PyTorch);
``causal`` adds all of them in front, so that no output sees a later input; or (before, after) for each axis."""

PerAxis: TypeAlias = int | Sequence[int]


class ConvolutionGradient(NamedTuple):
    """dL/dx, dL/dweight and dL/dbias, each of the shape of its array."""

    x: Floats
    weight: Floats
    bias: Floats


def correlate(
    x: Floats,
    weight: Floats,
    bias: Floats | None = None,
    *,
    stride: PerAxis = 1,
    dilation: PerAxis = 1,
    padding: Padding = 0,
    fill: Fill = "zero",
) -> Floats:
    """Cross-correlation, what deep learning calls convolution: y (…, C_out, *out).

    Raises:
        ValueError: the kernel's span is longer than the padded input.

    Source: Goodfellow et al. 2016, equation 9.6.
    """
    strides, dilations, pads = geometry(weight, stride, dilation, padding)
    dims = weight.ndim - 2
    view = windows(pad(x, pads, fill), weight.shape[2:], strides, dilations)  # (..., C_in, *out, *k)
    channel = view.ndim - 2 * dims - 1
    taps = range(view.ndim - dims, view.ndim)
    # y[o, i] = sum_{c, m} w[o, c, m] x[c, s i + d m - p] + b[o]
    y: Floats = np.tensordot(view, weight, ([channel, *taps], [1, *range(2, 2 + dims)]))  # (..., *out, C_out)
    if bias is not None:
        y = y + bias
    return np.moveaxis(y, -1, channel)  # (..., C_out, *out)


def convolve(
    x: Floats,
    weight: Floats,
    bias: Floats | None = None,
    *,
    stride: PerAxis = 1,
    dilation: PerAxis = 1,
    padding: Padding = 0,
    fill: Fill = "zero",
) -> Floats:
    """Convolution as mathematics has it, over the same windows as :func:`correlate`: the kernel runs backwards.

    Source: Goodfellow et al. 2016, equation 9.4.
    """
    taps = tuple(range(2, weight.ndim))
    # y[o, i] = sum_{c, m} w[o, c, m] x[c, s i - d m + p'] + b[o]: each kernel axis reversed, then correlated
    return correlate(
        x, np.flip(weight, taps), bias, stride=stride, dilation=dilation, padding=padding, fill=fill
    )


def correlate_backward(
    x: Floats,
    weight: Floats,
    d_y: Floats,
    *,
    stride: PerAxis = 1,
    dilation: PerAxis = 1,
    padding: Padding = 0,
    fill: Fill = "zero",
) -> ConvolutionGradient:
    """Gradients from dL/dy (…, C_out, *out), with the arguments of the forward pass.

    Source: Goodfellow et al. 2016, equations 9.11 and 9.13.
    """
    strides, dilations, pads = geometry(weight, stride, dilation, padding)
    dims = weight.ndim - 2
    padded = pad(x, pads, fill)
    view = windows(padded, weight.shape[2:], strides, dilations)  # (..., C_in, *out, *k)
    channel = d_y.ndim - dims - 1
    lead = range(channel)
    places = range(channel + 1, d_y.ndim)
    # dL/dw[o, c, m] = sum_i dL/dy[o, i] x[c, s i + d m - p]
    d_weight = np.tensordot(d_y, view, ([*lead, *places], [*lead, *places]))  # (C_out, C_in, *k)
    # dL/db[o] = sum_i dL/dy[o, i]
    d_bias = d_y.sum(axis=(*lead, *places))  # (C_out,)
    # dL/dx[c, s i + d m - p] collects w[o, c, m] dL/dy[o, i]: a transposed convolution
    spread = np.tensordot(d_y, weight, ([channel], [0]))  # (..., *out, C_in, *k)
    d_windows = np.moveaxis(spread, spread.ndim - dims - 1, channel)  # (..., C_in, *out, *k)
    d_padded = windows_backward(d_windows, padded.shape[-dims:], strides, dilations)  # (..., C_in, *n padded)
    return ConvolutionGradient(pad_backward(d_padded, pads, fill), d_weight, d_bias)


def unfold(
    x: Floats,
    size: Sequence[int],
    *,
    stride: PerAxis = 1,
    dilation: PerAxis = 1,
    padding: Padding = 0,
    fill: Fill = "zero",
) -> Floats:
    """Each window as one row (…, *out, C_in · prod(size)), channels outermost: what a flat kernel is multiplied with.

    Source: Chellapilla, Puri, Simard 2006 ("im2col").
    """
    dims = len(size)
    shape = np.empty((1, 1, *size))
    strides, dilations, pads = geometry(shape, stride, dilation, padding)
    view = windows(pad(x, pads, fill), size, strides, dilations)  # (..., C_in, *out, *k)
    rows = np.moveaxis(view, view.ndim - 2 * dims - 1, view.ndim - dims - 1)  # (..., *out, C_in, *k)
    return rows.reshape(*rows.shape[: rows.ndim - dims - 1], -1)  # (..., *out, C_in prod(k))


def geometry(
    weight: Floats, stride: PerAxis, dilation: PerAxis, padding: Padding
) -> tuple[tuple[int, ...], tuple[int, ...], tuple[tuple[int, int], ...]]:
    """Strides, dilations and (before, after) of each axis of a kernel (C_out, C_in, *k).

    Raises:
        ValueError: not one number for each axis.
    """
    size = weight.shape[2:]
    strides, dilations = (_each(value, len(size)) for value in (stride, dilation))
    totals = [(k - 1) * d for k, d in zip(size, dilations, strict=True)]
    match padding:
        case int():
            pads = tuple((padding, padding) for _ in size)
        case "same":
            pads = tuple((total // 2, total - total // 2) for total in totals)
        case "causal":
            pads = tuple((total, 0) for total in totals)
        case _:
            pads = tuple((int(before), int(after)) for before, after in padding)
    if len(pads) != len(size):
        raise ValueError(f"{len(pads)} paddings for {len(size)} axes")
    return strides, dilations, pads


def _each(value: PerAxis, dims: int) -> tuple[int, ...]:
    each = (value,) * dims if isinstance(value, int) else tuple(value)
    if len(each) != dims:
        raise ValueError(f"{len(each)} values for {dims} axes")
    return each
