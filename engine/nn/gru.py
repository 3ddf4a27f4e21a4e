"""The gated recurrent unit in its conventions: which way z points, and where the reset gate acts.

Shapes, time first: T steps, a batch (…) of sequences, hidden width H, input width D.
Sources: Cho et al. 2014 (EMNLP), equations 5-8; Chung et al. 2014, section 3.2. Of the gate r applied after the
recurrent matrix: Cho et al. 2014, first arXiv version, and cuDNN, PyTorch, and Keras by default.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from engine.nn.sigmoid import SATURATES, sigmoid_slope

Numbers: TypeAlias = NDArray[Any]
"""Floating or complex: a complex forward pass carries a derivative in its imaginary part."""

GateOrder = Literal["rzn", "zrn"]
"""How the three affine maps are stacked: r reset gate, z update gate, n candidate. rzn: PyTorch; zrn: Keras, ONNX."""

Update = Literal["keep", "write"]
"""What z multiplies: the old state (keep, h = z h' + (1-z) n) or the candidate (write, h = (1-z) h' + z n)."""

Reset = Literal["before", "after"]
"""Where r acts: on the state before the recurrent matrix, U (r * h'), or on its product after it, r * (U h' + b')."""


class GRUConvention(NamedTuple):
    """The two choices in which implementations of the GRU differ."""

    update: Update
    reset: Reset


CONVENTIONS = {
    "Chung": GRUConvention("write", "before"),
    "Cho": GRUConvention("keep", "before"),
    "PyTorch": GRUConvention("keep", "after"),
}
"""Chung et al. 2014, equations 4-5 of section 3.2; Cho et al. 2014 (EMNLP), equations 7-8; torch.nn.GRU."""


@dataclass(frozen=True)
class GRUWeights:
    """``recurrent`` (3H, H) and ``inputs`` (3H, D), the three maps stacked; ``bias`` (3H,) on the side of the input, or
    (2, 3H), the second on the side of the state: with reset "after" the candidate's two act differently."""

    recurrent: Numbers
    inputs: Numbers
    bias: Numbers


class GRUTrace(NamedTuple):
    """Every intermediate, (T, …, H) but for the last: the gates ``reset_gate`` r_t and ``update_gate`` z_t, ``candidate``
    n_t, ``recalled`` (U h_{t-1} + b' with reset "after", r_t * h_{t-1} with "before"), ``hidden`` h_0 … h_T (T+1, …, H)."""

    reset_gate: Numbers
    update_gate: Numbers
    candidate: Numbers
    recalled: Numbers
    hidden: Numbers


class GRUGradient(NamedTuple):
    """``hidden`` dL/dh_t (T+1, …, H), each through every later step; ``x`` dL/dx (T, …, D); ``weights`` summed over
    time and batch."""

    hidden: Numbers
    x: Numbers
    weights: GRUWeights


def gru_forward(
    x: Numbers,
    h_0: Numbers,
    weights: GRUWeights,
    *,
    update: Update = "keep",
    reset: Reset = "after",
    order: GateOrder = "rzn",
) -> GRUTrace:
    """All gates and states of the sequence ``x`` (T, …, D) from ``h_0`` (…, H)."""
    of_inputs, of_state = _biases(weights.bias)
    # the input's part W x_t + b does not wait for the state: one product for all steps
    drive = x @ weights.inputs.T + of_inputs  # (T, ..., 3H)
    return gru_driven(drive, h_0, weights.recurrent, of_state, update=update, reset=reset, order=order)


@SATURATES
def gru_driven(
    drive: Numbers,
    h_0: Numbers,
    recurrent: Numbers,
    recurrent_bias: Numbers | None = None,
    *,
    update: Update = "keep",
    reset: Reset = "after",
    order: GateOrder = "rzn",
) -> GRUTrace:
    """As :func:`gru_forward`, with ``drive`` = W x_t + b (T, …, 3H) already formed."""
    steps, width = drive.shape[0], h_0.shape[-1]
    bias = np.zeros(3 * width) if recurrent_bias is None else recurrent_bias
    dtype = np.result_type(drive, h_0, recurrent)
    r_at, z_at, n_at, gates = _blocks(order, width)
    # of drive's own kind of array, so that an array that counts its operations goes on counting
    squashed = np.empty_like(drive, dtype, shape=(steps, *h_0.shape[:-1], 2 * width))
    candidate = np.empty_like(drive, dtype, shape=(steps, *h_0.shape))
    recalled = np.empty_like(candidate)
    hidden = np.empty_like(drive, dtype, shape=(steps + 1, *h_0.shape))
    hidden[0] = h_0
    r, z = squashed[..., r_at], squashed[..., z_at]
    n, of_candidate = candidate, drive[..., n_at]
    all_maps, gate_maps, candidate_map = recurrent.T, recurrent[gates].T, recurrent[n_at].T
    for t in range(steps):
        h = hidden[t]
        if reset == "after":
            of_state = h @ all_maps + bias  # (..., 3H)
            of_gates = of_state[..., gates]
        else:
            of_gates = h @ gate_maps + bias[gates]  # (..., 2H)
        # r_t, z_t = sigma(W x_t + U h_{t-1} + b)
        squashed[t] = 1.0 / (1.0 + np.exp(-(drive[t][..., gates] + of_gates)))  # (..., 2H)
        if reset == "after":
            # n_t = tanh(W x_t + b + r_t * (U h_{t-1} + b'))
            recalled[t] = of_state[..., n_at]  # (..., H)
            n[t] = np.tanh(of_candidate[t] + r[t] * recalled[t])  # (..., H)
        else:
            # n_t = tanh(W x_t + b + U (r_t * h_{t-1}))
            recalled[t] = r[t] * h  # (..., H)
            n[t] = np.tanh(of_candidate[t] + recalled[t] @ candidate_map + bias[n_at])  # (..., H)
        if update == "keep":
            # h_t = z_t * h_{t-1} + (1 - z_t) * n_t
            hidden[t + 1] = z[t] * h + (1.0 - z[t]) * n[t]  # (..., H)
        else:
            # h_t = (1 - z_t) * h_{t-1} + z_t * n_t
            hidden[t + 1] = (1.0 - z[t]) * h + z[t] * n[t]  # (..., H)
    return GRUTrace(r, z, candidate, recalled, hidden)


@SATURATES
def gru_gated_by_input(
    x: Numbers, h_0: Numbers, weights: GRUWeights, *, update: Update = "keep", order: GateOrder = "rzn"
) -> GRUTrace:
    """As :func:`gru_forward` with reset "before" where U = 0: no gate waits for a state and no candidate for a gate, so
    all are formed at once and only the average is left to a loop.

    Source: Bradbury et al. 2017, equation 3 with a window of one (f-pooling).

    Raises:
        ValueError: a recurrent weight that is not 0, or biases of the state's own.
    """
    if weights.recurrent.any() or weights.bias.ndim != 1:
        raise ValueError("a gate that reads the state has to wait for it")
    r_at, z_at, n_at, _ = _blocks(order, h_0.shape[-1])
    drive = x @ weights.inputs.T + weights.bias  # (T, ..., 3H)
    # r_t, z_t = sigma(W x_t + b)
    r, z = (1.0 / (1.0 + np.exp(-drive[..., at])) for at in (r_at, z_at))  # (T, ..., H)
    # n_t = tanh(W x_t + b)
    n = np.tanh(drive[..., n_at])  # (T, ..., H)
    kept, written = (z, (1.0 - z) * n) if update == "keep" else (1.0 - z, z * n)
    hidden = np.empty((len(x) + 1, *h_0.shape), n.dtype)
    hidden[0] = h_0
    for before, after, kept_t, written_t in zip(hidden, hidden[1:], kept, written, strict=False):
        # h_t = z_t * h_{t-1} + (1 - z_t) * n_t, or (1 - z_t) * h_{t-1} + z_t * n_t where z writes
        np.multiply(kept_t, before, out=after)  # (..., H)
        after += written_t
    return GRUTrace(r, z, n, r * hidden[:-1], hidden)


def gru_backward(
    trace: GRUTrace,
    x: Numbers,
    weights: GRUWeights,
    d_hidden: Numbers,
    *,
    update: Update = "keep",
    reset: Reset = "after",
    order: GateOrder = "rzn",
) -> GRUGradient:
    """Backpropagation through time from the loss's direct parts ``d_hidden`` (T+1, …, H)."""
    width = trace.hidden.shape[-1]
    r_at, z_at, n_at, gates = _blocks(order, width)
    U, U_n = weights.recurrent, weights.recurrent[n_at]
    total = np.array(d_hidden, dtype=np.result_type(d_hidden, trace.hidden, U), subok=True)
    pre = np.empty_like(total, shape=(*trace.candidate.shape[:-1], 3 * width))
    # what reaches U_n h + b' (reset "after") or U_n (r * h) + b' (before)
    at_recalled = np.empty_like(trace.candidate)
    for t in range(len(pre) - 1, -1, -1):
        r, z, n, h = trace.reset_gate[t], trace.update_gate[t], trace.candidate[t], trace.hidden[t]
        kept, written = (z, 1.0 - z) if update == "keep" else (1.0 - z, z)
        # dL/dn_t = dL/dh_t * (the share written); dL/da_n = dL/dn_t (1 - n_t^2)
        d_n = total[t + 1] * written * (1.0 - n**2)  # (..., H)
        # dL/dz_t = dL/dh_t * (h_{t-1} - n_t), or its negative where z writes
        d_z = total[t + 1] * (h - n if update == "keep" else n - h)  # (..., H)
        # dL/dh_{t-1} = direct part + dL/dh_t * (the share kept)
        total[t] += total[t + 1] * kept  # (..., H)
        if reset == "after":
            # dL/dr_t = dL/da_n * (U h_{t-1} + b')
            d_r = d_n * trace.recalled[t]  # (..., H)
            # dL/d(U h_{t-1} + b') = dL/da_n * r_t
            at_recalled[t] = d_n * r  # (..., H)
            total[t] += at_recalled[t] @ U_n  # (..., H)
        else:
            # dL/d(r_t * h_{t-1}) = U^T dL/da_n
            d_masked = d_n @ U_n  # (..., H)
            d_r = d_masked * h
            at_recalled[t] = d_n
            total[t] += d_masked * r
        # dL/da_r = dL/dr_t sigma'(a_r), dL/da_z = dL/dz_t sigma'(a_z)
        pre[t][..., r_at], pre[t][..., z_at] = d_r * sigmoid_slope(r), d_z * sigmoid_slope(z)
        pre[t][..., n_at] = d_n
        total[t] += pre[t][..., gates] @ U[gates]
    flat = pre.reshape(-1, 3 * width)  # (T*B, 3H)
    # on the state's side the candidate's block is what reaches U: the same as ``flat`` but for reset "after"
    flat_state = flat.copy()
    flat_state[:, n_at] = at_recalled.reshape(-1, width)
    before = trace.hidden[:-1].reshape(-1, width)  # (T*B, H)
    d_recurrent = flat_state.T @ before  # (3H, H)
    if reset == "before":
        # dL/dU_n = sum_t dL/da_n (r_t * h_{t-1})^T
        d_recurrent[n_at] = flat[:, n_at].T @ trace.recalled.reshape(-1, width)  # (H, H)
    d_bias = flat.sum(axis=0)
    if weights.bias.ndim == 2:
        d_bias = np.stack([d_bias, flat_state.sum(axis=0)])
    return GRUGradient(
        hidden=total,
        # dL/dx_t = W^T dL/da_t
        x=pre @ weights.inputs,  # (T, ..., D)
        weights=GRUWeights(
            recurrent=d_recurrent,
            # dL/dW = sum_t dL/da_t x_t^T
            inputs=flat.T @ x.reshape(-1, x.shape[-1]),  # (3H, D)
            # dL/db = sum_t dL/da_t
            bias=d_bias,  # (3H,) or (2, 3H)
        ),
    )


def _biases(bias: Numbers) -> tuple[Numbers, Numbers | None]:
    return (bias, None) if bias.ndim == 1 else (bias[0], bias[1])


def _blocks(order: GateOrder, width: int) -> tuple[slice, slice, slice, slice]:
    """Where r, z and n stand in the stacked maps, and where the two gates stand together: before the candidate."""
    at = {gate: slice(k * width, (k + 1) * width) for k, gate in enumerate(order)}
    return at["r"], at["z"], at["n"], slice(0, 2 * width)
