"""Records PyTorch's pooling layers and their gradients into pooling.npz: python tests/golden/make_pooling.py"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch
from torch.nn import functional

# name: (shape, window, stride, padding)
CASES = {
    "pairs": ((2, 3, 8), (2,), (2,), (0,)),
    "overlapping": ((2, 2, 9), (3,), (1,), (0,)),
    "rest_left_over": ((1, 2, 11), (4,), (3,), (0,)),
    "padded": ((2, 1, 7), (3,), (2,), (1,)),
    "one": ((1, 1, 1), (1,), (1,), (0,)),
    "image": ((2, 3, 6, 8), (2, 2), (2, 2), (0, 0)),
    "image_padded": ((1, 2, 7, 6), (3, 2), (2, 1), (1, 1)),
}
# name: (shape, taps, stride)
BLURS = {"three": ((2, 3, 10), 3, 2), "two": ((1, 2, 8), 2, 4), "five": ((2, 1, 9), 5, 3)}


def arrays() -> dict[str, np.ndarray]:
    """x, what each pooling makes of it and dL/dx for a random dL/dy, float64; ``version`` says whose they are."""
    made: dict[str, np.ndarray] = {"version": np.array(torch.__version__)}
    for seed, (name, (shape, size, stride, padding)) in enumerate(CASES.items()):
        torch.manual_seed(seed)
        dims = len(size)
        largest = functional.max_pool1d if dims == 1 else functional.max_pool2d
        mean = functional.avg_pool1d if dims == 1 else functional.avg_pool2d
        overall = functional.adaptive_avg_pool1d if dims == 1 else functional.adaptive_avg_pool2d
        layers = {
            "max": lambda x, layer=largest, s=size, t=stride, p=padding: layer(x, s, t, p),
            "average": lambda x, layer=mean, s=size, t=stride, p=padding: layer(x, s, t, p),
            "global": lambda x, layer=overall: layer(x, 1),
        }
        start = torch.randn(*shape, dtype=torch.float64)
        made[f"{name}.x"] = start.numpy()
        geometry = {"size": size, "stride": stride, "padding": padding}
        made |= {f"{name}.{field}": np.array(value) for field, value in geometry.items()}
        for kind, layer in layers.items():
            x = start.clone().requires_grad_()
            y = layer(x)
            d_y = torch.randn_like(y)
            y.backward(d_y)
            fields = {kind: y, f"d_{kind}": d_y, f"grad_{kind}": x.grad}
            made |= {f"{name}.{field}": value.detach().numpy() for field, value in fields.items()}
    for name, (shape, taps, stride) in BLURS.items():
        x = torch.randn(*shape, dtype=torch.float64)
        row = torch.tensor([1.0], dtype=torch.float64)
        for _ in range(taps - 1):
            row = functional.pad(row, (0, 1)) + functional.pad(row, (1, 0))
        channels = shape[1]
        kernel = (row / row.sum()).expand(channels, 1, taps)
        before = (taps - 1) // 2
        for fill, mode in (("zero", "constant"), ("circular", "circular")):
            padded = functional.pad(x, (before, taps - 1 - before), mode=mode)
            blurred = functional.conv1d(padded, kernel, stride=stride, groups=channels)
            made[f"blur_{name}.{fill}"] = blurred.numpy()
        made |= {f"blur_{name}.x": x.numpy(), f"blur_{name}.taps": np.array(taps)}
        made[f"blur_{name}.stride"] = np.array(stride)
    return made


if __name__ == "__main__":
    np.savez_compressed(Path(__file__).with_name("pooling.npz"), **arrays())
