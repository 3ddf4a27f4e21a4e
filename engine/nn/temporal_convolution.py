"""The residual block of a temporal convolutional network (TCN): two dilated causal convolutions beside a shortcut.

Shapes: x (…, C, T), filters (H, C, k) and (H, H, k). Source: Bai, Kolter, Koltun 2018, section 3 and figure 1b; weight normalisation, a
way to write the filters, and dropout, which does nothing at inference, are left out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from engine.nn.convolution import ConvolutionGradient, correlate, correlate_backward
from engine.nn.recurrent import activate, activation_slope
from engine.nn.windows import Floats


@dataclass(frozen=True)
class TCNWeights:
    """``first`` (H, C, k), ``second`` (H, H, k) with their biases (H,); ``shortcut`` (H, C, 1) and its bias where H differs from C."""

    first: Floats
    first_bias: Floats
    second: Floats
    second_bias: Floats
    shortcut: Floats | None = None
    shortcut_bias: Floats | None = None


class TCNBlock(NamedTuple):
    """Pre-activations ``first`` and ``second`` (…, H, T) of the two convolutions, ``hidden`` between them, ``total`` before the
    last ReLU and ``y`` after it."""

    first: Floats
    hidden: Floats
    second: Floats
    total: Floats
    y: Floats


class TCNGradient(NamedTuple):
    """``x`` (…, C, T) and ``weights`` like those of the block."""

    x: Floats
    weights: TCNWeights


def tcn_block(x: Floats, weights: TCNWeights, dilation: int) -> TCNBlock:
    """One block over ``x`` (…, C, T); no output sees a later input."""
    # a = W_1 *_d x + b_1
    first = correlate(
        x, weights.first, weights.first_bias, dilation=dilation, padding="causal"
    )  # (..., H, T)
    hidden = activate(first, "relu")  # (..., H, T)
    # b = W_2 *_d relu(a) + b_2
    second = correlate(
        hidden, weights.second, weights.second_bias, dilation=dilation, padding="causal"
    )  # (..., H, T)
    shortcut = (
        x if weights.shortcut is None else correlate(x, weights.shortcut, weights.shortcut_bias)
    )  # (..., H, T)
    # o = relu(x + F(x)), F(x) = relu(b)
    total = shortcut + activate(second, "relu")  # (..., H, T)
    return TCNBlock(first, hidden, second, total, activate(total, "relu"))


def tcn_block_backward(
    block: TCNBlock, x: Floats, weights: TCNWeights, dilation: int, d_y: Floats
) -> TCNGradient:
    """Gradients from dL/dy (…, H, T), with the arguments of the forward pass."""
    d_total = activation_slope(block.total, "relu") * d_y  # (..., H, T)
    # through F: relu(b), then the second convolution, then relu(a), then the first
    d_second = activation_slope(block.second, "relu") * d_total  # (..., H, T)
    outer = correlate_backward(block.hidden, weights.second, d_second, dilation=dilation, padding="causal")
    d_first = activation_slope(block.first, "relu") * outer.x  # (..., H, T)
    inner = correlate_backward(x, weights.first, d_first, dilation=dilation, padding="causal")
    # and through the shortcut
    across: ConvolutionGradient | None = None
    if weights.shortcut is not None:
        across = correlate_backward(x, weights.shortcut, d_total)
    d_x = inner.x + (d_total if across is None else across.x)  # (..., C, T)
    gradient = TCNWeights(
        inner.weight,
        inner.bias,
        outer.weight,
        outer.bias,
        None if across is None else across.weight,
        None if across is None else across.bias,
    )
    return TCNGradient(np.asarray(d_x), gradient)
