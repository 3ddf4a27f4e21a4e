"""Records top-k, top-p and temperature made of PyTorch's topk, sort and cumsum: python tests/golden/make_decoding.py"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch

# name: (shape, temperature, k, p)
CASES = {
    "plain": ((16,), 1.0, 4, 0.9),
    "cold": ((3, 50), 0.8, 20, 0.95),
    "hot": ((2, 3, 11), 2.5, 50, 0.5),
    "one-token": ((1,), 1.0, 1, 0.3),
    "large": ((2, 2000), 1.3, 700, 0.97),
}


def arrays() -> dict[str, np.ndarray]:
    """Logits and warped logits of each case, float64; ``version`` says whose they are."""
    made: dict[str, np.ndarray] = {"version": np.array(torch.__version__)}
    for seed, (name, (shape, temperature, k, p)) in enumerate(CASES.items()):
        torch.manual_seed(seed)
        z = torch.randn(*shape, dtype=torch.float64) * 2
        tempered = z / temperature
        truncated = _top_k(tempered, k)
        case = {
            "z": z,
            "temperature": torch.tensor(temperature, dtype=torch.float64),
            "k": torch.tensor(k),
            "p": torch.tensor(p, dtype=torch.float64),
            "tempered": torch.softmax(tempered, -1),
            "top_k": _top_k(z, k),
            "top_p": _top_p(z, p),
            "warped": _top_p(truncated, p),
            "probabilities": torch.softmax(_top_p(truncated, p), -1),
            "entropy": torch.distributions.Categorical(logits=tempered).entropy(),
            "greedy": z.argmax(-1),
        }
        made |= {f"{name}.{key}": value.numpy() for key, value in case.items()}
    return made


def _top_k(z: torch.Tensor, k: int) -> torch.Tensor:
    kept = torch.topk(z, min(k, z.shape[-1]), dim=-1)
    return torch.full_like(z, -torch.inf).scatter(-1, kept.indices, kept.values)


def _top_p(z: torch.Tensor, p: float) -> torch.Tensor:
    # from the least probable up: a token goes while the mass up to and with it is at most 1 - p
    ascending, order = torch.sort(z, descending=False)
    gone = torch.softmax(ascending, -1).cumsum(-1) <= 1 - p
    gone[..., -1] = False
    return z.masked_fill(gone.scatter(-1, order, gone), -torch.inf)


if __name__ == "__main__":
    np.savez_compressed(Path(__file__).with_name("decoding.npz"), **arrays())
