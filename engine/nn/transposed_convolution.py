"""Transposed convolution: the adjoint of :func:`engine.nn.convolution.correlate`, as a layer of its own.

Shapes: x (…, C_in, *n), weight (C_in, C_out, *k), bias (C_out,), y (…, C_out, *out) with
out = (n - 1) stride - 2 padding + dilation (k - 1) + 1 + output_padding. The weight is that of the correlation from y to x.
Sources: Dumoulin, Visin 2016, chapter 4; Zeiler et al. 2010 call it deconvolution, which it is not.
"""

from __future__ import annotations

import numpy as np

from engine.nn.convolution import PerAxis, geometry
from engine.nn.windows import Floats, pad_backward, windows_backward


def transposed_length(
    length: int, size: int, stride: int = 1, dilation: int = 1, padding: int = 0, output_padding: int = 0
) -> int:
    """Places of the output.

    Source: Dumoulin, Visin 2016, relationship 14.
    """
    return (length - 1) * stride - 2 * padding + dilation * (size - 1) + 1 + output_padding


def transposed_correlate(
    x: Floats,
    weight: Floats,
    bias: Floats | None = None,
    *,
    stride: PerAxis = 1,
    dilation: PerAxis = 1,
    padding: int = 0,
    output_padding: PerAxis = 0,
) -> Floats:
    """Every input lays down a copy of the kernel, ``stride`` places from its neighbour's; copies add up.

    ``output_padding`` adds places behind, which a correlation with a stride would have skipped.

    Raises:
        ValueError: not one number for each axis, or no place left for an output.
    """
    strides, dilations, pads = geometry(weight, stride, dilation, padding)
    dims = weight.ndim - 2
    extra = (output_padding,) * dims if isinstance(output_padding, int) else tuple(output_padding)
    channel = x.ndim - dims - 1
    shape = [
        transposed_length(n, k, s, d, 0, more)
        for n, k, s, d, more in zip(
            x.shape[channel + 1 :], weight.shape[2:], strides, dilations, extra, strict=True
        )
    ]
    if any(length <= 2 * padding for length in shape):
        raise ValueError(f"{shape} places less a padding of {padding} at both ends")
    # y[o, s i + d m - p] collects w[c, o, m] x[c, i]
    spread = np.tensordot(x, weight, ([channel], [0]))  # (..., *n, C_out, *k)
    copies = np.moveaxis(spread, spread.ndim - dims - 1, channel)  # (..., C_out, *n, *k)
    y = pad_backward(windows_backward(copies, shape, strides, dilations), pads)  # (..., C_out, *out)
    return y if bias is None else y + bias.reshape(-1, *(1,) * dims)
