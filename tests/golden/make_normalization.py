"""Records LayerNorm, BatchNorm and RMSNorm of PyTorch, with gradients: python tests/golden/make_normalization.py"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch

LAYER_SHAPES = ((1, 1), (1, 8), (5, 3), (2, 4, 16))
BATCH_SHAPES = ((2, 1), (5, 3), (3, 4, 6), (1, 2, 5))


def arrays() -> dict[str, np.ndarray]:
    """Named float64 arrays; ``version`` says whose they are."""
    rng = np.random.default_rng(33)
    made: dict[str, np.ndarray] = {"version": np.array(torch.__version__)}
    for shape in LAYER_SHAPES:
        for eps in (1e-5, 0.3):
            name = f"{'x'.join(map(str, shape))}-{eps:g}"
            made |= _layer(f"layer.{name}", _input(rng, shape), rng, eps)
            made |= _rms(f"rms.{name}", _input(rng, shape), rng, eps)
    for shape in BATCH_SHAPES:
        made |= _batch(f"batch.{'x'.join(map(str, shape))}", shape, rng)
    made |= _by_hand("std", _input(rng, (4, 6)), rng)
    return made


def _input(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    return rng.standard_normal(shape) * 3 + 2


def _layer(name: str, x: np.ndarray, rng: np.random.Generator, eps: float) -> dict[str, np.ndarray]:
    inputs = _leaves(x, rng.standard_normal(x.shape[-1]), rng.standard_normal(x.shape[-1]))
    y, mean, rstd = torch.native_layer_norm(inputs[0], x.shape[-1:], inputs[1], inputs[2], eps)
    made = {"eps": eps, "y": y, "mean": mean, "rstd": rstd}
    return _finished(name, inputs, y, made, rng)


def _rms(name: str, x: np.ndarray, rng: np.random.Generator, eps: float) -> dict[str, np.ndarray]:
    inputs = _leaves(x, rng.standard_normal(x.shape[-1]))
    y = torch.nn.functional.rms_norm(inputs[0], x.shape[-1:], inputs[1], eps)
    return _finished(name, inputs, y, {"eps": eps, "y": y}, rng)


def _batch(name: str, shape: tuple[int, ...], rng: np.random.Generator) -> dict[str, np.ndarray]:
    """Two training steps and then inference; channels on axis 1 as PyTorch has them."""
    channels = shape[1]
    layer = torch.nn.BatchNorm1d(channels, eps=1e-3, momentum=0.2, dtype=torch.float64)
    gamma, beta = rng.standard_normal(channels), rng.standard_normal(channels)
    layer.load_state_dict({"weight": torch.tensor(gamma), "bias": torch.tensor(beta)}, strict=False)
    first = _input(rng, shape)
    layer(torch.tensor(first))
    made: dict[str, object] = {
        "first": first,
        "mean1": layer.running_mean.clone(),
        "var1": layer.running_var.clone(),
    }
    inputs = [torch.tensor(_input(rng, shape), requires_grad=True), layer.weight, layer.bias]
    y = layer(inputs[0])
    made |= {"y": y, "mean2": layer.running_mean.clone(), "var2": layer.running_var.clone()}
    layer.eval()
    at_rest = _input(rng, (1, *shape[1:]))
    made |= {"at_rest": at_rest, "y_eval": layer(torch.tensor(at_rest))}
    return _finished(name, inputs, y, made, rng)


def _by_hand(name: str, x: np.ndarray, rng: np.random.Generator) -> dict[str, np.ndarray]:
    """The layer norm of much copied code: torch.std (ddof=1) plus eps outside the root."""
    inputs = _leaves(x, rng.standard_normal(x.shape[-1]), rng.standard_normal(x.shape[-1]))
    centred = inputs[0] - inputs[0].mean(-1, keepdim=True)
    y = inputs[1] * centred / (inputs[0].std(-1, keepdim=True) + 1e-2) + inputs[2]
    return _finished(name, inputs, y, {"eps": 1e-2, "y": y}, rng)


def _leaves(*values: np.ndarray) -> list[torch.Tensor]:
    return [torch.tensor(value, requires_grad=True) for value in values]


def _finished(
    name: str, inputs: list[torch.Tensor], y: torch.Tensor, made: dict[str, object], rng: np.random.Generator
) -> dict[str, np.ndarray]:
    upstream = torch.tensor(rng.standard_normal(tuple(y.shape)))
    gradients = torch.autograd.grad(y, inputs, upstream)
    named = dict(zip(("x", "gamma", "beta"), inputs, strict=False))
    named |= dict(zip(("dx", "dgamma", "dbeta"), gradients, strict=False))
    return {f"{name}.{key}": _plain(value) for key, value in {**named, **made, "upstream": upstream}.items()}


def _plain(value: object) -> np.ndarray:
    return value.detach().numpy() if isinstance(value, torch.Tensor) else np.asarray(value)


if __name__ == "__main__":
    np.savez_compressed(Path(__file__).with_name("normalization.npz"), **arrays())
