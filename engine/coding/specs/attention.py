"""Scaled dot-product attention with a boolean mask (Vaswani et al. 2017, section 3.2.1)."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from engine.coding.specification import Array, Case, Slip, Specification, edited
from engine.text import Text

TASK = Text(
    """Write scaled dot-product attention, $\\mathrm{softmax}(QK^\\top / \\sqrt{d_k})\\,V$, for a batch.

- The softmax runs over the keys.
- `mask` is boolean; True means that this query may look at this key. It may be None: then every query sees every key.
- A query that may look at no key gets a row of zeros, not NaN.
- Scores may be as large as 10000; the result must still be finite.""",
    """写出批量的缩放点积注意力 $\\mathrm{softmax}(QK^\\top / \\sqrt{d_k})\\,V$。

- softmax 沿 key 的方向做。
- `mask` 是布尔数组，True 表示该 query 可以看到该 key；也可能是 None，即全部可见。
- 若某个 query 看不到任何 key，该行输出为全零，而不是 NaN。
- 分数可能大到 10000，结果仍须有限。""",
)

SOLUTION = """import numpy as np


def attention(query, key, value, mask):
    scores = query @ key.swapaxes(-1, -2) / np.sqrt(query.shape[-1])
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    largest = scores.max(axis=-1, keepdims=True)
    largest = np.where(np.isfinite(largest), largest, 0.0)
    weights = np.exp(scores - largest)
    total = weights.sum(axis=-1, keepdims=True)
    weights = weights / np.where(total > 0, total, 1.0)
    return weights @ value
"""


def reference(query: Array, key: Array, value: Array, mask: Array | None) -> Array:
    """One query at a time, one key at a time."""
    batch, queries, d_k = query.shape
    keys, d_v = value.shape[1:]
    context = np.zeros((batch, queries, d_v))
    for b in range(batch):
        for i in range(queries):
            seen = [j for j in range(keys) if mask is None or mask[b, i, j]]
            if not seen:
                continue
            scores = {
                j: math.fsum(float(query[b, i, c]) * float(key[b, j, c]) for c in range(d_k)) / math.sqrt(d_k)
                for j in seen
            }
            largest = max(scores.values())
            weight = {j: math.exp(scores[j] - largest) for j in seen}
            total = math.fsum(weight.values())
            for c in range(d_v):
                context[b, i, c] = math.fsum(weight[j] / total * float(value[b, j, c]) for j in seen)
    return context


def cases(seed: int) -> Iterator[Case]:
    """Random shapes, then what breaks a careless program."""
    rng = np.random.default_rng(seed)

    def drawn(b: int, n: int, s: int, d_k: int, d_v: int, mask: Array | None) -> dict[str, Array | None]:
        query, key = rng.normal(size=(b, n, d_k)), rng.normal(size=(b, s, d_k))
        return {"query": query, "key": key, "value": rng.normal(size=(b, s, d_v)), "mask": mask}

    yield Case(drawn(1, 1, 1, 1, 1, None), Text("everything of size 1", "所有维度均为 1"))
    yield Case(drawn(2, 3, 4, 8, 5, None), Text("no mask", "没有掩码"))
    for _ in range(3):
        b, n, s, d_k, d_v = (int(size) for size in rng.integers(2, 7, size=5))
        mask = rng.random((b, n, s)) < 0.6
        mask[:, :, 0] = True
        yield Case(drawn(b, n, s, d_k, d_v, mask), Text("random shapes and mask", "随机形状与掩码"))
    square = np.tril(np.ones((2, 5, 5), dtype=bool))
    yield Case(drawn(2, 5, 5, 4, 3, square), Text("a causal mask", "因果掩码"))
    large = drawn(1, 3, 4, 4, 2, None)
    assert large["query"] is not None
    large["query"] = 2e4 * large["query"]
    yield Case(large, Text("scores around 10,000", "分数约为 10,000"))
    blocked = rng.random((2, 3, 4)) < 0.7
    blocked[:, 0] = True
    blocked[0, 1] = False
    yield Case(drawn(2, 3, 4, 4, 3, blocked), Text("a query that sees no key", "有一个 query 看不到任何 key"))


_SCALE = " / np.sqrt(query.shape[-1])"
_GUARD = """    largest = np.where(np.isfinite(largest), largest, 0.0)
"""
_TOTAL = "    weights = weights / np.where(total > 0, total, 1.0)\n"

SPECIFICATION = Specification(
    name="attention",
    title=Text("Scaled dot-product attention with a mask", "带掩码的缩放点积注意力"),
    task=TASK,
    signature="def attention(query, key, value, mask):",
    docstring=Text(
        """query (B, L, d_k), key (B, S, d_k), value (B, S, d_v): float64
mask (B, L, S): bool, True = may look; or None
returns (B, L, d_v)""",
        """query (B, L, d_k)、key (B, S, d_k)、value (B, S, d_v)：float64
mask (B, L, S)：bool，True = 可见；或 None
返回 (B, L, d_v)""",
    ),
    outputs=("context",),
    cases=cases,
    reference=reference,
    solution=SOLUTION,
    slips=(
        Slip(
            "no-scale", Text("without the division by √d_k", "没有除以 √d_k"), edited(SOLUTION, (_SCALE, ""))
        ),
        Slip(
            "scale-d-k",
            Text("when the scores are divided by d_k, not by its root", "除以 d_k 而不是 √d_k"),
            edited(SOLUTION, (_SCALE, " / query.shape[-1]")),
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
            "polarity",
            Text("when True is taken to mean blocked", "把 True 当作屏蔽"),
            edited(SOLUTION, ("np.where(mask, scores, -np.inf)", "np.where(mask, -np.inf, scores)")),
        ),
        Slip(
            "unstable",
            Text("when the largest score is not subtracted before exp", "取 exp 前没有减去最大分数"),
            edited(SOLUTION, ("np.exp(scores - largest)", "np.exp(scores)")),
        ),
        Slip(
            "empty-row-nan",
            Text("when a row of nothing but -inf is not guarded", "没有处理整行都是 -inf 的情形"),
            edited(SOLUTION, (_GUARD, ""), (_TOTAL, "    weights = weights / total\n")),
        ),
        Slip(
            "finite-fill",
            Text(
                "when -1e9 stands for -inf: a row with every key masked becomes a mean",
                "用 -1e9 代替 -inf，整行被屏蔽时变成了均值",
            ),
            edited(SOLUTION, ("scores, -np.inf)", "scores, -1e9)")),
        ),
        Slip(
            "mask-after",
            Text(
                "when the weights are masked after the softmax and not normalised again",
                "在 softmax 之后才掩码且没有重新归一化",
            ),
            edited(
                SOLUTION,
                ("scores = np.where(mask, scores, -np.inf)", "keep = mask"),
                (
                    "    return weights",
                    "    if mask is not None:\n        weights = weights * keep\n    return weights",
                ),
            ),
        ),
    ),
)
