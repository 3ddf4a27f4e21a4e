"""Convolutions that split channels: grouped, depthwise, and depthwise separable.

Shapes: x (…, C_in, *n), weight (C_out, C_in / groups, *k), bias (C_out,), y (…, C_out, *out). Outputs o of group g see the input
channels of group g alone; channels of a group stand side by side. Sources: Krizhevsky, Sutskever, Hinton 2012, section 3.2
(groups); Howard et al. 2017, section 3.1 (depthwise separable); the layout is that of PyTorch.
"""

from __future__ import annotations

import numpy as np

from engine.nn.convolution import Padding, PerAxis, correlate
from engine.nn.windows import Floats


def grouped_correlate(
    x: Floats,
    weight: Floats,
    bias: Floats | None = None,
    *,
    groups: int = 1,
    stride: PerAxis = 1,
    dilation: PerAxis = 1,
    padding: Padding = 0,
) -> Floats:
    """Cross-correlation in ``groups`` that do not see each other: y (…, C_out, *out); depthwise where groups = C_in.

    Raises:
        ValueError: the groups do not divide the channels, or the weight sees another number of channels than a group has.
    """
    dims = weight.ndim - 2
    channel = x.ndim - dims - 1
    inputs, outputs = x.shape[channel], len(weight)
    if groups < 1 or inputs % groups or outputs % groups or weight.shape[1] * groups != inputs:
        raise ValueError(
            f"{inputs} channels in, {outputs} out and a weight for {weight.shape[1]} in {groups} groups"
        )
    parts = zip(np.split(x, groups, channel), np.split(weight, groups), strict=True)
    # y_g = w_g * x_g: group g of the outputs from group g of the inputs
    y = np.concatenate(
        [correlate(of_x, of_w, stride=stride, dilation=dilation, padding=padding) for of_x, of_w in parts],
        channel,
    )  # (..., C_out, *out)
    return y if bias is None else y + bias.reshape(-1, *(1,) * dims)


def block_diagonal(weight: Floats, groups: int) -> Floats:
    """The full weight (C_out, C_in, *k) of the grouped one (C_out, C_in / groups, *k): zero between groups."""
    outputs, inputs = weight.shape[:2]
    full = np.zeros((outputs, inputs * groups, *weight.shape[2:]), weight.dtype)
    for group in range(groups):
        rows = slice(group * outputs // groups, (group + 1) * outputs // groups)
        full[rows, group * inputs : (group + 1) * inputs] = weight[rows]
    return full


def separable_correlate(x: Floats, depthwise: Floats, pointwise: Floats, *, padding: Padding = 0) -> Floats:
    """A filter for each channel, ``depthwise`` (C_in, 1, *k), then a mixture of channels, ``pointwise`` (C_out, C_in, 1, …).

    Source: Howard et al. 2017, section 3.1.
    """
    # y[o] = sum_c v[o, c] (w[c] * x[c])
    filtered = grouped_correlate(x, depthwise, groups=len(depthwise), padding=padding)  # (..., C_in, *out)
    return correlate(filtered, pointwise)  # (..., C_out, *out)
