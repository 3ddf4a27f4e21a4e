"""One block of the online softmax (Milakov and Gimelshein 2018; Dao et al. 2022, algorithm 1)."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from engine.coding.specification import Array, Case, Slip, Specification, edited
from engine.text import Text

TASK = Text(
    """Write one step of the online softmax, the heart of FlashAttention: take in one more block of keys.

- The state of each query: running maximum `m`, denominator `l` $= \\sum_j e^{s_j - m}$, and `acc` $= \\sum_j e^{s_j - m} v_j$ over the keys seen so far, not yet divided. In the beginning m is -inf, l is 0, acc is 0.
- New in this step: `scores` and `values` of one block. Return the new (m, l, acc).
- A score may be -inf (a masked key), and a whole block too, even the first one: then the state stays as it was, without NaN.
- Scores may be as large as 10000. `m`, `l` and `acc` are left as they were.""",
    """写出 online softmax 的一步（FlashAttention 的核心）：再纳入一块 key。

- 每个 query 的状态：当前最大值 `m`、分母 `l` $= \\sum_j e^{s_j - m}$，以及对已见 key 的 `acc` $= \\sum_j e^{s_j - m} v_j$（尚未相除）。开始时 m 为 -inf，l 为 0，acc 为 0。
- 本步新增一块的 `scores` 与 `values`。返回新的 (m, l, acc)。
- 分数可以是 -inf（被屏蔽的 key），整块都是 -inf 也可能，甚至发生在第一块：此时状态保持不变，不得出现 NaN。
- 分数可能大到 10000。不要改动传入的 `m`、`l`、`acc`。""",
)

SOLUTION = """import numpy as np


def online_softmax(m, l, acc, scores, values):
    m_new = np.maximum(m, scores.max(axis=-1))
    shift = np.where(np.isfinite(m_new), m_new, 0.0)
    old = np.exp(m - shift)
    weights = np.exp(scores - shift[:, None])
    l_new = old * l + weights.sum(axis=-1)
    acc_new = old[:, None] * acc + weights @ values
    return m_new, l_new, acc_new
"""


def reference(m: Array, l: Array, acc: Array, scores: Array, values: Array) -> tuple[Array, Array, Array]:
    """Query by query, key by key, each key rescaling what came before."""
    queries, keys = scores.shape
    width = values.shape[1]
    new_m, new_l, new_acc = np.zeros(queries), np.zeros(queries), np.zeros((queries, width))
    for i in range(queries):
        largest, total = float(m[i]), float(l[i])
        sums = [float(acc[i, c]) for c in range(width)]
        for j in range(keys):
            score = float(scores[i, j])
            if score == -math.inf:
                continue
            higher = max(largest, score)
            old = math.exp(largest - higher) if largest > -math.inf else 0.0
            new = math.exp(score - higher)
            total = total * old + new
            sums = [sums[c] * old + new * float(values[j, c]) for c in range(width)]
            largest = higher
        new_m[i], new_l[i], new_acc[i] = largest, total, sums
    return new_m, new_l, new_acc


def cases(seed: int) -> Iterator[Case]:
    """The first block, higher and lower maxima, masked keys and blocks, large scores."""
    rng = np.random.default_rng(seed)

    def block(queries: int, keys: int, width: int, raised: float = 0.0) -> dict[str, Array]:
        scores = rng.normal(size=(queries, keys)) + raised
        return {"scores": scores, "values": rng.normal(size=(keys, width))}

    def empty(queries: int, width: int) -> dict[str, Array]:
        return {"m": np.full(queries, -np.inf), "l": np.zeros(queries), "acc": np.zeros((queries, width))}

    def state(queries: int, width: int, raised: float = 0.0) -> dict[str, Array]:
        """What seven keys leave behind."""
        scores, values = rng.normal(size=(queries, 7)), rng.normal(size=(7, width))
        m = scores.max(axis=1)
        weights = np.exp(scores - m[:, None])
        return {"m": m + raised, "l": weights.sum(axis=1), "acc": weights @ values}

    yield Case({**empty(1, 1), **block(1, 1, 1)}, Text("everything of size 1", "所有维度均为 1"))
    yield Case({**empty(3, 2), **block(3, 4, 2)}, Text("the first block", "第一块"))
    yield Case(
        {**state(3, 4), **block(3, 5, 4, 4.0)}, Text("a block that raises the maximum", "本块抬高了最大值")
    )
    yield Case(
        {**state(3, 4), **block(3, 5, 4, -4.0)}, Text("a block below the maximum", "本块低于当前最大值")
    )
    queries, keys, width = (int(n) for n in rng.integers(2, 7, size=3))
    yield Case({**state(queries, width), **block(queries, keys, width)}, Text("random shapes", "随机形状"))
    far = {**state(2, 3, 9_990.0), **block(2, 4, 3, 10_000.0)}
    yield Case(far, Text("scores around 10,000", "分数约为 10,000"))
    some = {**state(3, 2), **block(3, 4, 2)}
    some["scores"] = np.where(np.arange(4) < np.array([[1], [2], [4]]), some["scores"], -np.inf)
    yield Case(some, Text("some keys masked", "部分 key 被屏蔽"))
    masked = {**state(2, 3), **block(2, 4, 3)}
    masked["scores"] = np.full((2, 4), -np.inf)
    yield Case(masked, Text("a block with every key masked", "整块 key 都被屏蔽"))
    first = {**empty(2, 3), **block(2, 4, 3)}
    first["scores"][0] = -np.inf
    yield Case(first, Text("a first block masked for one query", "第一块对某个 query 全被屏蔽"))


_GUARD = "np.where(np.isfinite(m_new), m_new, 0.0)"
_TOTAL = "old * l + weights.sum(axis=-1)"

SPECIFICATION = Specification(
    name="online-softmax",
    title=Text("Online softmax: one block", "Online softmax：纳入一块"),
    task=TASK,
    signature="def online_softmax(m, l, acc, scores, values):",
    docstring=Text(
        """m, l (L,); acc (L, d): float64, the state of L queries
