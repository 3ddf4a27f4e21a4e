"""Records PyTorch's gradients of a linear recurrence into scan.npz: python tests/golden/make_scan.py"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch

# name: (steps, width)
CASES = {"short": (7, 3), "one": (1, 1), "power": (64, 2), "long": (100, 2)}


def arrays() -> dict[str, np.ndarray]:
    """a, b, h_0, every state and gradient of each case, float64; ``version`` says whose they are."""
    made: dict[str, np.ndarray] = {"version": np.array(torch.__version__)}
    for seed, (name, (steps, width)) in enumerate(CASES.items()):
        torch.manual_seed(seed)
        # factors both below and above one in size, and of both signs
        a = (1.2 * torch.rand(steps, width, dtype=torch.float64) - 0.2).requires_grad_()
        b = torch.randn(steps, width, dtype=torch.float64, requires_grad=True)
        h_0 = torch.randn(width, dtype=torch.float64, requires_grad=True)
        d_states = torch.randn(steps, width, dtype=torch.float64)
        states = []
        for t in range(steps):
            states.append(a[t] * (states[-1] if states else h_0) + b[t])
        stacked = torch.stack(states)
        (stacked * d_states).sum().backward()
        fields = {
            "a": a,
            "b": b,
            "h_0": h_0,
            "d_states": d_states,
            "states": stacked,
            "grad_a": a.grad,
            "grad_b": b.grad,
            "grad_h_0": h_0.grad,
        }
        made |= {f"{name}.{field}": value.detach().numpy() for field, value in fields.items()}
    return made


if __name__ == "__main__":
    np.savez_compressed(Path(__file__).with_name("scan.npz"), **arrays())
