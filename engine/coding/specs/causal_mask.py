"""A causal mask for queries at the end of the keys (Vaswani et al. 2017, section 3.2.3)."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from engine.coding.specification import Array, Case, Slip, Specification, edited
from engine.text import Text

TASK = Text(
    """Write the causal mask for `queries` positions over `keys` positions.

- The result is boolean, of shape (queries, keys); True means that this query may look at this key.
- Queries and keys end together: the last query stands at the position of the last key. (With a key-value cache there are more keys than queries.)
- A position sees itself and everything before it.
- With more queries than keys the first queries see nothing: rows of False.""",
    """写出 `queries` 个位置对 `keys` 个位置的因果掩码。

- 结果是布尔数组，形状为 (queries, keys)；True 表示该 query 可以看到该 key。
- 两者右端对齐：最后一个 query 与最后一个 key 处于同一位置（使用 KV 缓存时，key 比 query 多）。
- 每个位置可以看到自己以及之前的全部位置。
- 若 query 比 key 多，最前面的 query 什么也看不到，对应行全为 False。""",
)

SOLUTION = """import numpy as np


def causal_mask(queries, keys):
    i = np.arange(queries)[:, None] + (keys - queries)
    j = np.arange(keys)[None, :]
    return j <= i
"""


def reference(queries: int, keys: int) -> Array:
    """Position by position."""
    mask = np.zeros((queries, keys), dtype=bool)
    for i in range(queries):
        position = keys - queries + i
        for j in range(keys):
            mask[i, j] = j <= position
    return mask


def cases(seed: int) -> Iterator[Case]:
    """Square, one query over a cache, a chunk over a cache, more queries than keys."""
    rng = np.random.default_rng(seed)
    yield Case({"queries": 1, "keys": 1}, Text("one position", "只有一个位置"))
    yield Case({"queries": 4, "keys": 4}, Text("as many queries as keys", "query 与 key 一样多"))
    yield Case({"queries": 1, "keys": 5}, Text("one new token over a cache", "一个新词元面对缓存"))
    yield Case({"queries": 3, "keys": 7}, Text("a chunk over a cache", "一段新词元面对缓存"))
    yield Case({"queries": 5, "keys": 2}, Text("more queries than keys", "query 多于 key"))
    for _ in range(3):
        queries, keys = (int(size) for size in rng.integers(2, 12, size=2))
        yield Case({"queries": queries, "keys": keys}, Text("random sizes", "随机大小"))


SPECIFICATION = Specification(
    name="causal-mask",
    title=Text("Causal mask, aligned at the end", "右端对齐的因果掩码"),
    task=TASK,
    signature="def causal_mask(queries, keys):",
    docstring=Text(
        """queries, keys: int, 1 or more
returns (queries, keys): bool, True = may look""",
        """queries、keys：int，至少为 1
返回 (queries, keys)：bool，True = 可见""",
    ),
    outputs=("mask",),
    cases=cases,
    reference=reference,
    solution=SOLUTION,
    slips=(
        Slip(
            "top-left",
            Text(
                "when the mask is aligned at the start, as np.tril of (queries, keys) is",
                "掩码左端对齐（如直接对 (queries, keys) 用 np.tril）",
            ),
            edited(SOLUTION, (" + (keys - queries)", "")),
        ),
        Slip(
            "strict",
            Text("when a position does not see itself", "位置看不到自己"),
            edited(SOLUTION, ("j <= i", "j < i")),
        ),
        Slip(
            "polarity",
            Text("when True marks what is blocked", "用 True 表示屏蔽"),
            edited(SOLUTION, ("j <= i", "j > i")),
        ),
        Slip(
            "upper",
            Text(
                "when the triangle is the upper one: the future is seen, the past is not",
                "取成了上三角，只看未来而不看过去",
            ),
            edited(SOLUTION, ("j <= i", "j >= i")),
        ),
        Slip(
            "off-by-one",
            Text("when each position also sees the next one", "每个位置多看到了下一个位置"),
            edited(SOLUTION, ("j <= i", "j <= i + 1")),
        ),
        Slip(
            "additive",
            Text("when an additive mask of 0 and -inf is returned", "返回了 0 与 -inf 的加性掩码"),
            edited(SOLUTION, ("return j <= i", "return np.where(j <= i, 0.0, -np.inf)")),
        ),
    ),
)
