"""Records PyTorch's attention under sparse masks and over projected keys: python tests/golden/make_sparse_attention.py"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812

N, D = 9, 4


def arrays() -> dict[str, np.ndarray]:
    """Masks, context, projections and gradients of each case, float64; ``version`` says whose they are."""
    torch.manual_seed(54)
    ones = torch.ones(N, N, dtype=torch.bool)
    masks = {
        "window": ones.tril() & ones.triu(-2),
        "local": ones.tril(2) & ones.triu(-2),
        "block": ones.tril() & torch.block_diag(*[torch.ones(3, 3)] * 3).bool(),
    }
    made: dict[str, np.ndarray] = {"version": np.array(torch.__version__)}
    query, key, value = torch.randn(3, 2, N, D, dtype=torch.float64)
    for name, mask in masks.items():
        context = F.scaled_dot_product_attention(query, key, value, attn_mask=mask)
        case = {"query": query, "key": key, "value": value, "mask": mask, "context": context}
        made |= {f"mask-{name}.{part}": array.numpy() for part, array in case.items()}
    for name, rows in {"wide": 5, "one": 1}.items():
        inputs = [torch.randn(2, N, D, dtype=torch.float64, requires_grad=True) for _ in range(3)]
        inputs += [torch.randn(rows, N, dtype=torch.float64, requires_grad=True) for _ in range(2)]
        q, k, v, e, f = inputs
        context = F.scaled_dot_product_attention(q, e @ k, f @ v)
        upstream = torch.randn_like(context)
        gradients = torch.autograd.grad(context, inputs, upstream)
        names = ("query", "key", "value", "key_projection", "value_projection")
        case = dict(zip(names, inputs, strict=True)) | {"context": context, "upstream": upstream}
        case |= {f"d_{part}": one for part, one in zip(names, gradients, strict=True)}
        made |= {f"linformer-{name}.{part}": array.detach().numpy() for part, array in case.items()}
    return made


if __name__ == "__main__":
    np.savez_compressed(Path(__file__).with_name("sparse_attention.npz"), **arrays())
