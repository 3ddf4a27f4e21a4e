"""Mutants of D44."""

from __future__ import annotations

import numpy as np

from engine.demos.d44_albert_sharing import Stack
from tests.mutants.mutant import Mutant


class SkippingStack(Stack):
    """Runs a shared layer once only."""

    def run(self, x: np.ndarray) -> np.ndarray:
        kept = self.layers
        self.layers = list({id(layer): layer for layer in kept}.values())
        try:
            return super().run(x)
        finally:
            self.layers = kept


MUTANTS = (
    Mutant("projection-forgotten", "factorised_table", lambda _: lambda V, E, H: V * E, ("saving", "break-even", "factorised-table")),
    Mutant("both-of-the-vocabulary", "factorised_table", lambda _: lambda V, E, H: V * E + V * H, ("saving", "factorised-table")),
    Mutant("threshold-is-H", "break_even", lambda _: lambda V, H: H, ("saving", "break-even", "break-even-below-width")),
    Mutant("projection-per-token", "factorised_embed", lambda _: lambda ids, table, projection: table[ids] @ np.roll(projection, 1, axis=1), "factor-then-look-up"),
    Mutant("wider-inner-product", "factorised_embed", lambda original: lambda ids, table, projection: original(ids, table, projection) + 1e-3, "factor-then-look-up"),
    Mutant("table-transposed-count", "whole_table", lambda _: lambda V, H: V + H, ("saving", "break-even", "whole-table")),
    Mutant("layers-run-once-when-shared", "Stack", lambda original: SkippingStack, "products-by-sharing"),
)  # fmt: skip
