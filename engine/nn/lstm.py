"""Long short-term memory: one cell over a sequence, with every intermediate, and backpropagation through time.

Shapes, time first: T steps, a batch (…) of sequences, hidden width H, input width D.
Sources: Hochreiter and Schmidhuber 1997 (cell, input and output gate); Gers, Schmidhuber and Cummins 2000 (forget
gate); Greff et al. 2017, section 2 (the vanilla form computed here, without peepholes, and its backward pass).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from engine.nn.recurrent import TINY
from engine.nn.sigmoid import SATURATES, sigmoid_slope

Numbers: TypeAlias = NDArray[Any]
"""Floating or complex: a complex forward pass carries a derivative in its imaginary part."""

GateOrder = Literal["ifgo", "ifog", "igfo", "iofg"]
"""How the four affine maps are stacked: i input gate, f forget gate, o output gate, g candidate.

ifgo: PyTorch, cuDNN, Keras (there written i, f, c, o). igfo: TensorFlow 1 (i, j, f, o). iofg: ONNX.
ifog: many hand-written cells that split one linear map into the three gates and then the candidate.
"""


@dataclass(frozen=True)
class LSTMWeights:
    """``recurrent`` (4H, H) and ``inputs`` (4H, D), the four maps stacked; ``bias`` (4H,), or (2, 4H) where a library
    keeps one for the input and one for the state: only their sum acts."""

    recurrent: Numbers
    inputs: Numbers
    bias: Numbers


class LSTMTrace(NamedTuple):
    """Every intermediate: pre-activations of the gates and of the candidate (T, …, 4H) in the order of the weights;
    ``input_gate``, ``forget_gate``, ``output_gate``, ``candidate`` (T, …, H); ``squashed`` tanh(c_t) (T, …, H);
    ``cell`` c_0 … c_T and ``hidden`` h_0 … h_T (T+1, …, H), the first of each the given one."""

    pre_activations: Numbers
    input_gate: Numbers
    forget_gate: Numbers
    output_gate: Numbers
    candidate: Numbers
    squashed: Numbers
    cell: Numbers
    hidden: Numbers


class LSTMStateGradients(NamedTuple):
    """dL/dh_t and dL/dc_t (T+1, …, H), each through every later use; ``pre_activations`` (T, …, 4H)."""

    hidden: Numbers
    cell: Numbers
    pre_activations: Numbers


class LSTMGradient(NamedTuple):
    """As :class:`LSTMStateGradients`, with dL/dx (T, …, D) and the weights' gradients summed over time and batch."""

    hidden: Numbers
    cell: Numbers
    x: Numbers
    weights: LSTMWeights


def reorder(stacked: Numbers, source: GateOrder, target: GateOrder, axis: int = 0) -> Numbers:
    """Four equal blocks along ``axis``, stacked as ``source`` says, stacked anew as ``target`` says: weights carried
    from one library to another."""
    blocks = dict(zip(source, np.split(stacked, 4, axis=axis), strict=True))
    return np.concatenate([blocks[gate] for gate in target], axis=axis)


def lstm_forward(
    x: Numbers, h_0: Numbers, c_0: Numbers, weights: LSTMWeights, order: GateOrder = "ifgo"
) -> LSTMTrace:
    """All gates and states of the sequence ``x`` (T, …, D) from ``h_0`` and ``c_0`` (…, H)."""
    bias = weights.bias if weights.bias.ndim == 1 else weights.bias.sum(axis=0)
    # the input's part W_x x_t + b does not wait for the state: one product for all steps
    drive = x @ weights.inputs.T + bias  # (T, ..., 4H)
    return lstm_driven(drive, h_0, c_0, weights.recurrent, order)


