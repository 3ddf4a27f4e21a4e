"""Records -log(softmax + eps) and its gradient from PyTorch into epsilon_loss.npz: python tests/golden/make_epsilon_loss.py"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch

# name: (rows, classes, scale of the logits, epsilon)
CASES = {
    "mild": (4, 5, 1.0, 1e-10),
    "sharp": (6, 3, 20.0, 1e-10),
    "coarse": (5, 4, 5.0, 1e-3),
    "two": (1, 2, 10.0, 1e-8),
}


def arrays() -> dict[str, np.ndarray]:
    """Logits, targets, losses and gradients of each case, float64; ``version`` says whose they are."""
    made: dict[str, np.ndarray] = {"version": np.array(torch.__version__)}
    for seed, (name, (rows, classes, scale, epsilon)) in enumerate(CASES.items()):
        torch.manual_seed(seed)
        z = (scale * torch.randn(rows, classes, dtype=torch.float64)).requires_grad_()
        targets = torch.randint(classes, (rows,))
        p = torch.softmax(z, dim=-1)
        loss = -torch.log(p[torch.arange(rows), targets] + epsilon)
        upstream = torch.randn(rows, dtype=torch.float64)
        (loss * upstream).sum().backward()
        fields = {"z": z, "targets": targets, "loss": loss, "upstream": upstream, "dz": z.grad}
        made |= {f"{name}.{field}": value.detach().numpy() for field, value in fields.items()}
        made[f"{name}.epsilon"] = np.array(epsilon)
    return made


if __name__ == "__main__":
    np.savez_compressed(Path(__file__).with_name("epsilon_loss.npz"), **arrays())
