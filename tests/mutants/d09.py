"""Mutants of D09."""

from __future__ import annotations

import numpy as np

from engine.nn.scan import NewtonSolution, odd_even
from tests.mutants.mutant import Mutant

SCAN = "engine.nn.scan"


def layer_after_layer(original):
    """Each layer waits until the one below has finished."""

    def run(steps, layers, devices):
        _, when = original(steps, layers, devices)
        return steps * layers, when

    return run


def newton_stopped_after_one(original):
    return lambda weight, drive, h_0: NewtonSolution(np.tanh(drive), 1, (1.0,))


MUTANTS = (
    Mutant(
        "composed-in-the-other-order",
        "compose",
        lambda original: lambda earlier, later: original(later, earlier),
        ("two-steps-are-one", "scan-is-the-loop"),
    ),
    Mutant(
        "input-not-carried-through",
        "compose",
        lambda _: lambda earlier, later: (later[0] * earlier[0], earlier[1] + later[1]),
        ("two-steps-are-one", "scan-is-the-loop"),
    ),
    Mutant(
        "pairs-first-for-fewest-rounds",
        f"{SCAN}:hillis_steele",
        lambda _: odd_even,
        ("scan-depth", "scan-combinations"),
    ),
    Mutant(
        "work-without-the-saved-combinations",
        "scan_work",
        lambda _: lambda steps, rounds: steps * rounds,
        ("work", "scan-combinations"),
    ),
    Mutant(
        "odd-even-work-of-one-sweep",
        "odd_even_work",
        lambda _: lambda rounds: 2**rounds - 1,
        ("work-of-odd-even", "odd-even-combinations"),
    ),
    Mutant(
        "rounds-rounded-down",
        "log2_ceiling",
        lambda _: lambda steps: steps.bit_length() - 1,
        ("scan-depth", "scan-combinations"),
        {"steps": 1000},
    ),
    Mutant(
        "layer-after-layer",
        "run_lattice",
        layer_after_layer,
        ("lattice-critical-path", "lattice-at-most"),
    ),
    Mutant(
        "wavefront-a-round-late",
        "earliest_round",
        lambda _: lambda layer, step: layer + step,
        ("critical-path", "lattice-critical-path"),
    ),
    Mutant("newton-stopped-after-one", "solve_tanh", newton_stopped_after_one, "newton-is-the-loop"),
    Mutant(
        "loop-forgets-its-start",
        "linear_recurrence",
        lambda original: lambda a, b, h_0: original(a, b, np.zeros_like(h_0)),
        "scan-is-the-loop",
    ),
)
