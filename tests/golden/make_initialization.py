"""Records recurrent weights as PyTorch initialises them into initialization.npz: python tests/golden/make_initialization.py"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch

WIDTHS = (24, 40)


def arrays() -> dict[str, np.ndarray]:
    """``<scheme>_<width>.weights`` (width, width); ``version`` says whose they are."""
    made: dict[str, np.ndarray] = {"version": np.array(torch.__version__)}
    torch.manual_seed(0)
    for width in WIDTHS:
        fresh = torch.nn.RNN(width, width, dtype=torch.float64).weight_hh_l0
        glorot = torch.nn.init.xavier_uniform_(torch.empty(width, width, dtype=torch.float64))
        orthogonal = torch.nn.init.orthogonal_(torch.empty(width, width, dtype=torch.float64))
        for scheme, weights in (("torch", fresh), ("glorot", glorot), ("orthogonal", orthogonal)):
            made[f"{scheme}_{width}.weights"] = weights.detach().numpy()
    return made


if __name__ == "__main__":
    np.savez_compressed(Path(__file__).with_name("initialization.npz"), **arrays())
