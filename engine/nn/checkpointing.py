"""Backpropagation through a chain of layers, with all activations kept or with gradient checkpointing.

Shapes: a batch of B rows of width W; layer i maps activation y_{i-1} to y_i. A :class:`ActivationMemory` is told of every
activation that comes and goes and remembers its peak; a :class:`Work` counts layer evaluations and FLOPs. Gradients and
weights are not activations and are not counted in the memory.

Sources: Chen et al. 2016, Training Deep Nets with Sublinear Memory Cost, section 4; Griewank & Walther 2000.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.floating[Any]]

Held: TypeAlias = Any
"""An array, or a :class:`Size`: anything that knows its ``nbytes``."""


@dataclass(slots=True)
class Work:
    """What was computed: evaluations of a layer forward, again, and backward, and FLOPs of matrix products."""

    forward: int = 0
    replayed: int = 0
    backward: int = 0
    forward_flops: int = 0
    replayed_flops: int = 0
    backward_flops: int = 0


@dataclass(slots=True)
class ActivationMemory:
    """Which activations are held, by layer, and the most that ever were: in number and in bytes (masks included)."""

    held: dict[int, int] = field(default_factory=dict)
    bytes: int = 0
    peak: int = 0
    peak_bytes: int = 0

    def hold(self, layer: int, size: int) -> None:
        """Hold so many bytes for the activation of a layer, in place of what it held."""
        held = self.held
        self.bytes += size - held.get(layer, 0)
        held[layer] = size
        if len(held) > self.peak:
            self.peak = len(held)
        if self.bytes > self.peak_bytes:
            self.peak_bytes = self.bytes

    def release(self, layer: int) -> None:
        self.bytes -= self.held.pop(layer)


class Forward(NamedTuple):
    """A layer's output, what else its backward pass needs (a dropout mask, or None), and the FLOPs it took."""

    output: Held
    mask: Held
    flops: int


class Backward(NamedTuple):
    """Gradients of the loss by a layer's input and by its weight, and the FLOPs they took."""

    d_input: Held
    d_weight: Held
    flops: int


class Layer(Protocol):
    """One link of the chain."""

    def forward(self, x: Held, rng: np.random.Generator) -> Forward: ...

    def backward(self, x: Held, mask: Held, output: Held, d_output: Held) -> Backward: ...


@dataclass(frozen=True)
class TanhLayer:
    """y = tanh(dropout(x) W) with weight (W, W), and dropout that keeps an entry with probability 1 - p."""

    weight: Floats
    dropout: float = 0.0

    def forward(self, x: Floats, rng: np.random.Generator) -> Forward:
        mask = rng.random(x.shape) >= self.dropout if self.dropout else None  # (B, W)
        # y = tanh(x' W),  x' = x * mask / (1 - p)
        z = self._dropped(x, mask) @ self.weight  # (B, W)
        return Forward(np.tanh(z, out=z), mask, 2 * x.size * self.weight.shape[1])

    def backward(
        self, x: Floats, mask: NDArray[np.bool_] | None, output: Floats, d_output: Floats
    ) -> Backward:
        # dz = dy * (1 - y^2)
        dz = output * output  # (B, W)
        np.subtract(1, dz, out=dz)
        dz *= d_output
        # dW = x'^T dz
        d_weight = self._dropped(x, mask).T @ dz  # (W, W)
        # dx = (dz W^T) * mask / (1 - p)
        d_input = self._dropped(dz @ self.weight.T, mask)  # (B, W)
        return Backward(d_input, d_weight, 2 * 2 * x.size * self.weight.shape[1])

    def _dropped(self, x: Floats, mask: NDArray[np.bool_] | None) -> Floats:
        if mask is None:
            return x
        kept = x * mask
        kept /= 1 - self.dropout
        return kept


@dataclass(frozen=True, slots=True)
class Size:
    """Stands for an array of so many bytes."""

    nbytes: int = 1


ONE_BYTE = Size()


class SizedLayer:
    """A layer that computes nothing, to see what is held when: an output, and what else it keeps, of given sizes."""

    def __init__(self, output: Size = ONE_BYTE, inside: Size | None = None) -> None:
        self._forward = Forward(output, inside, 0)

    def forward(self, x: Size, rng: np.random.Generator) -> Forward:
        return self._forward

    def backward(self, x: Size, mask: Size | None, output: Size, d_output: Size) -> Backward:
        return Backward(d_output, None, 0)


