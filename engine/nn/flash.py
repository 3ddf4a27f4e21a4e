"""Attention with its memory traffic counted: standard, and the two loop orders of FlashAttention.

One head, no mask: N queries and keys of width d. A *memory* (:mod:`engine.nn.hbm`) stands for the GPU's HBM and counts
every transfer. A *chip* stands for one streaming multiprocessor with its small, fast SRAM: it does the arithmetic on the
tiles it is handed. The same loops run on real arrays (:class:`Memory`, :class:`Chip`) and, for sizes whose arithmetic
would take too long, on tiles that are nothing but their number of rows (:class:`RowMemory`, :class:`RowChip`).

Sources: Dao et al. 2022 (FlashAttention), algorithms 0 and 1; Dao 2023 (FlashAttention-2), algorithm 1; Milakov &
Gimelshein 2018 (online softmax).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, NamedTuple, Protocol, TypeAlias

import numpy as np

from engine.nn.hbm import AnyMemory, Floats, Memory, RowMemory, Tile
from engine.nn.softmax import softmax

# the online softmax


class State(NamedTuple):
    """Keys seen so far, for r queries: the reference m (r, 1) subtracted from the scores, the sum l (r, 1) of
    exp(score - m), and the weighted sum o (r, d) of the values; the output is o / l."""

    m: Any
    l: Any
    o: Any


def rescale(old: Any, new: Any, exp: Callable[[Any], Any] = np.exp) -> Any:
    """What sums of exp(score - old) are multiplied by to become sums of exp(score - new)."""
    # alpha = e^{m_old - m_new}
    return exp(old - new)


def merge(one: State, other: State, m: Any, exp: Callable[[Any], Any] = np.exp) -> State:
    """The state after two disjoint sets of keys, at the reference ``m``, which may be any number.

    With the larger of the two references every exponent is at most 0 and nothing overflows. ``exp`` is NumPy's, or
    SymPy's where this very code is proved.

    Source: Milakov & Gimelshein 2018, section 3.1, equation 4.
    """
    # l = e^{m_1 - m} l_1 + e^{m_2 - m} l_2
    # o = e^{m_1 - m} o_1 + e^{m_2 - m} o_2
    alpha, beta = rescale(one.m, m, exp), rescale(other.m, m, exp)
    return State(m, alpha * one.l + beta * other.l, alpha * one.o + beta * other.o)


def block_state(scores: Floats, values: Floats) -> State:
    """The state of one block: scores (r, c) and values (c, d)."""
    m = scores.max(axis=-1, keepdims=True)  # (r, 1)
    # P = e^{S - m}
    weights = np.exp(scores - m)  # (r, c)
    return State(m, weights.sum(axis=-1, keepdims=True), weights @ values)


def online_softmax(scores: Floats, values: Floats, block: int) -> list[State]:
    """The states after each block of keys, of softmax(scores) @ values: scores (r, n), values (n, d)."""
    states: list[State] = []
    for start in range(0, scores.shape[-1], block):
        new = block_state(scores[:, start : start + block], values[start : start + block])
        if states:
            new = merge(states[-1], new, np.maximum(states[-1].m, new.m))
        states.append(new)
    return states


# chips


class AnyChip(Protocol):
    """What the loops need of a chip. Shapes as in :class:`State`; q (r, d), k and v (c, d)."""

    def empty(self, q: Tile) -> State: ...

    def absorb(self, q: Tile, k: Tile, v: Tile, state: State) -> State: ...

    def output(self, state: State) -> Tile: ...

    def logsumexp(self, state: State) -> Tile: ...

    def absorb_normalised(
        self, q: Tile, k: Tile, v: Tile, output: Tile, m: Tile, l: Tile
    ) -> tuple[Tile, Tile, Tile]: ...

    def scores(self, q: Tile, k: Tile) -> Tile: ...

    def softmax(self, scores: Tile) -> Tile: ...

    def weighted(self, weights: Tile, v: Tile) -> Tile: ...


class Chip:
    """Arithmetic on real tiles. Counts the FLOPs of the matrix products (a multiply-add is 2), the FLOPs spent on
    rescaling, and the most elements of Q, K, V and O tiles that were on the chip at a time."""

    def __init__(self, scale: float) -> None:
        self.scale = scale
        self.product_flops = 0
        self.rescale_flops = 0
        self.most_on_chip = 0

    def empty(self, q: Floats) -> State:
        column = (q.shape[0], 1)
        return State(np.full(column, -np.inf, q.dtype), np.zeros(column, q.dtype), np.zeros_like(q))

    def absorb(self, q: Floats, k: Floats, v: Floats, state: State) -> State:
        """The state after the keys of one more block."""
        # S = scale Q K^T
        scores = self.scores(q, k)  # (r, c)
        new = block_state(scores, v)
        self.product_flops += 2 * q.shape[0] * v.size
        self.rescale_flops += state.o.size
        self.most_on_chip = max(self.most_on_chip, q.size + k.size + v.size + state.o.size)
        return merge(state, new, np.maximum(state.m, new.m))

    def output(self, state: State) -> Floats:
        # O = o / l
        output: Floats = state.o / state.l  # (r, d)
        return output

    def logsumexp(self, state: State) -> Floats:
        # L = m + log l
        total: Floats = state.m + np.log(state.l)  # (r, 1)
        return total

    def absorb_normalised(
        self, q: Floats, k: Floats, v: Floats, output: Floats, m: Floats, l: Floats
    ) -> tuple[Floats, Floats, Floats]:
        """One more block, where the output so far is already divided by l: output, m, l after it."""
        self.rescale_flops += output.size
        # o = l O
        state = self.absorb(q, k, v, State(m, l, l * output))  # (r, 1), (r, 1), (r, d)
        return self.output(state), state.m, state.l

    def scores(self, q: Floats, k: Floats) -> Floats:
        self.product_flops += 2 * q.shape[0] * k.size
        scores: Floats = (q @ k.T) * q.dtype.type(self.scale)  # (r, c)
        return scores

    def softmax(self, scores: Floats) -> Floats:
        return softmax(scores)

    def weighted(self, weights: Floats, v: Floats) -> Floats:
        self.product_flops += 2 * weights.shape[0] * v.size
        output: Floats = weights @ v  # (r, d)
        return output


class RowChip:
    """No arithmetic: counts what :class:`Chip` counts, for tiles that are their number of rows, of width ``d``."""

    def __init__(self, d: int) -> None:
        self.d = d
        self.product_flops = 0
        self.rescale_flops = 0
        self.most_on_chip = 0

    def empty(self, q: int) -> State:
        return State(q, q, q)

    def absorb(self, q: int, k: int, v: int, state: State) -> State:
        self.product_flops += 4 * q * k * self.d
        self.rescale_flops += q * self.d
        if (held := 2 * (q + k) * self.d) > self.most_on_chip:
            self.most_on_chip = held
        return state

    def output(self, state: State) -> int:
        return int(state.o)

    def logsumexp(self, state: State) -> int:
        return int(state.m)

    def absorb_normalised(self, q: int, k: int, v: int, output: int, m: int, l: int) -> tuple[int, int, int]:
        self.product_flops += 4 * q * k * self.d
        self.rescale_flops += 2 * q * self.d
        if (held := 2 * (q + k) * self.d) > self.most_on_chip:
            self.most_on_chip = held
        return output, m, l

    def scores(self, q: int, k: int) -> int:
        self.product_flops += 2 * q * k * self.d
        return q

    def softmax(self, scores: int) -> int:
        return scores

    def weighted(self, weights: int, v: int) -> int:
        self.product_flops += 2 * weights * v * self.d
        return weights


# the three algorithms; each expects Q, K, V and O in the memory


def standard_attention(memory: AnyMemory, chip: AnyChip, n: int) -> None:
    """O = softmax(scale Q K^T) V with S and P written to memory and read back.

    Source: Dao et al. 2022, algorithm 0.
    """
    everything = slice(0, n)
    memory.allocate(n, S=n, P=n)
    # S = scale Q K^T
    q, k = memory.read(everything, "Q", "K")
    memory.write(everything, S=chip.scores(q, k))  # (N, N)
    # P = softmax(S)
    (scores,) = memory.read(everything, "S")
    memory.write(everything, P=chip.softmax(scores))  # (N, N)
    # O = P V
    weights, v = memory.read(everything, "P", "V")
    memory.write(everything, O=chip.weighted(weights, v))  # (N, d)


def blocks(n: int, size: int) -> list[slice]:
    """The rows in blocks of ``size``; the last one holds what is left."""
    return [slice(start, min(start + size, n)) for start in range(0, n, size)]


def flash_attention_1(memory: AnyMemory, chip: AnyChip, n: int, rows: int, columns: int) -> None:
    """FlashAttention: outer loop over blocks of ``columns`` keys, inner loop over blocks of ``rows`` queries.

    Each inner step reads its queries' output and statistics from memory and writes them back.

    Source: Dao et al. 2022, algorithm 1.
    """
    memory.allocate(n, m=1, l=1)
    for name, value in (("O", 0.0), ("l", 0.0), ("m", -np.inf)):  # line 2
        memory.fill(name, value)
    queries = blocks(n, rows)
    for keys in blocks(n, columns):
        k, v = memory.read(keys, "K", "V")  # (c, d)
        for block in queries:
            q, output, m, l = memory.read(block, "Q", "O", "m", "l")  # (r, d), (r, d), (r, 1), (r, 1)
            output, m, l = chip.absorb_normalised(q, k, v, output, m, l)
            memory.write(block, O=output, m=m, l=l)


def flash_attention_2(memory: AnyMemory, chip: AnyChip, n: int, rows: int, columns: int) -> None:
    """FlashAttention-2: outer loop over blocks of ``rows`` queries, inner loop over blocks of ``columns`` keys.

    Output and statistics stay on the chip until the row block is done: each is written once, divided once.

    Source: Dao 2023, algorithm 1.
    """
    memory.allocate(n, L=1)
    keys = blocks(n, columns)
    for block in blocks(n, rows):
        (q,) = memory.read(block, "Q")  # (r, d)
        state = chip.empty(q)
        for other in keys:
            k, v = memory.read(other, "K", "V")  # (c, d)
            state = chip.absorb(q, k, v, state)
        memory.write(block, O=chip.output(state), L=chip.logsumexp(state))


Rounding = Literal["floor", "ceil"]


def block_sizes(sram: int, d: int, rounding: Rounding = "floor") -> tuple[int, int]:
    """(B_c, B_r) for an SRAM of so many elements: M / 4d columns, and no more rows than that nor than d.

    The paper rounds up; then 2 B_c d + 2 B_r d may exceed M by up to 4d elements. Rounded down it always fits.

    Source: Dao et al. 2022, algorithm 1, line 1.

    Raises:
        ValueError: not even one row and one column fit.
    """
    columns = sram // (4 * d) if rounding == "floor" else -(-sram // (4 * d))
    if columns < 1:
        raise ValueError("the SRAM does not hold one row of Q, K, V and O")
    return columns, min(columns, d)


Algorithm: TypeAlias = Callable[[AnyMemory, AnyChip, int], None]
"""One of the three, its tile sizes bound."""


def attention(
    q: Floats,
    k: Floats,
    v: Floats,
    run: Algorithm,
    scale: float | None = None,
) -> tuple[Floats, Memory, Chip]:
    """One of the algorithms on real arrays, q, k, v (N, d): output (N, d), the memory and the chip with their counts."""
    n, d = q.shape
    memory, chip = Memory(Q=q, K=k, V=v, O=np.empty_like(q)), Chip(d**-0.5 if scale is None else scale)
    # a weight too small for the dtype is 0, as in any softmax
    with np.errstate(under="ignore"):
        run(memory, chip, n)
    return memory.arrays["O"], memory, chip


def counted(n: int, d: int, run: Algorithm) -> tuple[RowMemory, RowChip]:
    """The same loops without the arithmetic: the memory and the chip with their counts."""
    memory, chip = RowMemory(n, Q=d, K=d, V=d, O=d), RowChip(d)
    run(memory, chip, n)
    return memory, chip
