"""Records softmax, log-softmax and log-sum-exp of PyTorch, with gradients: python tests/golden/make_softmax.py"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch

SHAPES = ((1, 1), (1, 5), (4, 7), (2, 3, 16), (64,))


def arrays() -> dict[str, np.ndarray]:
    """Named float64 arrays; ``version`` says whose they are."""
    rng = np.random.default_rng(20)
    made: dict[str, np.ndarray] = {"version": np.array(torch.__version__)}
    for shape in SHAPES:
        for scale in (1.0, 40.0):
            z = rng.standard_normal(shape) * scale
            made |= _case(f"{'x'.join(map(str, shape))}-{scale:g}", z, rng.standard_normal(shape), -1)
    z = rng.standard_normal((3, 4, 5))
    made |= _case("axis0", z, rng.standard_normal(z.shape), 0)
    made |= _case("axis1", z, rng.standard_normal(z.shape), 1)
    masked = rng.standard_normal((4, 6))
    masked[np.triu_indices(4, 1, 6)] = -np.inf
    made |= _case("masked", masked, rng.standard_normal(masked.shape), -1)
    made |= _case(
        "far", np.array([[1e4, -1e4, 9999.0], [-745.0, -746.0, 0.0]]), rng.standard_normal((2, 3)), -1
    )
    empty = torch.full((2, 3), -torch.inf, dtype=torch.float64)
    made["empty.p"] = torch.softmax(empty, -1).numpy()
    made["empty.log_p"] = torch.log_softmax(empty, -1).numpy()
    made["empty.logsumexp"] = torch.logsumexp(empty, -1).numpy()
    return made


def _case(name: str, z: np.ndarray, upstream: np.ndarray, axis: int) -> dict[str, np.ndarray]:
    logits, d = torch.tensor(z, requires_grad=True), torch.tensor(upstream)
    p = torch.softmax(logits, axis)
    (dz,) = torch.autograd.grad(p, logits, d)
    log_p = torch.log_softmax(logits, axis)
    (dz_log,) = torch.autograd.grad(log_p, logits, d)
    total = torch.logsumexp(logits, axis)
    made = {"z": z, "upstream": upstream, "axis": np.array(axis)}
    made |= {"p": p, "dz": dz, "log_p": log_p, "dz_log": dz_log, "logsumexp": total}
    if z.ndim == 2 and axis == -1:
        made["jacobian"] = torch.stack(
            [
                torch.autograd.functional.jacobian(lambda row: torch.softmax(row, -1), row)
                for row in logits.detach()
            ]
        )
    return {f"{name}.{key}": _plain(value) for key, value in made.items()}


def _plain(value: object) -> np.ndarray:
    return value.detach().numpy() if isinstance(value, torch.Tensor) else np.asarray(value)


if __name__ == "__main__":
    np.savez_compressed(Path(__file__).with_name("softmax.npz"), **arrays())
