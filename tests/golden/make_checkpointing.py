"""Records gradients and layer evaluations of PyTorch's checkpointing: python tests/golden/make_checkpointing.py"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch
from torch.utils.checkpoint import checkpoint, checkpoint_sequential

# name: (layers, rows, width, layers in a segment)
CASES = {"even": (12, 3, 5, 3), "ragged": (7, 2, 4, 3), "one": (1, 1, 1, 1), "single-segment": (4, 2, 3, 4)}


class TanhLayer(torch.nn.Module):
    """tanh(x W), counting its evaluations."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.weight = torch.nn.Parameter(torch.randn(width, width, dtype=torch.float64) / width**0.5)
        self.evaluations = 0

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.evaluations += 1
        return torch.tanh(x @ self.weight)


def arrays() -> dict[str, np.ndarray]:
    """weights (n, W, W), x and d_output (B, W), d_input, d_weights and evaluations, of ``checkpoint`` around each
    segment; evaluations of ``checkpoint_sequential`` where the segments are equal (else -1); ``version``."""
    made: dict[str, np.ndarray] = {"version": np.array(torch.__version__)}
    for seed, (name, (count, rows, width, segment)) in enumerate(CASES.items()):
        torch.manual_seed(seed)
        layers = [TanhLayer(width) for _ in range(count)]
        x = torch.randn(rows, width, dtype=torch.float64, requires_grad=True)
        d_output = torch.randn(rows, width, dtype=torch.float64)
        y = x
        for start in range(0, count, segment):
            y = checkpoint(torch.nn.Sequential(*layers[start : start + segment]), y, use_reentrant=False)
        y.backward(d_output)
        evaluations = sum(layer.evaluations for layer in layers)
        fields = {
            "weights": torch.stack([layer.weight for layer in layers]),
            "x": x,
            "d_output": d_output,
            "d_input": x.grad,
            "d_weights": torch.stack([layer.weight.grad for layer in layers]),
        }
        made |= {f"{name}.{key}": value.detach().numpy().copy() for key, value in fields.items()}
        made[f"{name}.segment"] = np.array(segment)
        made[f"{name}.evaluations"] = np.array(evaluations)
        sequential = -1
        if count % segment == 0:
            again = [TanhLayer(width) for _ in range(count)]
            checkpoint_sequential(again, count // segment, x, use_reentrant=False).backward(d_output)
            sequential = sum(layer.evaluations for layer in again)
        made[f"{name}.sequential_evaluations"] = np.array(sequential)
    return made


if __name__ == "__main__":
    np.savez(Path(__file__).parent / "checkpointing.npz", **arrays())
