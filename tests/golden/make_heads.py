"""Records PyTorch's linear layer, its gradients and cosine similarity: python tests/golden/make_heads.py"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch

SHAPES = (((1,), 1, 1), ((4,), 3, 2), ((2, 3), 5, 4))
"""Leading shape, d, C."""


def arrays() -> dict[str, np.ndarray]:
    rng = np.random.default_rng(43)
    made: dict[str, np.ndarray] = {"version": np.array(torch.__version__)}
    for index, (shape, d, C) in enumerate(SHAPES):
        x, W, b = rng.standard_normal((*shape, d)), rng.standard_normal((C, d)), rng.standard_normal(C)
        upstream, other = rng.standard_normal((*shape, C)), rng.standard_normal((*shape, d))
        tensors = [torch.tensor(value, requires_grad=True) for value in (x, W, b)]
        y = torch.nn.functional.linear(*tensors)
        gradients = torch.autograd.grad(y, tensors, torch.tensor(upstream))
        similarity = torch.nn.functional.cosine_similarity(torch.tensor(x), torch.tensor(other), dim=-1)
        case = {
            "x": x,
            "W": W,
            "b": b,
            "upstream": upstream,
            "other": other,
            "y": y.detach(),
            "similarity": similarity,
        }
        case |= dict(zip(("dx", "dW", "db"), gradients, strict=True))
        made |= {f"case{index}.{name}": np.asarray(value) for name, value in case.items()}
    return made


if __name__ == "__main__":
    np.savez_compressed(Path(__file__).with_name("heads.npz"), **arrays())
