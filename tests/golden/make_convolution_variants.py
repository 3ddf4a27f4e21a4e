"""Records PyTorch's grouped and transposed convolutions into convolution_variants.npz: python tests/golden/make_convolution_variants.py"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch
from torch.nn import functional

# name: (batch, channels in, channels out, lengths, kernel, groups, stride, dilation, padding)
GROUPED = {
    "full": (2, 4, 6, (9,), (3,), 1, 1, 1, 0),
    "halves": (2, 4, 6, (9,), (3,), 2, 2, 1, 1),
    "depthwise": (1, 5, 5, (7, 6), (3, 3), 5, 1, 1, 1),
    "multiplier": (1, 3, 6, (7, 8), (3, 2), 3, 1, 2, 2),
}
# name: (batch, channels in, channels out, lengths, kernel, stride, dilation, padding, output padding)
TRANSPOSED = {
    "plain": (2, 3, 2, (5,), (3,), 1, 1, 0, 0),
    "one": (1, 1, 1, (1,), (1,), 1, 1, 0, 0),
    "strided": (2, 2, 3, (6,), (4,), 3, 1, 1, 0),
    "output_padding": (1, 2, 2, (5,), (3,), 2, 1, 1, 1),
    "gaps": (1, 2, 1, (4,), (2,), 4, 1, 0, 0),
    "dilated": (1, 2, 3, (5,), (3,), 2, 2, 1, 1),
    "image": (2, 3, 2, (4, 5), (3, 2), 2, 1, 1, 1),
}


def arrays() -> dict[str, np.ndarray]:
    """x, weight, bias, y of each case, float64; ``version`` says whose they are."""
    made: dict[str, np.ndarray] = {"version": np.array(torch.__version__)}

    def record(
        name: str, x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor, y: torch.Tensor, *how: int
    ) -> None:
        fields = {"x": x, "weight": weight, "bias": bias, "y": y, "how": torch.tensor(how)}
        made.update({f"{name}.{field}": value.numpy() for field, value in fields.items()})

    def draw(*shape: int) -> torch.Tensor:
        return torch.randn(*shape, dtype=torch.float64)

    for seed, (name, (batch, inputs, outputs, n, k, groups, stride, dilation, padding)) in enumerate(
        GROUPED.items()
    ):
        torch.manual_seed(seed)
        x, weight, bias = draw(batch, inputs, *n), draw(outputs, inputs // groups, *k), draw(outputs)
        layer = functional.conv1d if len(k) == 1 else functional.conv2d
        y = layer(x, weight, bias, stride=stride, dilation=dilation, padding=padding, groups=groups)
        record(f"grouped_{name}", x, weight, bias, y, groups, stride, dilation, padding)
    for seed, (name, (batch, inputs, outputs, n, k, stride, dilation, padding, more)) in enumerate(
        TRANSPOSED.items()
    ):
        torch.manual_seed(100 + seed)
        x, weight, bias = draw(batch, inputs, *n), draw(inputs, outputs, *k), draw(outputs)
        layer = functional.conv_transpose1d if len(k) == 1 else functional.conv_transpose2d
        y = layer(x, weight, bias, stride=stride, dilation=dilation, padding=padding, output_padding=more)
        record(f"transposed_{name}", x, weight, bias, y, stride, dilation, padding, more)
    return made


if __name__ == "__main__":
    np.savez_compressed(Path(__file__).with_name("convolution_variants.npz"), **arrays())
