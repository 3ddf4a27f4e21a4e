"""Records PyTorch's grouped-query attention: python tests/golden/make_kv_cache.py"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812

# name: (batch, heads, kv_heads, queries, keys, width, causal)
CASES = {
    "grouped": (2, 8, 2, 5, 5, 4, False),
    "grouped-causal": (2, 4, 2, 6, 6, 3, True),
    "multi-query": (1, 6, 1, 1, 7, 5, False),
    "multi-head": (3, 2, 2, 4, 6, 4, False),
    "one": (1, 1, 1, 1, 1, 1, False),
}


def arrays() -> dict[str, np.ndarray]:
    """Queries, keys, values and context of each case, float64; ``version`` says whose they are."""
    made: dict[str, np.ndarray] = {"version": np.array(torch.__version__)}
    for seed, (name, (batch, heads, kv_heads, queries, keys, width, causal)) in enumerate(CASES.items()):
        torch.manual_seed(seed)
        query = torch.randn(batch, heads, queries, width, dtype=torch.float64)
        key, value = torch.randn(2, batch, kv_heads, keys, width, dtype=torch.float64)
        context = F.scaled_dot_product_attention(query, key, value, is_causal=causal, enable_gqa=True)
        case = {
            "query": query,
            "key": key,
            "value": value,
            "context": context,
            "causal": torch.tensor(causal),
        }
        made |= {f"{name}.{part}": array.numpy() for part, array in case.items()}
    return made


if __name__ == "__main__":
    np.savez_compressed(Path(__file__).with_name("kv_cache.npz"), **arrays())
