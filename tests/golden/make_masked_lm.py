"""Records PyTorch's losses on masked and causal labels into masked_lm.npz: python tests/golden/make_masked_lm.py"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812

IGNORED = -100

# name: (sequences, tokens, vocabulary)
CASES = {"batch": (3, 12, 7), "one": (1, 2, 1), "wide": (2, 5, 40)}


def arrays() -> dict[str, np.ndarray]:
    """ids (B, T), selected (B, T), logits (B, T, V); loss and gradient of masked (on the selected tokens) and causal
    prediction (logits and ids shifted against each other by slicing), float64; ``version`` says whose they are."""
    made: dict[str, np.ndarray] = {"version": np.array(torch.__version__)}
    for seed, (name, (sequences, tokens, vocabulary)) in enumerate(CASES.items()):
        torch.manual_seed(seed)
        ids = torch.randint(vocabulary, (sequences, tokens))
        selected = torch.rand(sequences, tokens) < 0.3
        selected[0, 0] = True
        logits = torch.randn(sequences, tokens, vocabulary, dtype=torch.float64, requires_grad=True)

        labels = ids.masked_fill(~selected, IGNORED)
        masked = F.cross_entropy(logits.flatten(0, 1), labels.flatten(), ignore_index=IGNORED)
        (d_masked,) = torch.autograd.grad(masked, logits)

        causal = F.cross_entropy(logits[:, :-1].flatten(0, 1), ids[:, 1:].flatten())
        (d_causal,) = torch.autograd.grad(causal, logits)
        fields = {
            "ids": ids,
            "selected": selected,
            "logits": logits,
            "masked": masked,
            "d_masked": d_masked,
            "causal": causal,
            "d_causal": d_causal,
        }
        made |= {f"{name}.{key}": value.detach().numpy() for key, value in fields.items()}
    return made


if __name__ == "__main__":
    np.savez(Path(__file__).parent / "masked_lm.npz", **arrays())
