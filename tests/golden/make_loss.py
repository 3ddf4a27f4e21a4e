"""Records the cross-entropy of PyTorch, with gradients: python tests/golden/make_loss.py"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch
from torch.nn.functional import cross_entropy

SHAPES = ((1, 1), (1, 3), (6, 5), (33, 10))


def arrays() -> dict[str, np.ndarray]:
    """Named float64 arrays; ``version`` says whose they are."""
    rng = np.random.default_rng(36)
    made: dict[str, np.ndarray] = {"version": np.array(torch.__version__)}
    for rows, classes in SHAPES:
        for smoothing in (0.0, 0.1, 1.0):
            for reduction in ("mean", "sum", "none"):
                z = rng.standard_normal((rows, classes)) * 4
                targets = rng.integers(0, classes, rows)
                if rows > 3:
                    targets[::3] = -100
                made |= _case(f"{rows}x{classes}-{smoothing:g}-{reduction}", z, targets, smoothing, reduction)
    far = np.array([[50.0, 0.0], [0.0, 800.0], [-1e4, 1e4]])
    made |= _case("far", far, np.array([1, 0, 0]), 0.0, "none")
    masked = np.array([[1.0, -np.inf, 2.0], [-np.inf, 0.5, -np.inf]])
    made |= _case("masked", masked, np.array([2, 1]), 0.0, "mean")
    return made


def _case(
    name: str, z: np.ndarray, targets: np.ndarray, smoothing: float, reduction: str
) -> dict[str, np.ndarray]:
    logits, labels = torch.tensor(z, requires_grad=True), torch.tensor(targets)
    loss = cross_entropy(logits, labels, reduction=reduction, label_smoothing=smoothing)
    each = cross_entropy(logits, labels, reduction="none", label_smoothing=smoothing)
    upstream = torch.linspace(0.5, 1.5, loss.numel(), dtype=torch.float64).reshape(loss.shape)
    (dz,) = torch.autograd.grad(loss, logits, upstream)
    made = {"z": z, "targets": targets, "smoothing": np.array(smoothing), "reduction": np.array(reduction)}
    made |= {"loss": loss, "each": each, "upstream": upstream, "dz": dz}
    made["log_p"] = torch.log_softmax(logits, -1)
    return {f"{name}.{key}": _plain(value) for key, value in made.items()}


def _plain(value: object) -> np.ndarray:
    return value.detach().numpy() if isinstance(value, torch.Tensor) else np.asarray(value)


if __name__ == "__main__":
    np.savez_compressed(Path(__file__).with_name("loss.npz"), **arrays())
