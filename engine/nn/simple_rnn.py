"""The one-cell recurrent classifier of tutorials, in the two read-outs met in the wild, forward and backward.

Shapes, time first: T steps, a batch (…), input D, hidden H, classes C. ``combined`` is how a widely copied cell
reads out: from what enters the step, so from the OLD state. ``state`` is Elman 1990: from the new one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

Numbers: TypeAlias = NDArray[Any]
"""Floating or complex: a complex forward pass carries a derivative in its imaginary part."""

ReadOut = Literal["combined", "state"]


@dataclass(frozen=True)
class SimpleRNNWeights:
    """``i2h`` (H, D+H) and its bias (H,); ``i2o`` (C, D+H) for ``combined``, (C, H) for ``state``, and its bias (C,)."""

    i2h: Numbers
    i2h_bias: Numbers
    i2o: Numbers
    i2o_bias: Numbers


class SimpleRNNTrace(NamedTuple):
    """``logits`` (T, …, C), ``hidden`` h_0 … h_T (T+1, …, H), ``combined`` (T, …, D+H)."""

    logits: Numbers
    hidden: Numbers
    combined: Numbers


def simple_rnn(
    x: Numbers, h_0: Numbers, weights: SimpleRNNWeights, read_out: ReadOut = "state"
) -> SimpleRNNTrace:
    """Logits and states of the sequence ``x`` (T, …, D) from ``h_0`` (…, H)."""
    hidden, combined, logits = [h_0], [], []
    for x_t in x:
        # c_t = [x_t, h_{t-1}]
        c_t = np.concatenate((x_t, hidden[-1]), axis=-1)  # (…, D+H)
        # h_t = tanh(W_i2h c_t + b)
        h_t = np.tanh(c_t @ weights.i2h.T + weights.i2h_bias)  # (…, H)
        # logits_t = W_i2o c_t + b' (h_t is not in it), or W_i2o h_t + b'
        read = c_t if read_out == "combined" else h_t
        logits.append(read @ weights.i2o.T + weights.i2o_bias)  # (…, C)
        hidden.append(h_t)
        combined.append(c_t)
    return SimpleRNNTrace(np.stack(logits), np.stack(hidden), np.stack(combined))


def simple_rnn_backward(
    trace: SimpleRNNTrace, weights: SimpleRNNWeights, d_logits: Numbers, read_out: ReadOut = "state"
) -> SimpleRNNWeights:
    """dL/dweights, summed over time and batch, from dL/dlogits (T, …, C)."""
    inputs = trace.combined.shape[-1] - trace.hidden.shape[-1]
    d_i2h, d_i2h_bias = np.zeros_like(weights.i2h), np.zeros_like(weights.i2h_bias)
    d_h = np.zeros_like(trace.hidden[0])  # dL/dh_t by way of later steps, (…, H)
    for t in range(len(d_logits) - 1, -1, -1):
        d_read = d_logits[t] @ weights.i2o  # (…, D+H) or (…, H)
        if read_out == "state":
            d_h = d_h + d_read
        # dL/da_t = (1 - h_t^2) dL/dh_t
        d_a = (1 - trace.hidden[t + 1] ** 2) * d_h  # (…, H)
        # dL/dW_i2h = sum_t dL/da_t c_t^T
        d_i2h += _outer(d_a, trace.combined[t])  # (H, D+H)
        d_i2h_bias += d_a.reshape(-1, d_a.shape[-1]).sum(axis=0)
        d_h = (d_a @ weights.i2h)[..., inputs:]
        if read_out == "combined":
            d_h = d_h + d_read[..., inputs:]
    read = trace.combined if read_out == "combined" else trace.hidden[1:]
    return SimpleRNNWeights(
        d_i2h,
        d_i2h_bias,
        _outer(d_logits, read),  # (C, D+H) or (C, H)
        d_logits.reshape(-1, d_logits.shape[-1]).sum(axis=0),
    )


def _outer(left: Numbers, right: Numbers) -> Numbers:
    """Σ left rightᵀ over all leading axes."""
    product: Numbers = left.reshape(-1, left.shape[-1]).T @ right.reshape(-1, right.shape[-1])
    return product
