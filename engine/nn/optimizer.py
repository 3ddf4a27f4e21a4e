"""Gradient descent, momentum, Adam and AdamW, and gradient clipping, in the conventions of PyTorch.

Everything is elementwise but the norm, so an optimizer steps one array at a time; its state is a value, and a step
returns a new one. Shapes: any. Sources: Polyak 1964 and Sutskever et al. 2013 (momentum); Kingma and Ba 2015 (Adam);
Loshchilov and Hutter 2019 (AdamW); Pascanu et al. 2013, algorithm 1 (clipping); Vaswani et al. 2017, section 5.3 (warm-up).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.floating[Any]]


# the steps themselves: arrays, numbers or SymPy symbols


def descent(parameter: Any, gradient: Any, lr: Any) -> Any:
    """One step of gradient descent."""
    # theta <- theta - lr g
    return parameter - lr * gradient


def moving_average(average: Any, value: Any, beta: Any) -> Any:
    """An exponential moving average with one more value."""
    # m <- beta m + (1 - beta) x
    return beta * average + (1 - beta) * value


def unbiased(average: Any, beta: Any, steps: Any) -> Any:
    """A moving average that started at zero, divided by the sum of its weights."""
    # m^ = m / (1 - beta^t)
    return average / (1 - beta**steps)


@dataclass(frozen=True)
class SGD:
    """``momentum`` 0 is plain gradient descent; ``weight_decay`` adds λθ to the gradient, as ``torch.optim.SGD``."""

    lr: float
    momentum: float = 0.0
    dampening: float = 0.0
    nesterov: bool = False
    weight_decay: float = 0.0

    def step(
        self, parameter: Floats, gradient: Floats, velocity: Floats | None = None
    ) -> tuple[Floats, Floats]:
        """The parameter after one step, and the velocity to pass to the next; None before the first."""
        # g <- g + lambda theta
        g = gradient + self.weight_decay * parameter if self.weight_decay else gradient
        # v <- mu v + (1 - tau) g; PyTorch's first velocity is the whole gradient, without dampening
        v = np.array(g) if velocity is None else self.momentum * velocity + (1 - self.dampening) * g
        # Nesterov: look ahead along the new velocity
        direction = g + self.momentum * v if self.nesterov else v
        return descent(parameter, direction, self.lr), v


class AdamState(NamedTuple):
    """Moving averages of the gradient ``m`` and of its square ``v``, after ``steps`` steps."""

    m: Floats
    v: Floats
    steps: int


EpsilonPlace = Literal["corrected", "uncorrected"]
"""Where ε joins √v: after the bias correction (Kingma and Ba, algorithm 1; PyTorch), or before it (their section 2, TensorFlow)."""


@dataclass(frozen=True)
class Adam:
    """``decoupled``: weight decay shrinks the parameter itself (AdamW); else it joins the gradient, as ``torch.optim.Adam``."""

    lr: float = 1e-3
    beta_1: float = 0.9
    beta_2: float = 0.999
    epsilon: float = 1e-8
    weight_decay: float = 0.0
    decoupled: bool = False
    epsilon_place: EpsilonPlace = "corrected"

    def start(self, parameter: Floats) -> AdamState:
        return AdamState(np.zeros_like(parameter), np.zeros_like(parameter), 0)

    def step(self, parameter: Floats, gradient: Floats, state: AdamState) -> tuple[Floats, AdamState]:
        """The parameter after one step, and the state to pass to the next."""
        t = state.steps + 1
        g = gradient
        if self.weight_decay and self.decoupled:
            # theta <- theta - lr lambda theta: no moment sees the decay
            parameter = descent(parameter, self.weight_decay * parameter, self.lr)
        elif self.weight_decay:
            # g <- g + lambda theta: the decay is divided by sqrt(v) too
            g = gradient + self.weight_decay * parameter
        # m <- beta_1 m + (1 - beta_1) g
        m = moving_average(state.m, g, self.beta_1)
        # v <- beta_2 v + (1 - beta_2) g^2
        v = moving_average(state.v, g**2, self.beta_2)
        return descent(parameter, self.direction(m, v, t), self.lr), AdamState(m, v, t)

    def direction(self, m: Any, v: Any, t: int) -> Any:
        """The step over the learning rate."""
        # m^ / (sqrt(v^) + eps)
        root = np.sqrt(unbiased(v, self.beta_2, t))
        epsilon = self.epsilon
        if self.epsilon_place == "uncorrected":
            # m^ / ((sqrt(v) + eps) / sqrt(1 - beta_2^t))
            epsilon = self.epsilon / math.sqrt(1 - self.beta_2**t)
        return unbiased(m, self.beta_1, t) / (root + epsilon)


def warm_up_rate(step: int, d_model: int, warm_up: int) -> float:
    """Learning rate of step 1, 2, …: linear up to ``warm_up``, then falling with the inverse square root."""
    # d_model^-0.5 min(step^-0.5, step warm_up^-1.5)
    return 1 / math.sqrt(d_model) * min(1 / math.sqrt(step), step / (warm_up * math.sqrt(warm_up)))


# clipping


class Clipped(NamedTuple):
    """``gradients`` after clipping, the ``norm`` of all of them before, and the ``factor`` they were multiplied by."""

    gradients: tuple[Floats, ...]
    norm: float
    factor: float


TORCH_CLIP_EPSILON = 1e-6


def total_norm(gradients: Sequence[Floats], order: float = 2.0) -> float:
    """The norm of all entries of all arrays together; ``order`` inf is the largest entry. 0 of no array."""
    if not gradients:
        return 0.0
    return float(np.linalg.norm([np.linalg.norm(g.ravel(), order) for g in gradients], order))


def clip_factor(norm: Any, limit: Any, epsilon: Any = 0) -> Any:
    """What gradients of this norm are multiplied by, where that is below one."""
    # c / (||g|| + eps)
    return limit / (norm + epsilon)


def clip_by_norm(
    gradients: Sequence[Floats], limit: float, order: float = 2.0, epsilon: float = TORCH_CLIP_EPSILON
) -> Clipped:
    """All gradients by one factor, so that their joint norm is ``limit`` at most: the direction is kept.

    ``epsilon`` 1e-6 is ``torch.nn.utils.clip_grad_norm_``, which so leaves a norm slightly below the limit and shrinks a
    gradient of exactly that norm; 0 is Pascanu et al. 2013, algorithm 1.
    """
    norm = total_norm(gradients, order)
    # g <- g min(1, c / ||g||)
    factor = min(1.0, float(clip_factor(norm, limit, epsilon))) if norm + epsilon > 0 else 1.0
    return Clipped(tuple(g * factor for g in gradients), norm, factor)


def clip_by_value(gradients: Sequence[Floats], limit: float) -> tuple[Floats, ...]:
    """Each entry into [-limit, limit] by itself, as ``torch.nn.utils.clip_grad_value_``: the direction changes."""
    # g_i <- max(-c, min(c, g_i))
    return tuple(np.clip(g, -limit, limit) for g in gradients)
