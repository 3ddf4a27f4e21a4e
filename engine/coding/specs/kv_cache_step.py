"""A decoding step of one attention head over a key-value cache (Shazeer 2019, section 2.4)."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from engine.coding.specification import Array, Case, Slip, Specification, edited
from engine.text import Text

TASK = Text(
    """Write a step of causal self-attention with a key-value cache, for one head.

- `x` holds n new tokens, which follow the t cached ones: n = 1 while generating, n > 1 for a prompt (prefill). t may be 0.
- Project from the right ($q = x W_Q$ and so on) and append the new keys and values to the cache, after the old ones.
- New token number i (from 0) stands at position t + i and sees the positions 0, …, t + i: the whole cache, the new tokens before it, and itself.
- Scaled dot-product attention, scores divided by $\\sqrt{d_k}$; scores may be as large as 10000.
- Return (context, new_k, new_v): the context of the n new tokens and the grown cache. The arrays passed in are left as they were.""",
    """写出带 KV 缓存的因果自注意力的一步（单头）。

- `x` 是 n 个新词元，接在已缓存的 t 个之后：生成时 n = 1，处理提示词（prefill）时 n > 1。t 可以为 0。
- 投影右乘（$q = x W_Q$ 等），把新的键和值追加到缓存末尾。
- 第 i 个新词元（从 0 数起）位于位置 t + i，可以看到位置 0、…、t + i：整个缓存、在它之前的新词元以及它自己。
- 缩放点积注意力，分数除以 $\\sqrt{d_k}$；分数可能大到 10000。
- 返回 (context, new_k, new_v)：n 个新词元的上下文以及增长后的缓存。不要改动传入的数组。""",
)

SOLUTION = """import numpy as np


def kv_cache_step(x, cache_k, cache_v, W_Q, W_K, W_V):
    t, n = len(cache_k), len(x)
    q = x @ W_Q
    new_k = np.concatenate([cache_k, x @ W_K])
    new_v = np.concatenate([cache_v, x @ W_V])
    scores = q @ new_k.T / np.sqrt(q.shape[-1])
    positions = t + np.arange(n)[:, None]
    scores = np.where(np.arange(t + n)[None, :] <= positions, scores, -np.inf)
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = weights / weights.sum(axis=-1, keepdims=True)
    return weights @ new_v, new_k, new_v
"""


def reference(
    x: Array, cache_k: Array, cache_v: Array, W_Q: Array, W_K: Array, W_V: Array
) -> tuple[Array, Array, Array]:
    """One new token after the other, as if each came alone."""
    keys = [[float(value) for value in row] for row in cache_k]
    values = [[float(value) for value in row] for row in cache_v]
    context = []
    for token in x:
        query, key, value = (_projected(token, W) for W in (W_Q, W_K, W_V))
        keys.append(key)
        values.append(value)
        scores = [
            math.fsum(a * b for a, b in zip(query, one, strict=True)) / math.sqrt(len(query)) for one in keys
        ]
        weight = [math.exp(score - max(scores)) for score in scores]
        total = math.fsum(weight)
        context.append(
            [
                math.fsum(w * one[c] for w, one in zip(weight, values, strict=True)) / total
                for c in range(len(value))
            ]
        )
    return np.array(context), np.array(keys), np.array(values)


def _projected(token: Array, W: Array) -> list[float]:
    return [math.fsum(float(a) * float(w) for a, w in zip(token, column, strict=True)) for column in W.T]


def cases(seed: int) -> Iterator[Case]:
    """An empty cache, one new token, several, random shapes, large scores."""
    rng = np.random.default_rng(seed)

    def drawn(n: int, t: int, d: int, d_k: int, d_v: int, size: float = 1.0) -> dict[str, Array]:
        return {
            "x": rng.normal(size=(n, d)),
            "cache_k": rng.normal(size=(t, d_k)),
            "cache_v": rng.normal(size=(t, d_v)),
            "W_Q": size * rng.normal(size=(d, d_k)) / math.sqrt(d),
            "W_K": rng.normal(size=(d, d_k)) / math.sqrt(d),
            "W_V": rng.normal(size=(d, d_v)) / math.sqrt(d),
        }

    yield Case(drawn(1, 0, 1, 1, 1), Text("the very first token", "第一个词元，缓存为空"))
    yield Case(drawn(1, 4, 5, 3, 2), Text("one new token over a cache of 4", "缓存为 4，一个新词元"))
    yield Case(drawn(5, 0, 4, 3, 2), Text("a prompt over an empty cache", "缓存为空，处理一段提示词"))
    yield Case(drawn(3, 4, 4, 3, 5), Text("three new tokens over a cache of 4", "缓存为 4，三个新词元"))
    for _ in range(2):
        n, t, d, d_k, d_v = (int(k) for k in rng.integers(2, 7, size=5))
        yield Case(drawn(n, t, d, d_k, d_v), Text("random shapes", "随机形状"))
    # one new token, so that nothing but the size of the scores is tried
    yield Case(drawn(1, 6, 4, 4, 3, 2e4), Text("scores around 10,000", "分数约为 10,000"))


_MASK = "np.arange(t + n)[None, :] <= positions"

SPECIFICATION = Specification(
    name="kv-cache-step",
    title=Text("A decoding step with a key-value cache", "带 KV 缓存的解码步"),
    task=TASK,
    signature="def kv_cache_step(x, cache_k, cache_v, W_Q, W_K, W_V):",
    docstring=Text(
        """x (n, d); cache_k (t, d_k); cache_v (t, d_v): float64
