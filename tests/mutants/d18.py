"""Mutants of D18."""

from __future__ import annotations

import numpy as np

from tests.mutants.mutant import Mutant

MUTANTS = (
    Mutant("variance-of-U(-1,1)-edges", "projected_variance", lambda _: lambda H: 1 / (3 * H), "default-weights"),
    Mutant("v-of-variance-1/12", "squared_v", lambda _: lambda H, scaled: 1 / (12 * H**scaled), ("raw-v", "variance-per-unit")),
    Mutant("v-of-mean-square-one", "squared_v", lambda _: lambda H, scaled: 1 / H**scaled, ("raw-v", "scaled-v", "variance-per-unit")),
    Mutant("scale-by-H", "squared_v", lambda _: lambda H, scaled: 1 / (3 * H ** (2 * scaled)), "scaled-v"),
    Mutant("one-unit-only", "score_variance", lambda _: lambda H, square, unit: square * unit, ("grows-with-width", "scaled-v")),
    Mutant("v-forgotten", "draw_v", lambda _: lambda p, rng: np.ones(p.H), "variance-per-unit"),
    Mutant("annotations-twice-as-long", "orthogonal_annotations", lambda original: lambda p, rng: 3 * original(p, rng), "variance-per-unit"),
    Mutant("state-left-out", "luong_concat", lambda original: lambda s, h, W, v: original(0 * s, h, W, v), "snippet-is-the-formula"),
    Mutant("jacobian-without-outer-product", "softmax_jacobian", lambda _: lambda p: np.diag(p), "weights-sum-to-one"),
)  # fmt: skip