@SATURATES
def lstm_driven(
    drive: Numbers, h_0: Numbers, c_0: Numbers, recurrent: Numbers, order: GateOrder = "ifgo"
) -> LSTMTrace:
    """As :func:`lstm_forward`, with ``drive`` = W_x x_t + b (T, …, 4H) already formed."""
    steps, width = drive.shape[0], h_0.shape[-1]
    dtype = np.result_type(drive, h_0, c_0, recurrent)
    at = {gate: slice(k * width, (k + 1) * width) for k, gate in enumerate(order)}
    # of drive's own kind of array, so that an array that counts its operations goes on counting
    pre_activations = np.empty_like(drive, dtype, shape=(steps, *h_0.shape[:-1], 4 * width))
    gates = np.empty_like(pre_activations)
    cell = np.empty_like(drive, dtype, shape=(steps + 1, *h_0.shape))
    hidden = np.empty_like(cell)
    squashed = np.empty_like(drive, dtype, shape=(steps, *h_0.shape))
    cell[0], hidden[0] = c_0, h_0
    i, f, o, g = (gates[..., at[gate]] for gate in "ifog")
    transposed = recurrent.T
    for t in range(steps):
        # a_t = W_h h_{t-1} + W_x x_t + b
        a = hidden[t] @ transposed + drive[t]  # (..., 4H)
        pre_activations[t] = a
        # i_t, f_t, o_t = sigma(a_i), sigma(a_f), sigma(a_o): all four blocks at once, the candidate's written over
        gates[t] = 1.0 / (1.0 + np.exp(-a))  # (..., 4H)
        # g_t = tanh(a_g)
        g[t] = np.tanh(a[..., at["g"]])  # (..., H)
        # c_t = f_t * c_{t-1} + i_t * g_t
        cell[t + 1] = f[t] * cell[t] + i[t] * g[t]  # (..., H)
        # h_t = o_t * tanh(c_t)
        squashed[t] = np.tanh(cell[t + 1])  # (..., H)
        hidden[t + 1] = o[t] * squashed[t]  # (..., H)
    return LSTMTrace(pre_activations, i, f, o, g, squashed, cell, hidden)


@SATURATES
def lstm_gated_by_input(
    x: Numbers, h_0: Numbers, c_0: Numbers, weights: LSTMWeights, order: GateOrder = "ifgo"
) -> LSTMTrace:
    """As :func:`lstm_forward` where W_h = 0: no gate waits for a state, so all are formed at once and only the cell is
    left to a loop.

    Source: Bradbury et al. 2017, equation 5 (ifo-pooling) with a window of one, read out through tanh.

    Raises:
        ValueError: a recurrent weight that is not 0.
    """
    if weights.recurrent.any():
        raise ValueError("a gate that reads the state has to wait for it")
    bias = weights.bias if weights.bias.ndim == 1 else weights.bias.sum(axis=0)
    width = h_0.shape[-1]
    # a_t = W_x x_t + b
    pre_activations = x @ weights.inputs.T + bias  # (T, ..., 4H)
    # i_t, f_t, o_t = sigma(a_i), sigma(a_f), sigma(a_o)
    gates = 1.0 / (1.0 + np.exp(-pre_activations))  # (T, ..., 4H)
    at = {gate: slice(k * width, (k + 1) * width) for k, gate in enumerate(order)}
    i, f, o = (gates[..., at[gate]] for gate in "ifo")  # (T, ..., H)
    # g_t = tanh(a_g)
    g = np.tanh(pre_activations[..., at["g"]])  # (T, ..., H)
    # i_t * g_t
    written = i * g  # (T, ..., H)
    cell = np.empty((len(x) + 1, *h_0.shape), written.dtype)
    cell[0] = c_0
    for before, after, f_t, written_t in zip(cell, cell[1:], f, written, strict=False):
        # c_t = f_t * c_{t-1} + i_t * g_t
        np.multiply(f_t, before, out=after)  # (..., H)
        after += written_t
    squashed = np.tanh(cell[1:])  # (T, ..., H)
    # h_t = o_t * tanh(c_t)
    hidden = np.concatenate((h_0[None], o * squashed))  # (T+1, ..., H)
    return LSTMTrace(pre_activations, i, f, o, g, squashed, cell, hidden)


