"""Multi-head self-attention (Vaswani et al. 2017, section 3.2.2)."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from engine.coding.specification import Array, Case, Slip, Specification, edited
from engine.text import Text

TASK = Text(
    """Write multi-head self-attention for a batch, without mask and without biases.

- Projections are applied from the right: $Q = x W_Q$, and likewise keys and values.
- Head number i owns the columns from $i \\cdot d_k$ up to, not including, $(i+1) \\cdot d_k$, where $d_k = d_{model} / h$.
- Each head is scaled dot-product attention; the heads are concatenated in order and multiplied by $W_O$.
- Scores may be as large as 10000.""",
    """写出批量的多头自注意力，没有掩码，也没有偏置。

- 投影右乘：$Q = x W_Q$，键和值同理。
- 第 i 个头占用第 $i \\cdot d_k$ 列到第 $(i+1) \\cdot d_k$ 列（不含），其中 $d_k = d_{model} / h$。
- 每个头做缩放点积注意力；各头按顺序拼接，再乘 $W_O$。
- 分数可能大到 10000。""",
)

SOLUTION = """import numpy as np


def multi_head_attention(x, W_Q, W_K, W_V, W_O, heads):
    B, T, d_model = x.shape
    d_k = d_model // heads

    def split(y):
        return y.reshape(B, T, heads, d_k).transpose(0, 2, 1, 3)

    q, k, v = split(x @ W_Q), split(x @ W_K), split(x @ W_V)
    scores = q @ k.swapaxes(-1, -2) / np.sqrt(d_k)
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = weights / weights.sum(axis=-1, keepdims=True)
    context = weights @ v
    merged = context.transpose(0, 2, 1, 3).reshape(B, T, d_model)
    return merged @ W_O
"""


def reference(x: Array, W_Q: Array, W_K: Array, W_V: Array, W_O: Array, heads: int) -> Array:
    """Head by head and position by position."""
    batch, length, d_model = x.shape
    d_k = d_model // heads
    output = np.zeros((batch, length, d_model))
    for b in range(batch):
        concatenated = np.zeros((length, d_model))
        for head in range(heads):
            columns = range(head * d_k, (head + 1) * d_k)
            query, key, value = (_projected(x[b], W, columns) for W in (W_Q, W_K, W_V))
            for i in range(length):
                scores = [
                    sum(query[i][c] * key[j][c] for c in range(d_k)) / math.sqrt(d_k) for j in range(length)
                ]
                weight = [math.exp(score - max(scores)) for score in scores]
                for place, column in enumerate(columns):
                    mixed = sum(weight[j] * value[j][place] for j in range(length))
                    concatenated[i, column] = mixed / sum(weight)
        for i in range(length):
            for column in range(d_model):
                output[b, i, column] = sum(concatenated[i, c] * W_O[c, column] for c in range(d_model))
    return output


def _projected(x: Array, W: Array, columns: range) -> list[list[float]]:
    return [[sum(float(a * w) for a, w in zip(row, W[:, c], strict=True)) for c in columns] for row in x]


def cases(seed: int) -> Iterator[Case]:
    """One head, one token, and random shapes in which no two sizes are equal."""
    rng = np.random.default_rng(seed)

    def drawn(batch: int, length: int, heads: int, d_k: int, size: float = 1.0) -> dict[str, Array | int]:
        d_model = heads * d_k
        weights = {
            name: rng.normal(size=(d_model, d_model)) / math.sqrt(d_model)
            for name in ("W_Q", "W_K", "W_V", "W_O")
        }
        return {"x": size * rng.normal(size=(batch, length, d_model)), **weights, "heads": heads}

    yield Case(drawn(1, 1, 1, 1), Text("everything of size 1", "所有维度均为 1"))
    yield Case(drawn(2, 3, 1, 4), Text("one head", "只有一个头"))
    yield Case(drawn(2, 1, 3, 2), Text("one token", "只有一个词元"))
    yield Case(drawn(1, 5, 2, 3), Text("two heads", "两个头"))
    yield Case(drawn(2, 4, 3, 5), Text("three heads", "三个头"))
    yield Case(drawn(2, 6, 6, 1), Text("heads of width 1", "每个头宽度为 1"))
    yield Case(drawn(1, 4, 2, 4, 150.0), Text("scores around 10,000", "分数约为 10,000"))


SPECIFICATION = Specification(
    name="multi-head-attention",
    title=Text("Multi-head self-attention", "多头自注意力"),
    task=TASK,
    signature="def multi_head_attention(x, W_Q, W_K, W_V, W_O, heads):",
    docstring=Text(
        """x (B, T, d_model); W_Q, W_K, W_V, W_O (d_model, d_model): float64
heads: int, divides d_model
returns (B, T, d_model)""",
        """x (B, T, d_model)；W_Q、W_K、W_V、W_O (d_model, d_model)：float64
heads：int，整除 d_model
返回 (B, T, d_model)""",
    ),
    outputs=("output",),
    cases=cases,
    reference=reference,
    solution=SOLUTION,
    slips=(
        Slip(
            "reshape-only",
            Text(
                "when heads are split by a reshape without a transpose",
                "拆分多头只用了 reshape 而没有转置",
            ),
            edited(
                SOLUTION,
                ("y.reshape(B, T, heads, d_k).transpose(0, 2, 1, 3)", "y.reshape(B, heads, T, d_k)"),
            ),
        ),
        Slip(
            "merge-reshape",
            Text("when heads are merged without transposing back", "合并多头前没有转置回来"),
            edited(SOLUTION, ("context.transpose(0, 2, 1, 3).reshape", "context.reshape")),
        ),
        Slip(
            "scale-d-model",
            Text("when the scores are divided by √d_model", "除以了 √d_model"),
            edited(SOLUTION, ("/ np.sqrt(d_k)", "/ np.sqrt(d_model)")),
        ),
        Slip(
            "no-scale",
            Text("without the division by √d_k", "没有除以 √d_k"),
            edited(SOLUTION, (" / np.sqrt(d_k)", "")),
        ),
        Slip(
            "no-output-projection",
            Text("without the output projection W_O", "缺少输出投影 W_O"),
            edited(SOLUTION, ("return merged @ W_O", "return merged")),
        ),
        Slip(
            "interleaved-heads",
            Text("when head i takes every h-th column", "第 i 个头隔 h 列取一列"),
            edited(
                SOLUTION,
                (
                    "y.reshape(B, T, heads, d_k).transpose(0, 2, 1, 3)",
                    "y.reshape(B, T, d_k, heads).transpose(0, 3, 1, 2)",
                ),
            ),
        ),
        Slip(
            "wrong-axis",
            Text("when the softmax runs over the queries", "softmax 沿 query 方向做"),
            edited(
                SOLUTION,
                ("scores.max(axis=-1", "scores.max(axis=-2"),
                ("weights.sum(axis=-1", "weights.sum(axis=-2"),
            ),
        ),
        Slip(
            "transposed-weights",
            Text("when the projections are applied as x @ W.T", "投影写成了 x @ W.T"),
            edited(
                SOLUTION,
                ("split(x @ W_Q)", "split(x @ W_Q.T)"),
                ("split(x @ W_K)", "split(x @ W_K.T)"),
                ("split(x @ W_V)", "split(x @ W_V.T)"),
                ("merged @ W_O", "merged @ W_O.T"),
            ),
        ),
        Slip(
            "unstable",
            Text("when the largest score is not subtracted before exp", "取 exp 前没有减去最大分数"),
            edited(SOLUTION, ("np.exp(scores - scores.max(axis=-1, keepdims=True))", "np.exp(scores)")),
        ),
    ),
)
