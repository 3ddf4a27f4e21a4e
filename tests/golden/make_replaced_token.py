"""Records PyTorch's binary cross-entropy with logits: python tests/golden/make_replaced_token.py"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch


def arrays() -> dict[str, np.ndarray]:
    rng = np.random.default_rng(41)
    made: dict[str, np.ndarray] = {"version": np.array(torch.__version__)}
    for index, (shape, scale) in enumerate((((1, 1), 1.0), ((3, 5), 2.0), ((2, 7), 60.0))):
        logits, labels = scale * rng.standard_normal(shape), rng.random(shape) < 0.3
        z = torch.tensor(logits, requires_grad=True)
        loss = torch.nn.functional.binary_cross_entropy_with_logits(z, torch.tensor(labels).double())
        (gradient,) = torch.autograd.grad(loss, z)
        case = {"logits": logits, "replaced": labels, "loss": loss.detach(), "gradient": gradient}
        made |= {f"case{index}.{name}": np.asarray(value) for name, value in case.items()}
    return made


if __name__ == "__main__":
    np.savez_compressed(Path(__file__).with_name("replaced_token.npz"), **arrays())
