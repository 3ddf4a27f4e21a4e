"""Records PyTorch's conversions to short formats into precision.npz: python tests/golden/make_precision.py"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch

FORMATS = {"float32": torch.float32, "bfloat16": torch.bfloat16, "float16": torch.float16}


def arrays() -> dict[str, np.ndarray]:
    """Numbers of every size, ties among them, and what each format makes of them; ``version`` says whose it is."""
    torch.manual_seed(0)
    # float32 numbers, because PyTorch rounds float64 to bfloat16 in two steps
    spread = torch.randn(2000) * 2.0 ** torch.randint(-30, 15, (2000,))
    ties = (torch.arange(-300, 300) + 0.5) * 2.0**-5
    x = torch.cat((spread, ties, torch.zeros(1), 2.0 ** torch.arange(-26, 15))).double()
    made = {"version": np.array(torch.__version__), "precision.x": x.numpy()}
    return made | {f"precision.{name}": x.to(form).double().numpy() for name, form in FORMATS.items()}


if __name__ == "__main__":
    np.savez_compressed(Path(__file__).with_name("precision.npz"), **arrays())
