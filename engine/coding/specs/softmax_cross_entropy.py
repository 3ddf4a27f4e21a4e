"""Softmax and cross-entropy from logits, in a stable form (log-sum-exp)."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from engine.coding.specification import Array, Case, Slip, Specification, edited
from engine.text import Text

TASK = Text(
    """Write the softmax of a batch of logits together with the cross-entropy loss.

- Each row of `logits` is one sample; the softmax runs over its classes.
- The loss is the mean over the samples of $-\\ln p_{target}$, in nats.
- Logits may be as large as ±10000, and rows may lie 5000 apart. Then a probability may round to 0, but the loss must stay exact: no NaN, no infinity, no cap.""",
    """写出一批 logits 的 softmax 以及交叉熵损失。

- `logits` 的每一行是一个样本，softmax 沿类别方向做。
- 损失是 $-\\ln p_{target}$ 对样本取平均，单位为 nat。
- logits 可能大到 ±10000，各行之间可能相差 5000。此时概率可以下溢为 0，但损失必须精确：没有 NaN，没有无穷，也不能被截断。""",
)

SOLUTION = """import numpy as np


def softmax_cross_entropy(logits, targets):
    shifted = logits - logits.max(axis=1, keepdims=True)
    exponentials = np.exp(shifted)
    total = exponentials.sum(axis=1, keepdims=True)
    probabilities = exponentials / total
    log_probabilities = shifted - np.log(total)
    rows = np.arange(len(targets))
    loss = -log_probabilities[rows, targets].mean()
    return probabilities, loss
"""


def reference(logits: Array, targets: Array) -> tuple[Array, Array]:
    """Sample by sample."""
    samples, classes = logits.shape
    probabilities = np.zeros((samples, classes))
    losses = []
    for n in range(samples):
        row = [float(z) for z in logits[n]]
        largest = max(row)
        total = math.fsum(math.exp(z - largest) for z in row)
        for k in range(classes):
            probabilities[n, k] = math.exp(row[k] - largest) / total
        losses.append(largest - row[int(targets[n])] + math.log(total))
    return probabilities, np.array(math.fsum(losses) / samples)


def cases(seed: int) -> Iterator[Case]:
    """One sample, one class, random shapes, large logits, rows far apart."""
    rng = np.random.default_rng(seed)

    def drawn(samples: int, classes: int, size: float = 1.0) -> dict[str, Array]:
        return {
            "logits": size * rng.normal(size=(samples, classes)),
            "targets": rng.integers(classes, size=samples),
        }

    yield Case(drawn(1, 1), Text("one sample, one class", "一个样本、一个类别"))
    yield Case(drawn(1, 5), Text("one sample", "只有一个样本"))
    for _ in range(2):
        samples, classes = (int(size) for size in rng.integers(3, 9, size=2))
        yield Case(drawn(samples, classes), Text("random shapes", "随机形状"))
    wrong = drawn(3, 4)
    wrong["logits"] = np.where(np.arange(4) == wrong["targets"][:, None], -100.0, wrong["logits"])
    yield Case(wrong, Text("a target with a logit of -100", "目标类别的 logit 为 -100"))
    yield Case(drawn(3, 4, 1e4), Text("logits around ±10,000", "logits 约为 ±10,000"))
    apart = drawn(3, 4)
    apart["logits"] = apart["logits"] + 5000.0 * np.arange(3)[:, None]
    yield Case(apart, Text("rows 5,000 apart", "各行相差 5,000"))


_LOG = "shifted - np.log(total)"

SPECIFICATION = Specification(
    name="softmax-cross-entropy",
    title=Text("Softmax and cross-entropy, stable", "数值稳定的 softmax 与交叉熵"),
    task=TASK,
    signature="def softmax_cross_entropy(logits, targets):",
    docstring=Text(
        """logits (N, C): float64; targets (N,): int64, 0 … C-1
returns (probabilities (N, C), loss: a number)""",
        """logits (N, C)：float64；targets (N,)：int64，取值 0 … C-1
返回 (probabilities (N, C), loss：一个数)""",
    ),
    outputs=("probabilities", "loss"),
    cases=cases,
    reference=reference,
    solution=SOLUTION,
    slips=(
        Slip(
            "unstable",
            Text("when the largest logit is not subtracted before exp", "取 exp 前没有减去最大的 logit"),
            edited(SOLUTION, (" - logits.max(axis=1, keepdims=True)", "")),
        ),
        Slip(
            "log-of-probability",
            Text(
                "when the loss is the logarithm of a probability that has rounded to 0",
                "损失直接对已下溢为 0 的概率取对数",
            ),
            edited(SOLUTION, (_LOG, "np.log(probabilities)")),
        ),
        Slip(
            "epsilon",
            Text(
                "when log(p + 1e-10) caps the loss at 23.03",
                "写成 log(p + 1e-10)，损失被截断在 23.03",
            ),
            edited(SOLUTION, (_LOG, "np.log(probabilities + 1e-10)")),
        ),
        Slip(
            "clipped",
            Text(
                "when p is clipped at 1e-12, which caps the loss at 27.63",
                "把 p 截断在 1e-12，损失被限制在 27.63",
            ),
            edited(SOLUTION, (_LOG, "np.log(np.clip(probabilities, 1e-12, None))")),
        ),
        Slip(
            "global-maximum",
            Text(
                "when one maximum is taken over the whole batch and other rows round to 0/0",
                "对整个批量只取一个最大值，其余各行下溢成 0/0",
            ),
            edited(SOLUTION, ("logits.max(axis=1, keepdims=True)", "logits.max()")),
        ),
        Slip(
            "wrong-axis",
            Text("when the softmax runs over the samples", "softmax 沿样本方向做"),
            edited(
                SOLUTION,
                ("logits.max(axis=1", "logits.max(axis=0"),
                ("exponentials.sum(axis=1", "exponentials.sum(axis=0"),
            ),
        ),
        Slip(
            "sum",
            Text("when the losses are added, not averaged", "损失求和而没有取平均"),
            edited(SOLUTION, ("targets].mean()", "targets].sum()")),
        ),
        Slip(
            "all-entries",
            Text(
                "when [:, targets] takes the targets' columns of every row",
                "[:, targets] 取了每一行的全部目标列",
            ),
            edited(SOLUTION, ("log_probabilities[rows, targets]", "log_probabilities[:, targets]")),
        ),
        Slip(
            "sign",
            Text("without the minus sign", "漏掉了负号"),
            edited(SOLUTION, ("loss = -log", "loss = log")),
        ),
        Slip(
            "bits",
            Text("when the logarithm is to base 2", "用了以 2 为底的对数"),
            edited(SOLUTION, ("rows, targets].mean()", "rows, targets].mean() / np.log(2.0)")),
        ),
    ),
)