def lstm_state_gradients(
    trace: LSTMTrace, recurrent: Numbers, d_hidden: Numbers, d_cell: Numbers, order: GateOrder = "ifgo"
) -> LSTMStateGradients:
    """dL/dh_t, dL/dc_t and dL/da_t from the loss's direct parts ``d_hidden`` and ``d_cell`` (T+1, …, H).

    Their batch may be wider than the trace's: one run, many losses at once. Source: Greff et al. 2017, section 2.
    """
    i, f, o, g = trace.input_gate, trace.forget_gate, trace.output_gate, trace.candidate
    batch = np.broadcast_shapes(d_hidden.shape, d_cell.shape, trace.hidden.shape)
    dtype = np.result_type(d_hidden, d_cell, trace.hidden, recurrent)
    width = batch[-1]
    at = {gate: slice(k * width, (k + 1) * width) for k, gate in enumerate(order)}
    hidden, cell = (np.empty_like(trace.hidden, dtype, shape=batch) for _ in range(2))
    hidden[...], cell[...] = d_hidden, d_cell
    pre = np.empty_like(trace.hidden, dtype, shape=(len(i), *batch[1:-1], 4 * width))
    # what a gradient is multiplied by on its way, for all steps at once: (T, ..., H) each
    readout = o * (1.0 - trace.squashed**2)
    by_output = trace.squashed * sigmoid_slope(o)
    by_forget = trace.cell[:-1] * sigmoid_slope(f)
    by_input = g * sigmoid_slope(i)
    by_candidate = i * (1.0 - g**2)
    for t in range(len(i) - 1, -1, -1):
        # dL/dc_t = direct part + o_t (1 - tanh^2 c_t) * dL/dh_t (+ f_{t+1} * dL/dc_{t+1}, added a step ago)
        cell[t + 1] += readout[t] * hidden[t + 1]  # (..., H)
        # dL/da_o = dL/dh_t * tanh(c_t) * sigma'(a_o)
        pre[t, ..., at["o"]] = by_output[t] * hidden[t + 1]  # (..., H)
        # dL/da_f = dL/dc_t * c_{t-1} * sigma'(a_f)
        pre[t, ..., at["f"]] = by_forget[t] * cell[t + 1]  # (..., H)
        # dL/da_i = dL/dc_t * g_t * sigma'(a_i)
        pre[t, ..., at["i"]] = by_input[t] * cell[t + 1]  # (..., H)
        # dL/da_g = dL/dc_t * i_t * tanh'(a_g)
        pre[t, ..., at["g"]] = by_candidate[t] * cell[t + 1]  # (..., H)
        # dL/dc_{t-1} = direct part + f_t * dL/dc_t: the path that skips the gates
        cell[t] += f[t] * cell[t + 1]  # (..., H)
        # dL/dh_{t-1} = direct part + W_h^T dL/da_t: the path through them
        hidden[t] += pre[t] @ recurrent  # (..., H)
    return LSTMStateGradients(hidden, cell, pre)


def lstm_backward(
    trace: LSTMTrace,
    x: Numbers,
    weights: LSTMWeights,
    d_hidden: Numbers,
    d_cell: Numbers,
    order: GateOrder = "ifgo",
) -> LSTMGradient:
    """Backpropagation through time from the loss's direct parts ``d_hidden`` and ``d_cell`` (T+1, …, H)."""
    states = lstm_state_gradients(trace, weights.recurrent, d_hidden, d_cell, order)
    flat = states.pre_activations.reshape(-1, states.pre_activations.shape[-1])  # (T*B, 4H)
    before = trace.hidden[:-1].reshape(-1, trace.hidden.shape[-1])  # (T*B, H)
    return LSTMGradient(
        hidden=states.hidden,
        cell=states.cell,
        # dL/dx_t = W_x^T dL/da_t
        x=states.pre_activations @ weights.inputs,  # (T, ..., D)
        weights=LSTMWeights(
            # dL/dW_h = sum_t dL/da_t h_{t-1}^T
            recurrent=flat.T @ before,  # (4H, H)
            # dL/dW_x = sum_t dL/da_t x_t^T
            inputs=flat.T @ x.reshape(-1, x.shape[-1]),  # (4H, D)
            # dL/db = sum_t dL/da_t, the same for either of two biases
            bias=np.broadcast_to(flat.sum(axis=0), weights.bias.shape).copy(),  # (4H,) or (2, 4H)
        ),
    )


class LSTMPerturbation(NamedTuple):
    """How ``cell`` and ``hidden`` (T+1, …, H) move, per unit by which the first cell is moved."""

    cell: Numbers
    hidden: Numbers


def lstm_cell_perturbation(
    drive: Numbers, h_0: Numbers, c_0: Numbers, recurrent: Numbers, direction: Numbers, read: Numbers
) -> LSTMPerturbation:
    """How all later states move when c_0 moves along ``direction`` (…, H).

    ``read`` (…, H) is the output gate through which h_0 shows c_0: h_0 moves with it. The cell is moved by an imaginary
    amount and the network is run: the imaginary part is the derivative. Source: Squire and Trapp 1998.
    """
    moved_c = c_0 + 1j * TINY * direction
    # h_0 + o_0 (tanh(c_0 + i eps v) - tanh(c_0)), whose real part is h_0 itself
    moved_h = h_0 + 1j * (read * np.tanh(moved_c)).imag
    # Im c_t(c_0 + i eps v) / eps = dc_t/dc_0 v + O(eps^2)
    moved = lstm_driven(drive.astype(complex), moved_h, moved_c, recurrent.astype(complex))
    return LSTMPerturbation(moved.cell.imag / TINY, moved.hidden.imag / TINY)
