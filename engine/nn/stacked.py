"""Stacked and bidirectional recurrent networks over padded batches, in the layout of torch.nn.RNN, LSTM and GRU.

Shapes: T positions, batch B, input width D, hidden width H, layers L, directions K (1, or 2 with a backward pass).
Output (T, B, K H); final states (L K, B, H), layer by layer and within a layer forward before backward.
Sources: Schuster and Paliwal 1997 (bidirectional); Graves, Mohamed and Hinton 2013, section 2 (stacked).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from engine.nn.gru import GRUTrace, GRUWeights, gru_backward, gru_forward
from engine.nn.lstm import LSTMTrace, LSTMWeights, lstm_backward, lstm_forward
from engine.nn.recurrent import RNNTrace, RNNWeights, rnn_backward, rnn_forward

Numbers: TypeAlias = NDArray[Any]
Ints: TypeAlias = NDArray[np.int64]

Kind = Literal["rnn", "lstm", "gru"]
CellWeights: TypeAlias = RNNWeights | LSTMWeights | GRUWeights
CellTrace: TypeAlias = RNNTrace | LSTMTrace | GRUTrace
Layers: TypeAlias = tuple[tuple[CellWeights, ...], ...]
"""``layers[l][k]``: the weights of layer l in direction k, 0 forward and 1 backward."""

MAPS: dict[Kind, int] = {"rnn": 1, "gru": 3, "lstm": 4}
"""Affine maps of state and input in one cell: every gate, and the candidate."""


class Pass(NamedTuple):
    """One layer read in one direction: its input (T, B, ·) in reading order, and all it computed."""

    x: Numbers
    trace: CellTrace


class StackTrace(NamedTuple):
    """``output`` (T, B, K H), zero at padding; ``h_n`` (L K, B, H) and ``c_n`` (the same, LSTM only): each direction's
    state after its last own token; ``passes[l][k]``; ``dropped[l]`` what layer l's output was multiplied by, if anything."""

    output: Numbers
    h_n: Numbers
    c_n: Numbers | None
    passes: tuple[tuple[Pass, ...], ...]
    dropped: tuple[Numbers | None, ...]


class StackGradient(NamedTuple):
    """dL/dx (T, B, D), dL/dh_0 and dL/dc_0 (L K, B, H), and the weights' gradients as the weights are arranged."""

    x: Numbers
    h_0: Numbers
    c_0: Numbers | None
    layers: Layers


@dataclass(frozen=True)
class Dropout:
    """Inverted dropout at this ``rate`` between layers: not after the last, and not from step to step."""

    rate: float
    rng: np.random.Generator


def new_layers(
    kind: Kind,
    inputs: int,
    hidden: int,
    layers: int,
    directions: int,
    fill: Callable[[tuple[int, ...]], Numbers],
    biases: int = 2,
) -> Layers:
    """Weights of every layer and direction, each array made by ``fill(shape)``; ``biases`` 1 or 2 a map (RNN: 1).

    The first layer reads D = ``inputs`` features, every other the K H of the layer below.
    """
    rows = MAPS[kind] * hidden
    bias = (rows,) if biases == 1 or kind == "rnn" else (2, rows)

    def cell(width: int) -> CellWeights:
        arrays = fill((rows, hidden)), fill((rows, width)), fill(bias)
        match kind:
            case "rnn":
                return RNNWeights(*arrays)
            case "lstm":
                return LSTMWeights(*arrays)
            case "gru":
                return GRUWeights(*arrays)

    widths = [inputs] + [directions * hidden] * (layers - 1)
    return tuple(tuple(cell(width) for _ in range(directions)) for width in widths)


def random_layers(
    kind: Kind, inputs: int, hidden: int, layers: int, directions: int, rng: np.random.Generator
) -> Layers:
    """As PyTorch initialises them: every entry uniform between ±1/√H."""
    edge = 1 / math.sqrt(hidden)
    return new_layers(
        kind, inputs, hidden, layers, directions, lambda shape: rng.uniform(-edge, edge, size=shape)
    )


def parameters(layers: Layers) -> int:
    """Entries of all arrays."""
    return sum(
        array.size for layer in layers for cell in layer for array in (cell.recurrent, cell.inputs, cell.bias)
    )


def reading_order(lengths: Ints, steps: int) -> Ints:
    """For the backward direction: which position is read at each step, (T, B). Each sequence is turned round within its
    own length, so that padding is read last; doing it twice restores the order."""
    t = np.arange(steps)[:, None]
    # t -> length - 1 - t inside the sequence, t -> t in its padding
    return np.where(t < lengths, lengths - 1 - t, t)  # (T, B)


