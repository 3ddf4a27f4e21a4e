"""Records PyTorch's convolutions and their gradients into convolution.npz: python tests/golden/make_convolution.py"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch
from torch.nn import functional

# name: (batch, channels in, channels out, lengths, kernel, stride, dilation, (before, after) of each axis, fill)
CASES = {
    "plain": (2, 3, 4, (9,), (3,), (1,), (1,), ((0, 0),), "zero"),
    "one": (1, 1, 1, (1,), (1,), (1,), (1,), ((0, 0),), "zero"),
    "same_even": (2, 2, 3, (8,), (4,), (1,), (1,), ((1, 2),), "zero"),
    "dilated": (2, 3, 2, (20,), (3,), (1,), (4,), ((4, 4),), "zero"),
    "causal": (1, 2, 3, (12,), (3,), (1,), (2,), ((4, 0),), "zero"),
    "strided": (2, 2, 2, (11,), (4,), (3,), (1,), ((1, 1),), "zero"),
    "circular": (2, 2, 3, (10,), (5,), (2,), (1,), ((2, 2),), "circular"),
    "image": (2, 3, 4, (6, 7), (3, 2), (1, 1), (1, 1), ((0, 0), (0, 0)), "zero"),
    "image_strided": (1, 2, 3, (9, 8), (3, 3), (2, 3), (1, 2), ((1, 1), (2, 2)), "zero"),
    "image_circular": (1, 2, 2, (5, 4), (3, 3), (1, 1), (1, 1), ((1, 1), (1, 1)), "circular"),
}


def arrays() -> dict[str, np.ndarray]:
    """x, weight, bias, y and the gradients for a random dL/dy of each case, float64; ``version`` says whose they are."""
    made: dict[str, np.ndarray] = {"version": np.array(torch.__version__)}
    for seed, (name, (batch, inputs, outputs, n, k, stride, dilation, pads, fill)) in enumerate(
        CASES.items()
    ):
        torch.manual_seed(seed)

        def leaf(*shape: int) -> torch.Tensor:
            return torch.randn(*shape, dtype=torch.float64, requires_grad=True)

        x, weight, bias = leaf(batch, inputs, *n), leaf(outputs, inputs, *k), leaf(outputs)
        flat = [end for pair in reversed(pads) for end in pair]
        padded = functional.pad(x, flat, mode="circular" if fill == "circular" else "constant")
        layer = functional.conv1d if len(k) == 1 else functional.conv2d
        y = layer(padded, weight, bias, stride=stride, dilation=dilation)
        d_y = torch.randn_like(y)
        y.backward(d_y)
        fields = {
            "x": x,
            "weight": weight,
            "bias": bias,
            "y": y,
            "d_y": d_y,
            "grad_x": x.grad,
            "grad_weight": weight.grad,
            "grad_bias": bias.grad,
        }
        if len(k) == 2:
            fields["columns"] = functional.unfold(padded, k, dilation=dilation, stride=stride)
        made |= {f"{name}.{field}": value.detach().numpy() for field, value in fields.items()}
        geometry = {"stride": stride, "dilation": dilation, "padding": pads, "fill": fill}
        made |= {f"{name}.{field}": np.array(value) for field, value in geometry.items()}
    return made


if __name__ == "__main__":
    np.savez_compressed(Path(__file__).with_name("convolution.npz"), **arrays())
