"""Records PyTorch's embedding and its gradient, whole and factorised: python tests/golden/make_embedding.py"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch

SHAPES = (((1,), 1, 1, 1), ((5,), 4, 3, 2), ((2, 3), 7, 4, 5), ((3, 2, 2), 3, 1, 6))
"""Shape of the ids, V, E, H."""


def arrays() -> dict[str, np.ndarray]:
    rng = np.random.default_rng(44)
    made: dict[str, np.ndarray] = {"version": np.array(torch.__version__)}
    for index, (shape, V, E, H) in enumerate(SHAPES):
        ids, table = rng.integers(0, V, shape), rng.standard_normal((V, E))
        projection, upstream, wide = (
            rng.standard_normal((E, H)),
            rng.standard_normal((*shape, E)),
            rng.standard_normal((*shape, H)),
        )
        weights, P = torch.tensor(table, requires_grad=True), torch.tensor(projection, requires_grad=True)
        rows = torch.nn.functional.embedding(torch.tensor(ids), weights)
        (d_table,) = torch.autograd.grad(rows, weights, torch.tensor(upstream), retain_graph=True)
        projected = rows @ P
        d_narrow, d_projection = torch.autograd.grad(projected, (weights, P), torch.tensor(wide))
        case = {
            "ids": ids, "table": table, "projection": projection, "upstream": upstream, "wide": wide,
            "one_hot": torch.nn.functional.one_hot(torch.tensor(ids), V).double(),
            "rows": rows.detach(), "d_table": d_table, "projected": projected.detach(),
            "d_narrow": d_narrow, "d_projection": d_projection,
        }  # fmt: skip
        made |= {f"case{index}.{name}": np.asarray(value) for name, value in case.items()}
    return made


if __name__ == "__main__":
    np.savez_compressed(Path(__file__).with_name("embedding.npz"), **arrays())
