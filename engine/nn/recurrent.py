"""The vanilla (Elman) recurrent network: forward, its step Jacobian, and backpropagation through time.

Shapes, time first: T steps, a batch (…) of sequences, hidden width H, input width D.
Sources: Elman 1990; Werbos 1990 (backpropagation through time); Pascanu, Mikolov and Bengio 2013, section 2.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

Numbers: TypeAlias = NDArray[Any]
"""Floating or complex: a complex forward pass carries a derivative in its imaginary part."""

Activation = Literal["tanh", "relu", "linear"]


@dataclass(frozen=True)
class RNNWeights:
    """``recurrent`` W (H, H), ``inputs`` U (H, D), ``bias`` b (H,), where PyTorch keeps two biases, their sum."""

    recurrent: Numbers
    inputs: Numbers
    bias: Numbers


class RNNTrace(NamedTuple):
    """``pre_activations`` a_1 … a_T (T, …, H) and ``hidden`` h_0 … h_T (T+1, …, H), h_0 the given state."""

    pre_activations: Numbers
    hidden: Numbers


class RNNGradient(NamedTuple):
    """``hidden`` dL/dh_0 … dL/dh_T (T+1, …, H), each through every later step; ``x`` dL/dx (T, …, D);
    ``weights`` summed over time and batch."""

    hidden: Numbers
    x: Numbers
    weights: RNNWeights


def activate(a: Numbers, activation: Activation) -> Numbers:
    """φ(a), same shape."""
    match activation:
        case "tanh":
            out: Numbers = np.tanh(a)
            return out
        case "relu":
            return np.maximum(a, 0.0)
        case "linear":
            return a


def activation_slope(a: Numbers, activation: Activation) -> Numbers:
    """φ'(a), same shape; relu' at 0 is 0, as in PyTorch."""
    match activation:
        case "tanh":
            # tanh' = 1 - tanh^2, at the pre-activation a and not at h
            return 1.0 - np.tanh(a) ** 2
        case "relu":
            return np.where(a > 0, 1.0, 0.0)
        case "linear":
            return np.ones_like(a)


def rnn_forward(x: Numbers, h_0: Numbers, weights: RNNWeights, activation: Activation = "tanh") -> RNNTrace:
    """All states of the sequence ``x`` (T, …, D) from ``h_0`` (…, H)."""
    # the input's part U x_t + b does not wait for the state: one product for all steps
    drive = x @ weights.inputs.T + weights.bias  # (T, ..., H)
    return rnn_driven(drive, h_0, weights.recurrent, activation)


def rnn_driven(drive: Numbers, h_0: Numbers, recurrent: Numbers, activation: Activation = "tanh") -> RNNTrace:
    """As :func:`rnn_forward`, with ``drive`` = U x_t + b (T, …, H) already formed."""
    steps = drive.shape[0]
    dtype = np.result_type(drive, h_0, recurrent)
    pre_activations = np.empty((steps, *h_0.shape), dtype)
    hidden = np.empty((steps + 1, *h_0.shape), dtype)
    hidden[0] = h_0
    # row by row in memory: for a few sequences BLAS takes twice as long with a transposed view
    transposed = recurrent.T.copy()  # (H, H)
    for t in range(steps):
        # a_t = W h_{t-1} + U x_t + b
        pre_activations[t] = hidden[t] @ transposed + drive[t]  # (..., H)
        # h_t = phi(a_t)
        hidden[t + 1] = activate(pre_activations[t], activation)  # (..., H)
    return RNNTrace(pre_activations, hidden)


def step_jacobian(pre_activation: Numbers, recurrent: Numbers, activation: Activation = "tanh") -> Numbers:
    """∂h_t/∂h_{t-1} at ``pre_activation`` a_t (…, H): (…, H, H), entry [i, j] = ∂h_{t,i}/∂h_{t-1,j}.

    Source: Pascanu et al. 2013, equation 5, for h = φ(W h' + …) instead of x = W φ(x') + ….
    """
    # J_t = diag(phi'(a_t)) W
    return activation_slope(pre_activation, activation)[..., :, None] * recurrent  # (..., H, H)


TINY = 1e-30
"""Size of an imaginary perturbation: its square is lost beside 1, its own digits are not."""


def state_perturbation(
    drive: Numbers, h_0: Numbers, recurrent: Numbers, direction: Numbers, activation: Activation = "tanh"
) -> Numbers:
    """How all later states move when ``h_0`` moves along ``direction`` (…, H): (T+1, …, H), per unit of it.

    The state is moved by an imaginary amount and the network is run: the imaginary part is the
    derivative, with no difference of nearly equal numbers in it. For ``tanh`` and ``linear``.
    Source: Squire and Trapp 1998.
    """
    start = h_0 + 1j * TINY * direction
    # Im f(h + i eps v) / eps = f'(h) v + O(eps^2)
    moved = rnn_driven(drive.astype(complex), start, recurrent.astype(complex), activation)
    return moved.hidden.imag / TINY


def hidden_gradients(
    trace: RNNTrace, recurrent: Numbers, d_hidden: Numbers, activation: Activation = "tanh"
) -> Numbers:
    """dL/dh_0 … dL/dh_T (T+1, …, H) from the loss's direct parts ``d_hidden`` (T+1, …, H).

    Where the loss reads the last state alone, ``d_hidden`` is zero but for its last row.
    """
    total = np.array(d_hidden, dtype=np.result_type(d_hidden, recurrent, trace.hidden))
    slopes = activation_slope(trace.pre_activations, activation)  # (T, ..., H)
    for t in range(len(slopes), 0, -1):
        # dL/dh_{t-1} = direct part + J_t^T dL/dh_t = direct part + W^T (phi'(a_t) * dL/dh_t)
        total[t - 1] += (slopes[t - 1] * total[t]) @ recurrent  # (..., H)
    return total


def rnn_backward(
    trace: RNNTrace, x: Numbers, weights: RNNWeights, d_hidden: Numbers, activation: Activation = "tanh"
) -> RNNGradient:
    """Backpropagation through time from the loss's direct parts ``d_hidden`` (T+1, …, H)."""
    total = hidden_gradients(trace, weights.recurrent, d_hidden, activation)  # (T+1, ..., H)
    # dL/da_t = phi'(a_t) * dL/dh_t
    d_pre = activation_slope(trace.pre_activations, activation) * total[1:]  # (T, ..., H)
    flat = d_pre.reshape(-1, d_pre.shape[-1])  # (T*B, H)
    before = trace.hidden[:-1].reshape(-1, d_pre.shape[-1])  # (T*B, H)
    return RNNGradient(
        hidden=total,
        # dL/dx_t = U^T dL/da_t
        x=d_pre @ weights.inputs,  # (T, ..., D)
        weights=RNNWeights(
            # dL/dW = sum_t dL/da_t h_{t-1}^T: one matrix, used at every step
            recurrent=flat.T @ before,  # (H, H)
            # dL/dU = sum_t dL/da_t x_t^T
            inputs=flat.T @ x.reshape(-1, x.shape[-1]),  # (H, D)
            # dL/db = sum_t dL/da_t
            bias=flat.sum(axis=0),  # (H,)
        ),
    )
