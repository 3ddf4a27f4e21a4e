"""Mutants of D58."""

from __future__ import annotations

import numpy as np

from tests.mutants.mutant import Mutant

MUTANTS = (
    Mutant(
        "groups-save-twice",
        "multiplications",
        lambda _: lambda places, k, c_in, c_out, g: places * k**2 * c_in * c_out / g**2,
        ("grouped-share", "separable-share", "grouped-multiplications"),
    ),
    Mutant(
        "one-side-of-the-kernel",
        "weights",
        lambda _: lambda k, c_in, c_out, g: k * c_in * c_out / g,
        ("bottleneck", "full-weights", "separable-weights"),
    ),
    Mutant(
        "input-channels-for-output-channels",
        "separable_share",
        lambda _: lambda k, c_out: 1 / c_out + 1 / k,
        ("separable-share", "saving"),
    ),
    Mutant(
        "expansion-forgotten",
        "bottleneck_weights",
        lambda _: lambda k, c, r: c**2 / r + k**2 * c**2 / r**2,
        ("bottleneck", "bottleneck-weights"),
    ),
    Mutant(
        "weights-are-not-moved",
        "words",
        lambda _: lambda places, k, c_in, c_out, g: places * (c_in + c_out),
        ("intensity-full", "speedup"),
    ),
    Mutant(
        "groups-that-see-everything",
        "grouped_correlate",
        lambda original: (
            lambda x, weight, groups, padding: original(
                x, np.tile(weight, (1, groups, 1, 1)), groups=1, padding=padding
            )
        ),
        "grouped",
    ),
    Mutant(
        "mixture-before-the-filters",
        "separable_correlate",
        lambda original: lambda x, w, v, padding: original(x, w, v.swapaxes(0, 1), padding=padding),
        "separable",
    ),
    Mutant(
        "kernels-laid-out-by-channel-last",
        "unfold",
        lambda original: lambda *given, **named: original(*given, **named)[..., ::-1],
        ("im2col", "loop"),
    ),
    Mutant(
        "a-loop-that-skips-taps",
        "loop_over_taps",
        lambda original: lambda x, weight, tally: original(x, weight[..., :-1, :-1], tally),
        ("im2col-saves-nothing", "loop-multiplications"),
    ),
)