class ChainGradients(NamedTuple):
    """dL/dx of the chain's input, and dL/dW of each layer, first to last."""

    d_input: Held
    d_weights: list[Held]


def backpropagate(
    layers: Sequence[Layer],
    x: Held,
    d_output: Held,
    rng: np.random.Generator,
    memory: ActivationMemory,
    work: Work,
) -> ChainGradients:
    """The gradients, every activation being kept from the forward to the backward pass."""
    run = _Run(layers, rng, memory, work)
    run.keep(0, x)
    for i in range(1, len(layers) + 1):
        run.forward(i)
    d_input = run.backward(0, len(layers), d_output)
    run.drop(0)
    return ChainGradients(d_input, run.d_weights)


def backpropagate_checkpointed(
    layers: Sequence[Layer],
    x: Held,
    d_output: Held,
    rng: np.random.Generator,
    memory: ActivationMemory,
    work: Work,
    *,
    segment: int,
    preserve_rng_state: bool = True,
    keep_last: bool = False,
) -> ChainGradients:
    """The same gradients, keeping the input of every ``segment`` layers only and computing the rest again.

    ``preserve_rng_state``: each replay draws the dropout masks of its first pass, as ``torch.utils.checkpoint`` does by
    default. ``keep_last``: the last segment is kept instead of replayed, as ``torch.utils.checkpoint_sequential`` does.

    Raises:
        ValueError: a segment of less than one layer.
    """
    if segment < 1:
        raise ValueError("a segment has at least one layer")
    n = len(layers)
    run = _Run(layers, rng, memory, work)
    starts = range(0, n, segment)
    states: dict[int, Any] = {}
    run.keep(0, x)
    for start in starts:
        if preserve_rng_state:
            states[start] = rng.bit_generator.state
        end = min(start + segment, n)
        kept = keep_last and end == n
        for i in range(start + 1, end + 1):
            run.forward(i, for_backward=kept)
            # the input of a segment stays; what lies inside goes as soon as the next layer has used it
            if i - 1 > start and not kept:
                run.drop(i - 1)
    if not keep_last and n:
        run.drop(n)

    for start in reversed(starts):
        end = min(start + segment, n)
        if not (keep_last and end == n):
            run.replay(start, end, states.get(start))
        d_output = run.backward(start, end, d_output)
        if start:
            run.drop(start)
    run.drop(0)
    return ChainGradients(d_output, run.d_weights)


class _Run:
    """The activations of one pass through the chain, by number."""

    def __init__(
        self, layers: Sequence[Layer], rng: np.random.Generator, memory: ActivationMemory, work: Work
    ) -> None:
        self.layers, self.rng, self.memory, self.work = layers, rng, memory, work
        self.kept: dict[int, tuple[Held, Held]] = {}
        """Activation and mask of each layer that holds any."""
        self.d_weights: list[Held] = [None] * len(layers)

    def keep(self, i: int, activation: Held, mask: Held = None) -> None:
        self.kept[i] = activation, mask
        self.memory.hold(i, activation.nbytes if mask is None else activation.nbytes + mask.nbytes)

    def drop(self, i: int) -> None:
        del self.kept[i]
        self.memory.release(i)

    def forward(self, i: int, for_backward: bool = True) -> None:
        output, mask, flops = self.layers[i - 1].forward(self.kept[i - 1][0], self.rng)
        self.keep(i, output, mask)
        if mask is not None and not for_backward:
            self.keep(i, output)
        work = self.work
        work.forward += 1
        work.forward_flops += flops

    def replay(self, start: int, end: int, state: Any) -> None:
        """Compute the activations after ``start`` up to ``end`` again, with the random numbers of ``state`` if given."""
        rng, work = self.rng, self.work
        if state is not None:
            later, rng.bit_generator.state = rng.bit_generator.state, state
        for i in range(start + 1, end + 1):
            output, mask, flops = self.layers[i - 1].forward(self.kept[i - 1][0], rng)
            self.keep(i, output, mask)
            work.replayed += 1
            work.replayed_flops += flops
        if state is not None:
            rng.bit_generator.state = later

    def backward(self, start: int, end: int, d_output: Held) -> Held:
        """From dL/dy_end to dL/dy_start, giving back each activation once it is used."""
        kept, work = self.kept, self.work
        for i in range(end, start, -1):
            output, mask = kept[i]
            d_output, self.d_weights[i - 1], flops = self.layers[i - 1].backward(
                kept[i - 1][0], mask, output, d_output
            )
            self.drop(i)
            work.backward += 1
            work.backward_flops += flops
        return d_output
