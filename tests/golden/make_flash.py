"""Records PyTorch's scaled_dot_product_attention into flash.npz: python tests/golden/make_flash.py"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812

# name: (tokens, width, standard deviation of the queries)
CASES = {"short": (7, 4, 1.0), "ragged": (50, 16, 3.0), "peaked": (33, 8, 60.0), "one": (1, 1, 1.0)}


def arrays() -> dict[str, np.ndarray]:
    """q, k, v and context (N, d) and logsumexp (N,) of each case, float64; ``version`` says whose they are."""
    made: dict[str, np.ndarray] = {"version": np.array(torch.__version__)}
    for seed, (name, (tokens, width, spread)) in enumerate(CASES.items()):
        torch.manual_seed(seed)
        q, k, v = torch.randn(3, tokens, width, dtype=torch.float64)
        q = q * spread
        context = F.scaled_dot_product_attention(q[None], k[None], v[None])[0]
        logsumexp = torch.logsumexp(q @ k.T / width**0.5, dim=-1)
        fields = {"q": q, "k": k, "v": v, "context": context, "logsumexp": logsumexp}
        made |= {f"{name}.{key}": value.numpy() for key, value in fields.items()}
    return made


if __name__ == "__main__":
    np.savez(Path(__file__).parent / "flash.npz", **arrays())
