"""Records PyTorch's elu, FFT and quadratic-form linear attention: python tests/golden/make_linear_attention.py"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812

SHAPES = {"one": (1, 1, 1, 1), "small": (2, 5, 3, 4), "long": (1, 16, 8, 6)}  # batch, n, d, d_v


def arrays() -> dict[str, np.ndarray]:
    """Inputs, features, mixings and gradients, float64; ``version`` says whose they are."""
    made: dict[str, np.ndarray] = {"version": np.array(torch.__version__)}
    for seed, (name, (batch, n, d, width)) in enumerate(SHAPES.items()):
        torch.manual_seed(seed)
        made |= {f"{name}.{key}": value.detach().numpy() for key, value in _case(batch, n, d, width).items()}
    return made


def _case(batch: int, n: int, d: int, width: int) -> dict[str, torch.Tensor]:
    x = torch.randn(batch, n, d, dtype=torch.float64, requires_grad=True)
    upstream = torch.randn(batch, n, d, dtype=torch.float64)
    query, key = torch.randn(2, batch, n, d, dtype=torch.float64)
    value = torch.randn(batch, n, width, dtype=torch.float64)
    features = F.elu(x) + 1
    (d_elu,) = torch.autograd.grad(features, x, upstream)
    mixed = torch.fft.fft2(x, dim=(-2, -1)).real
    (d_mixed,) = torch.autograd.grad(mixed, x, upstream)
    phi_q, phi_k = F.elu(query) + 1, F.elu(key) + 1
    weights = phi_q @ phi_k.mT
    causal = weights.tril()
    return {
        "x": x,
        "upstream": upstream,
        "features": features,
        "d_elu": d_elu,
        "mixed": mixed,
        "d_mixed": d_mixed,
        "phi_q": phi_q,
        "phi_k": phi_k,
        "value": value,
        "context": weights @ value / weights.sum(-1, keepdim=True),
        "causal": causal @ value / causal.sum(-1, keepdim=True),
    }


if __name__ == "__main__":
    np.savez_compressed(Path(__file__).with_name("linear_attention.npz"), **arrays())
