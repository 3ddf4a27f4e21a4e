"""Records PyTorch's optimizers and clipping into optimizer.npz: python tests/golden/make_optimizer.py"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch

STEPS, SHAPE = 12, (3, 4)
OPTIMIZERS = {
    "sgd": (torch.optim.SGD, {"lr": 0.1}),
    "momentum": (torch.optim.SGD, {"lr": 0.1, "momentum": 0.9}),
    "dampened": (torch.optim.SGD, {"lr": 0.1, "momentum": 0.8, "dampening": 0.3}),
    "nesterov": (torch.optim.SGD, {"lr": 0.05, "momentum": 0.9, "nesterov": True}),
    "sgd_decay": (torch.optim.SGD, {"lr": 0.1, "momentum": 0.9, "weight_decay": 0.2}),
    "adam": (torch.optim.Adam, {"lr": 0.01}),
    "adam_vaswani": (torch.optim.Adam, {"lr": 0.01, "betas": (0.9, 0.98), "eps": 1e-9}),
    "adam_decay": (torch.optim.Adam, {"lr": 0.01, "weight_decay": 0.1}),
    "adamw": (torch.optim.AdamW, {"lr": 0.01, "weight_decay": 0.1}),
    "adam_large_epsilon": (torch.optim.Adam, {"lr": 0.1, "eps": 0.5}),
}
CLIPS = {
    "exploded": (100.0, 1.0, 2.0),
    "below": (0.001, 1.0, 2.0),
    "inf": (10.0, 1.0, float("inf")),
    "one": (10.0, 3.0, 1.0),
}


def arrays() -> dict[str, np.ndarray]:
    """Per optimizer ``parameters`` (STEPS+1, …) under given ``gradients`` (STEPS, …), of wildly different sizes; per
    clipping the gradients before, after, by value, and the norm. ``version`` says whose they are."""
    made: dict[str, np.ndarray] = {"version": np.array(torch.__version__)}
    for seed, (name, (kind, options)) in enumerate(OPTIMIZERS.items()):
        torch.manual_seed(seed)
        parameter = torch.nn.Parameter(torch.randn(SHAPE, dtype=torch.float64))
        gradients = torch.randn(STEPS, *SHAPE, dtype=torch.float64) * 10.0 ** torch.randint(-4, 3, SHAPE)
        optimizer = kind([parameter], **options)
        history = [parameter.detach().clone()]
        for gradient in gradients:
            parameter.grad = gradient.clone()
            optimizer.step()
            history.append(parameter.detach().clone())
        made |= {
            f"opt_{name}.gradients": gradients.numpy(),
            f"opt_{name}.parameters": torch.stack(history).numpy(),
        }
    for seed, (name, (size, limit, order)) in enumerate(CLIPS.items()):
        torch.manual_seed(100 + seed)
        before = [size * torch.randn(shape, dtype=torch.float64) for shape in ((4, 3), (5,))]
        parameters = [torch.nn.Parameter(torch.zeros_like(g)) for g in before]
        for parameter, gradient in zip(parameters, before, strict=True):
            parameter.grad = gradient.clone()
        norm = torch.nn.utils.clip_grad_norm_(parameters, limit, norm_type=order)
        made |= {f"clip_{name}.before_{i}": g.numpy() for i, g in enumerate(before)}
        made |= {f"clip_{name}.after_{i}": p.grad.numpy().copy() for i, p in enumerate(parameters)}
        for parameter, gradient in zip(parameters, before, strict=True):
            parameter.grad = gradient.clone()
        torch.nn.utils.clip_grad_value_(parameters, limit)
        made |= {f"clip_{name}.by_value_{i}": p.grad.numpy().copy() for i, p in enumerate(parameters)}
        made |= {
            f"clip_{name}.norm": norm.numpy(),
            f"clip_{name}.limit": np.array(limit),
            f"clip_{name}.order": np.array(order),
        }
    return made


if __name__ == "__main__":
    np.savez_compressed(Path(__file__).with_name("optimizer.npz"), **arrays())