scores (L, S), values (S, d): float64, a block of S keys
returns (m_new (L,), l_new (L,), acc_new (L, d))""",
        """m、l (L,)；acc (L, d)：float64，L 个 query 的状态
scores (L, S)、values (S, d)：float64，一块共 S 个 key
返回 (m_new (L,), l_new (L,), acc_new (L, d))""",
    ),
    outputs=("m_new", "l_new", "acc_new"),
    cases=cases,
    reference=reference,
    solution=SOLUTION,
    slips=(
        Slip(
            "no-rescale",
            Text(
                "when l and acc are not rescaled to the new maximum",
                "l 与 acc 没有按新的最大值重新缩放",
            ),
            edited(SOLUTION, (_TOTAL, "l + weights.sum(axis=-1)"), ("old[:, None] * acc", "acc")),
        ),
        Slip(
            "acc-not-rescaled",
            Text("when l is rescaled and acc is not", "只缩放了 l，没有缩放 acc"),
            edited(SOLUTION, ("old[:, None] * acc", "acc")),
        ),
        Slip(
            "block-maximum",
            Text(
                "when the maximum is that of the block alone",
                "最大值只取了本块的",
            ),
            edited(SOLUTION, ("np.maximum(m, scores.max(axis=-1))", "scores.max(axis=-1)")),
        ),
        Slip(
            "inverted",
            Text("when the factor is exp(m_new - m), the wrong way round", "缩放因子写反了：exp(m_new - m)"),
            edited(SOLUTION, ("np.exp(m - shift)", "np.exp(shift - np.where(np.isfinite(m), m, shift))")),
        ),
        Slip(
            "unguarded",
            Text(
                "when -inf minus -inf is not guarded: NaN once every key is masked",
                "没有处理 -inf 减 -inf，全被屏蔽时得到 NaN",
            ),
            edited(SOLUTION, (_GUARD, "m_new")),
        ),
        Slip(
            "divided",
            Text("when acc is divided by l already", "acc 提前除以了 l"),
            edited(
                SOLUTION,
                (
                    "return m_new, l_new, acc_new",
                    "return m_new, l_new, acc_new / np.where(l_new > 0, l_new, 1.0)[:, None]",
                ),
            ),
        ),
        Slip(
            "unstable",
            Text("when no maximum is subtracted at all", "完全没有减去最大值"),
            edited(SOLUTION, (_GUARD, "np.zeros_like(m_new)")),
        ),
    ),
)
