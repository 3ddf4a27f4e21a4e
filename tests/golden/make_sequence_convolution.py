"""Records a TextCNN and TCN blocks built of PyTorch's layers into sequence_convolution.npz:
python tests/golden/make_sequence_convolution.py"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.nn import functional

# name: (sentences, words, width of a word, widths, maps, nonlinearity)
TEXTS = {
    "kim": (3, 9, 5, (3, 4, 5), 4, "relu"),
    "tanh": (2, 6, 3, (1, 2), 3, "tanh"),
    "one": (1, 1, 1, (1,), 1, "relu"),
}
# name: (batch, channels, hidden, steps, kernel, dilation)
BLOCKS = {
    "widening": (2, 3, 4, 15, 3, 2),
    "same_width": (2, 4, 4, 12, 2, 4),
    "one": (1, 1, 1, 1, 1, 1),
    "shorter_than_its_field": (1, 2, 2, 5, 3, 8),
}


def _numpy(fields: dict[str, torch.Tensor | None], name: str) -> dict[str, np.ndarray]:
    return {f"{name}.{key}": value.detach().numpy() for key, value in fields.items() if value is not None}


def arrays() -> dict[str, np.ndarray]:
    """Inputs, weights, everything on the way and all gradients, float64; ``version`` says whose they are."""
    made: dict[str, np.ndarray] = {"version": np.array(torch.__version__)}
    for seed, (name, (batch, words, width, widths, maps, nonlinearity)) in enumerate(TEXTS.items()):
        torch.manual_seed(seed)
        phi = {"relu": torch.relu, "tanh": torch.tanh}[nonlinearity]
        layers = [nn.Conv1d(width, maps, h, dtype=torch.float64) for h in widths]
        x = torch.randn(batch, words, width, dtype=torch.float64, requires_grad=True)
        pre_activations = [layer(x.transpose(1, 2)) for layer in layers]
        sentence = torch.cat([phi(a).amax(dim=-1) for a in pre_activations], dim=-1)
        d_sentence = torch.randn_like(sentence)
        sentence.backward(d_sentence)
        made |= _numpy({"words": x, "sentence": sentence, "d_sentence": d_sentence}, f"text_{name}")
        made |= _numpy({"grad_words": x.grad}, f"text_{name}")
        made |= {f"text_{name}.widths": np.array(widths), f"text_{name}.activation": np.array(nonlinearity)}
        for h, layer, a in zip(widths, layers, pre_activations, strict=True):
            fields = {
                "filters": layer.weight,
                "bias": layer.bias,
                "pre_activations": a,
                "grad_filters": layer.weight.grad,
                "grad_bias": layer.bias.grad,
            }
            made |= {f"text_{name}.{key}_{h}": value.detach().numpy() for key, value in fields.items()}
    for seed, (name, (batch, channels, hidden, steps, k, dilation)) in enumerate(BLOCKS.items()):
        torch.manual_seed(100 + seed)
        first = nn.Conv1d(channels, hidden, k, dilation=dilation, dtype=torch.float64)
        second = nn.Conv1d(hidden, hidden, k, dilation=dilation, dtype=torch.float64)
        shortcut = nn.Conv1d(channels, hidden, 1, dtype=torch.float64) if channels != hidden else None
        x = torch.randn(batch, channels, steps, dtype=torch.float64, requires_grad=True)
        front = ((k - 1) * dilation, 0)
        a = first(functional.pad(x, front))
        b = second(functional.pad(torch.relu(a), front))
        total = torch.relu(b) + (x if shortcut is None else shortcut(x))
        y = torch.relu(total)
        d_y = torch.randn_like(y)
        y.backward(d_y)
        fields: dict[str, torch.Tensor | None] = {
            "x": x,
            "first": a,
            "second": b,
            "total": total,
            "y": y,
            "d_y": d_y,
            "grad_x": x.grad,
        }
        for part, layer in (("first", first), ("second", second), ("shortcut", shortcut)):
            if layer is not None:
                fields |= {
                    f"{part}_weight": layer.weight,
                    f"{part}_bias": layer.bias,
                    f"grad_{part}_weight": layer.weight.grad,
                    f"grad_{part}_bias": layer.bias.grad,
                }
        made |= _numpy(fields, f"block_{name}")
        made[f"block_{name}.dilation"] = np.array(dilation)
    return made


if __name__ == "__main__":
    np.savez_compressed(Path(__file__).with_name("sequence_convolution.npz"), **arrays())