def stack_forward(
    x: Numbers,
    layers: Layers,
    lengths: Ints | None = None,
    h_0: Numbers | None = None,
    c_0: Numbers | None = None,
    batch_first: bool = False,
    dropout: Dropout | None = None,
) -> StackTrace:
    """The whole network on ``x`` (T, B, D), or (B, T, D) with ``batch_first``, which turns input and output alone and
    never the states.

    ``lengths`` (B,), each from 1 to T: how many positions of each sequence are tokens; without it, padding is read like
    any token. ``h_0``, ``c_0`` (L K, B, H), zero where not given. ``dropout`` for training.
    """
    if batch_first:
        x = x.swapaxes(0, 1)
    steps, batch = x.shape[:2]
    width = layers[0][0].recurrent.shape[1]
    if lengths is None:
        lengths = np.full(batch, steps)
    backward = reading_order(lengths, steps)
    states = (len(layers) * len(layers[0]), batch, width)
    h_0, c_0 = (np.zeros(states) if given is None else given for given in (h_0, c_0))
    inside = (np.arange(steps)[:, None] < lengths)[..., None]  # (T, B, 1)
    passes, dropped, h_n, c_n = [], [], [], []
    for index, directions in enumerate(layers):
        outputs, here = [], []
        for k, weights in enumerate(directions):
            read = x if k == 0 else _read(x, backward)
            at = index * len(directions) + k
            trace = _run(read, h_0[at], c_0[at], weights)
            out = trace.hidden[1:]  # (T, B, H)
            outputs.append(out if k == 0 else _read(out, backward))
            here.append(Pass(read, trace))
            # the state after the last token: later steps read padding, and nothing before them sees it
            h_n.append(trace.hidden[lengths, np.arange(batch)])  # (B, H)
            if isinstance(trace, LSTMTrace):
                c_n.append(trace.cell[lengths, np.arange(batch)])  # (B, H)
        # out_t = [h_t forward; h_t backward]
        x = np.where(inside, np.concatenate(outputs, axis=-1), 0.0)  # (T, B, K H)
        mask = None
        if dropout is not None and index < len(layers) - 1:
            # m ~ Bernoulli(1 - rate) / (1 - rate): the mean is kept
            mask = (dropout.rng.random(x.shape) >= dropout.rate) / (1.0 - dropout.rate)  # (T, B, K H)
            x = x * mask
        passes.append(tuple(here))
        dropped.append(mask)
    return StackTrace(
        output=x.swapaxes(0, 1) if batch_first else x,
        h_n=np.stack(h_n),
        c_n=np.stack(c_n) if c_n else None,
        passes=tuple(passes),
        dropped=tuple(dropped),
    )


def stack_backward(
    trace: StackTrace,
    layers: Layers,
    d_output: Numbers,
    lengths: Ints | None = None,
    d_h_n: Numbers | None = None,
    d_c_n: Numbers | None = None,
    batch_first: bool = False,
) -> StackGradient:
    """Backpropagation through time, direction and depth, from dL/d output and dL/d final states (zero where not given)."""
    if batch_first:
        d_output = d_output.swapaxes(0, 1)
    steps, batch = d_output.shape[:2]
    if lengths is None:
        lengths = np.full(batch, steps)
    backward = reading_order(lengths, steps)
    inside = (np.arange(steps)[:, None] < lengths)[..., None]
    rows = np.arange(batch)
    d_h_0, d_c_0 = np.zeros_like(trace.h_n), np.zeros_like(trace.h_n)
    d_layers: list[tuple[CellWeights, ...]] = []
    for index in range(len(layers) - 1, -1, -1):
        mask = trace.dropped[index]
        if mask is not None:
            d_output = d_output * mask
        halves = np.split(np.where(inside, d_output, 0.0), len(layers[index]), axis=-1)
        d_x, d_cells = np.zeros_like(trace.passes[index][0].x), []
        for k, (weights, d_half) in enumerate(zip(layers[index], halves, strict=True)):
            read, cell_trace = trace.passes[index][k]
            at = index * len(halves) + k
            d_hidden = np.zeros_like(cell_trace.hidden)
            d_hidden[1:] = d_half if k == 0 else _read(d_half, backward)
            d_cell = np.zeros_like(d_hidden)
            if d_h_n is not None:
                d_hidden[lengths, rows] += d_h_n[at]
            if d_c_n is not None:
                d_cell[lengths, rows] += d_c_n[at]
            d_read, d_weights, d_h_0[at], d_c_0[at] = _run_back(cell_trace, read, weights, d_hidden, d_cell)
            d_x += d_read if k == 0 else _read(d_read, backward)
            d_cells.append(d_weights)
        d_layers.append(tuple(d_cells))
        d_output = d_x
    return StackGradient(
        x=d_output.swapaxes(0, 1) if batch_first else d_output,
        h_0=d_h_0,
        c_0=d_c_0 if trace.c_n is not None else None,
        layers=tuple(reversed(d_layers)),
    )


def state_index(layer: int, direction: int, directions: int) -> int:
    """Where the final state of a layer and direction stands in h_n: layer-major, direction-minor."""
    return layer * directions + direction


def _read(values: Numbers, order: Ints) -> Numbers:
    """``values`` (T, B, ·) with each sequence read in its own order (T, B)."""
    out: Numbers = values[order, np.arange(values.shape[1])]
    return out


def _run(x: Numbers, h_0: Numbers, c_0: Numbers, weights: CellWeights) -> CellTrace:
    match weights:
        case RNNWeights():
            return rnn_forward(x, h_0, weights)
        case LSTMWeights():
            return lstm_forward(x, h_0, c_0, weights)
        case GRUWeights():
            return gru_forward(x, h_0, weights)


def _run_back(
    trace: CellTrace, x: Numbers, weights: CellWeights, d_hidden: Numbers, d_cell: Numbers
) -> tuple[Numbers, CellWeights, Numbers, Numbers]:
    """dL/dx, dL/d weights, dL/dh_0, dL/dc_0 (zero but for the LSTM)."""
    match trace:
        case RNNTrace() if isinstance(weights, RNNWeights):
            of_rnn = rnn_backward(trace, x, weights, d_hidden)
            return of_rnn.x, of_rnn.weights, of_rnn.hidden[0], d_cell[0]
        case LSTMTrace() if isinstance(weights, LSTMWeights):
            of_lstm = lstm_backward(trace, x, weights, d_hidden, d_cell)
            return of_lstm.x, of_lstm.weights, of_lstm.hidden[0], of_lstm.cell[0]
        case GRUTrace() if isinstance(weights, GRUWeights):
            of_gru = gru_backward(trace, x, weights, d_hidden)
            return of_gru.x, of_gru.weights, of_gru.hidden[0], d_cell[0]
    raise TypeError("weights and trace of different kinds")
