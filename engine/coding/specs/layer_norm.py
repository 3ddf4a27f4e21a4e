"""Layer normalisation over the last axis (Ba et al. 2016, section 3)."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from engine.coding.specification import Array, Case, Slip, Specification, edited
from engine.text import Text

TASK = Text(
    """Write LayerNorm over the last axis.

- $y = \\gamma \\odot (x - \\mu) / \\sqrt{\\sigma^2 + \\varepsilon} + \\beta$, with mean and variance of each row of width d.
- The variance divides by d, not by d - 1.
- Rows may be constant (variance 0), and may have a mean of 1000000 with a standard deviation of 1.""",
    """写出沿最后一维的 LayerNorm。

- $y = \\gamma \\odot (x - \\mu) / \\sqrt{\\sigma^2 + \\varepsilon} + \\beta$，均值与方差按宽度为 d 的每一行计算。
- 方差除以 d，而不是 d - 1。
- 某些行可能是常数（方差为 0），也可能均值高达 1000000 而标准差只有 1。""",
)

SOLUTION = """import numpy as np


def layer_norm(x, gamma, beta, eps):
    mean = x.mean(axis=-1, keepdims=True)
    centred = x - mean
    variance = (centred**2).mean(axis=-1, keepdims=True)
    return gamma * (centred / np.sqrt(variance + eps)) + beta
"""


def reference(x: Array, gamma: Array, beta: Array, eps: float) -> Array:
    """Row by row."""
    batch, length, d = x.shape
    y = np.zeros((batch, length, d))
    for b in range(batch):
        for t in range(length):
            row = [float(value) for value in x[b, t]]
            mean = math.fsum(row) / d
            variance = math.fsum((value - mean) ** 2 for value in row) / d
            for i in range(d):
                normalised = (row[i] - mean) / math.sqrt(variance + eps)
                y[b, t, i] = float(gamma[i]) * normalised + float(beta[i])
    return y


def cases(seed: int) -> Iterator[Case]:
    """One feature, constant rows, a large eps, a large mean, random shapes."""
    rng = np.random.default_rng(seed)

    def drawn(batch: int, length: int, d: int, eps: float = 1e-5) -> dict[str, Array | float]:
        x = rng.normal(1.0, 2.0, size=(batch, length, d))
        return {"x": x, "gamma": rng.normal(1.0, 0.5, size=d), "beta": rng.normal(size=d), "eps": eps}

    yield Case(drawn(1, 1, 1), Text("everything of size 1", "所有维度均为 1"))
    yield Case(drawn(2, 3, 4), Text("a small batch", "小批量"))
    constant = drawn(2, 2, 5)
    constant["x"] = np.full((2, 2, 5), 3.0)
    yield Case(constant, Text("constant rows", "每行都是常数"))
    yield Case(drawn(2, 3, 6, 0.5), Text("eps of 0.5", "eps 为 0.5"))
    for _ in range(2):
        batch, length, d = (int(size) for size in rng.integers(2, 8, size=3))
        yield Case(drawn(batch, length, d), Text("random shapes", "随机形状"))
    far = drawn(2, 3, 8)
    far["x"] = 1e6 + rng.normal(size=(2, 3, 8))
    yield Case(far, Text("a mean of 1,000,000", "均值为 1,000,000"))


_VARIANCE = "(centred**2).mean(axis=-1, keepdims=True)"
_RETURN = "gamma * (centred / np.sqrt(variance + eps)) + beta"

SPECIFICATION = Specification(
    name="layer-norm",
    title=Text("Layer normalisation", "层归一化（LayerNorm）"),
    task=TASK,
    signature="def layer_norm(x, gamma, beta, eps):",
    docstring=Text(
        """x (B, T, d); gamma, beta (d,): float64; eps: float
returns (B, T, d)""",
        """x (B, T, d)；gamma、beta (d,)：float64；eps：float
返回 (B, T, d)""",
    ),
    outputs=("y",),
    cases=cases,
    reference=reference,
    solution=SOLUTION,
    slips=(
        Slip(
            "ddof-1",
            Text("when the variance divides by d - 1 (ddof=1)", "方差除以了 d - 1（ddof=1）"),
            edited(SOLUTION, (_VARIANCE, "x.var(axis=-1, ddof=1, keepdims=True)")),
        ),
        Slip(
            "wrong-axis",
            Text(
                "when mean and variance run over the positions, not the features",
                "均值和方差沿位置（而不是特征）方向计算",
            ),
            edited(
                SOLUTION,
                ("x.mean(axis=-1", "x.mean(axis=1"),
                ("(centred**2).mean(axis=-1", "(centred**2).mean(axis=1"),
            ),
        ),
        Slip(
            "whole-sample",
            Text(
                "when mean and variance run over positions and features together",
                "均值和方差在位置和特征上一起计算",
            ),
            edited(
                SOLUTION,
                ("x.mean(axis=-1", "x.mean(axis=(1, 2)"),
                ("(centred**2).mean(axis=-1", "(centred**2).mean(axis=(1, 2)"),
            ),
        ),
        Slip(
            "batch-norm",
            Text(
                "when each feature is normalised over batch and positions, as BatchNorm does",
                "像 BatchNorm 那样，对每个特征在批量与位置上归一化",
            ),
            edited(
                SOLUTION,
                ("x.mean(axis=-1", "x.mean(axis=(0, 1)"),
                ("(centred**2).mean(axis=-1", "(centred**2).mean(axis=(0, 1)"),
            ),
        ),
        Slip(
            "eps-outside",
            Text("when eps is added outside of the root", "eps 加在了根号外面"),
            edited(SOLUTION, ("np.sqrt(variance + eps)", "(np.sqrt(variance) + eps)")),
        ),
        Slip(
            "one-pass",
            Text(
                "when the variance is E[x²] - E[x]², which loses its digits at a large mean",
                "方差用 E[x²] - E[x]² 计算，均值很大时有效数字尽失",
            ),
            edited(SOLUTION, (_VARIANCE, "(x**2).mean(axis=-1, keepdims=True) - mean**2")),
        ),
        Slip(
            "no-eps",
            Text("without eps", "没有加 eps"),
            edited(SOLUTION, ("variance + eps", "variance")),
        ),
        Slip(
            "no-root",
            Text("when it divides by the variance, not by its root", "除以方差而不是标准差"),
            edited(SOLUTION, ("np.sqrt(variance + eps)", "(variance + eps)")),
        ),
        Slip(
            "no-centre",
            Text("without the mean subtracted, as in RMSNorm", "没有减去均值（成了 RMSNorm）"),
            edited(SOLUTION, ("centred = x - mean", "centred = x")),
        ),
        Slip(
            "beta-scaled",
            Text("when beta is added before gamma multiplies", "先加 beta 再乘 gamma"),
            edited(SOLUTION, (_RETURN, "gamma * (centred / np.sqrt(variance + eps) + beta)")),
        ),
    ),
    # at a mean of 1e6 the mean itself is rounded to about 1e-10, and so is every difference to it;
    # one pass loses about 1e-4 there
    atol=1e-8,
)
