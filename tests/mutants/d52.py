"""Mutants of D52."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.nn.flash import State, blocks
from tests.mutants.mutant import Mutant


def normaliser_left(original: Any) -> Any:
    """The output is rescaled, the normaliser is not."""

    def merge(one: State, other: State, m: Any, exp: Any = np.exp) -> State:
        right = original(one, other, m, exp)
        return State(right.m, one.l + other.l, right.o)

    return merge


def writing_each_time(_: Any) -> Any:
    """FlashAttention-2 with its output in memory instead of on the chip."""

    def flash_attention_2(memory: Any, chip: Any, n: int, rows: int, columns: int) -> None:
        memory.allocate(n, L=1)
        for block in blocks(n, rows):
            (q,) = memory.read(block, "Q")
            state = chip.empty(q)
            for keys in blocks(n, columns):
                k, v = memory.read(keys, "K", "V")
                state = chip.absorb(q, k, v, state)
                memory.write(block, O=chip.output(state), L=chip.logsumexp(state))

    return flash_attention_2


def keeping_the_scores(original: Any) -> Any:
    """The N × N scores are held after all."""

    def flash_attention_2(memory: Any, chip: Any, n: int, rows: int, columns: int) -> None:
        memory.allocate(n, S=n)
        original(memory, chip, n, rows, columns)

    return flash_attention_2


def without_division(original: Any) -> Any:
    """FlashAttention-1 forgets that the output it reads back is divided by l."""

    def absorb_normalised(self: Any, q: Any, k: Any, v: Any, output: Any, m: Any, l: Any) -> Any:
        state = self.absorb(q, k, v, State(m, l, output))
        return self.output(state), state.m, state.l

    return type("Chip", (original,), {"absorb_normalised": absorb_normalised})


def maximum_alone(original: Any) -> Any:
    """What is kept of a row is its maximum."""
    return type("Chip", (original,), {"logsumexp": lambda self, state: state.m})


def unscaled(original: Any) -> Any:
    """Scores without 1/√d."""
    return type("Chip", (original,), {"__init__": lambda self, scale: original.__init__(self, 1.0)})


MUTANTS = (
    Mutant(
        "no-rescaling",
        "engine.nn.flash:rescale",
        lambda _: lambda old, new, exp=np.exp: 1,
        ("merge", "running-maximum", "exact-1", "exact-2"),
    ),
    Mutant(
        "normaliser-not-rescaled",
        "engine.nn.flash:merge",
        normaliser_left,
        ("exact-1", "exact-2", "exact-single"),
    ),
    Mutant("maximum-kept-for-the-logsumexp", "engine.nn.flash:Chip", maximum_alone, "row-statistics"),
    Mutant("normaliser-not-rescaled-in-the-proof", "merge", normaliser_left, ("merge", "running-maximum")),
    Mutant(
        "last-ragged-tile-dropped",
        "engine.nn.flash:blocks",
        lambda original: lambda n, size: original(n - n % size, size),
        ("counted-flash-1", "counted-flash-2", "products-1", "products-2"),
    ),
    Mutant(
        "last-ragged-key-tile-dropped",
        "flash_attention_1",
        lambda original: (
            lambda memory, chip, n, rows, columns: original(memory, chip, n - n % columns, rows, columns)
        ),
        ("counted-flash-1", "exact-1"),
    ),
    Mutant("normalised-output-read-as-sum", "engine.nn.flash:Chip", without_division, "exact-1"),
    Mutant("scores-not-scaled", "engine.nn.flash:Chip", unscaled, ("exact-standard", "exact-1", "exact-2")),
    Mutant(
        "written-each-time", "flash_attention_2", writing_each_time, ("counted-flash-2", "output-writes-2")
    ),
    Mutant("scores-kept", "flash_attention_2", keeping_the_scores, "extra-2"),
    Mutant(
        "output-written-once-in-the-formula",
        "flash_1_traffic",
        lambda _: lambda N, d, T_c: 3 * N * d + 2 * N + T_c * (N * d),
        ("flash-1-traffic", "ratio-1", "counted-flash-1"),
    ),
    Mutant(
        "scores-counted-once",
        "standard_traffic",
        lambda _: lambda N, d: 2 * N**2 + 4 * N * d,
        ("standard-traffic", "counted-standard"),
    ),
    Mutant(
        "tiles-rounded-up",
        "block_sizes",
        lambda original: lambda sram, d: original(sram, d, "ceil"),
        "tiles-fit",
        given={"d": 112, "sram": 96},
    ),
)