W_Q, W_K (d, d_k); W_V (d, d_v): float64
returns (context (n, d_v), new_k (t+n, d_k), new_v (t+n, d_v))""",
        """x (n, d)；cache_k (t, d_k)；cache_v (t, d_v)：float64
W_Q、W_K (d, d_k)；W_V (d, d_v)：float64
返回 (context (n, d_v), new_k (t+n, d_k), new_v (t+n, d_v))""",
    ),
    outputs=("context", "new_k", "new_v"),
    cases=cases,
    reference=reference,
    solution=SOLUTION,
    slips=(
        Slip(
            "mask-top-left",
            Text(
                "when the mask forgets the cache: token i sees the positions 0, …, i",
                "掩码忘了缓存的长度，第 i 个词元只看位置 0、…、i",
            ),
            edited(SOLUTION, ("positions = t + np", "positions = np")),
        ),
        Slip(
            "sees-next",
            Text("when each token also sees the next one: off by one", "差一：每个词元多看到了下一个"),
            edited(SOLUTION, ("<= positions", "<= positions + 1")),
        ),
        Slip(
            "no-mask",
            Text("without a mask: a prompt sees its own future", "没有掩码，提示词看到了自己的未来"),
            edited(SOLUTION, (_MASK, "np.arange(t + n)[None, :] >= 0")),
        ),
        Slip(
            "cache-unused",
            Text("when only the new keys and values are attended to", "注意力只用了新的键和值"),
            edited(SOLUTION, (_MASK, f"({_MASK}) & (np.arange(t + n)[None, :] >= t)")),
        ),
        Slip(
            "prepended",
            Text("when the new keys stand before the cached ones", "新的键和值放在了缓存之前"),
            edited(
                SOLUTION,
                ("[cache_k, x @ W_K]", "[x @ W_K, cache_k]"),
                ("[cache_v, x @ W_V]", "[x @ W_V, cache_v]"),
            ),
        ),
        Slip(
            "cache-not-grown",
            Text("when the cache is returned as it came", "返回的缓存没有更新"),
            edited(SOLUTION, ("@ new_v, new_k, new_v", "@ new_v, cache_k, cache_v")),
        ),
        Slip(
            "only-new-returned",
            Text("when only the new keys and values are returned", "只返回了新的键和值"),
            edited(SOLUTION, ("@ new_v, new_k, new_v", "@ new_v, new_k[t:], new_v[t:]")),
        ),
        Slip(
            "no-scale",
            Text("without the division by √d_k", "没有除以 √d_k"),
            edited(SOLUTION, (" / np.sqrt(q.shape[-1])", "")),
        ),
        Slip(
            "keys-as-values",
            Text("when keys stand for the values", "把键当成了值"),
            edited(SOLUTION, ("x @ W_V]", "x @ W_K]"), ("[cache_v,", "[cache_k,")),
        ),
        Slip(
            "unstable",
            Text("when the largest score is not subtracted before exp", "取 exp 前没有减去最大分数"),
            edited(SOLUTION, ("np.exp(scores - scores.max(axis=-1, keepdims=True))", "np.exp(scores)")),
        ),
    ),
)
