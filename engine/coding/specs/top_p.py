"""Nucleus (top-p) sampling of one token (Holtzman et al. 2020, section 3.1)."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from engine.coding.specification import Array, Case, Slip, Specification, edited
from engine.text import Text

TASK = Text(
    """Write top-p (nucleus) sampling of one token. The uniform draw is given, so the result is determined.

- The nucleus is the shortest list of most probable tokens whose mass is at least `p`: the token that crosses `p` belongs to it.
- Renormalise: the probabilities of the nucleus add up to 1, all others are 0. They are returned in the order of the token ids.
- The token: walk through the nucleus from the most to the least probable and take the first whose cumulative (renormalised) probability exceeds `u`.
- Return the pair (probabilities, token). No two logits are equal; logits may be as large as ±10000; `p` may be 1.""",
    """写出 top-p（核）采样的一步。均匀随机数作为参数给出，因此结果是确定的。

- 核是累计概率不小于 `p` 的最短的一串最可能的词元：越过 `p` 的那个词元属于核。
- 重新归一化：核内概率之和为 1，其余为 0；按词元 id 的顺序返回。
- 取词元：从最可能到最不可能依次累加（归一化后的）概率，取第一个累计值超过 `u` 的词元。
- 返回二元组 (probabilities, token)。logits 互不相等，可能大到 ±10000；`p` 可能为 1。""",
)

SOLUTION = """import numpy as np


def top_p(logits, p, u):
    probabilities = np.exp(logits - logits.max())
    probabilities = probabilities / probabilities.sum()
    order = np.argsort(-logits)
    ranked = probabilities[order]
    before = np.cumsum(ranked) - ranked
    size = max(1, np.count_nonzero(before < p))
    nucleus = order[:size]
    kept = np.zeros_like(probabilities)
    kept[nucleus] = probabilities[nucleus] / probabilities[nucleus].sum()
    place = np.searchsorted(np.cumsum(kept[nucleus]), u, side="right")
    token = nucleus[min(place, size - 1)]
    return kept, token
"""


def reference(logits: Array, p: float, u: float) -> tuple[Array, Array]:
    """Token by token, most probable first."""
    size = len(logits)
    largest = max(float(z) for z in logits)
    weight = [math.exp(float(z) - largest) for z in logits]
    total = math.fsum(weight)
    ranked = sorted(range(size), key=lambda token: -float(logits[token]))
    nucleus: list[int] = []
    for token in ranked:
        nucleus.append(token)
        if math.fsum(weight[one] for one in nucleus) / total >= p:
            break
    mass = math.fsum(weight[one] for one in nucleus)
    probabilities = np.zeros(size)
    for token in nucleus:
        probabilities[token] = weight[token] / mass
    chosen, reached = nucleus[-1], 0.0
    for token in nucleus:
        reached += weight[token] / mass
        if reached > u:
            chosen = token
            break
    return probabilities, np.array(chosen)


def cases(seed: int) -> Iterator[Case]:
    """One token, p of 1, a token alone above p, large logits, thresholds between two masses.

    p and u lie amid two cumulative sums: on one, rounding would decide.
    """
    rng = np.random.default_rng(seed)
    yield Case({"logits": np.array([0.7]), "p": 0.9, "u": 0.4}, Text("a vocabulary of one", "词表大小为 1"))

    def drawn(size: int, share: float, at: float, spread: float = 1.5) -> dict[str, Array | float]:
        logits = spread * rng.permutation(np.linspace(-1.5, 1.5, size) + 0.1 * rng.random(size))
        ranked = np.sort(np.exp(logits - logits.max()))[::-1]
        masses = np.cumsum(ranked) / ranked.sum()
        kept = max(2, math.ceil(share * size))
        p = (masses[kept - 2] + masses[kept - 1]) / 2
        inside = masses[:kept] / masses[kept - 1]
        place = math.floor(at * kept)
        u = (inside[place - 1] if place else 0.0) / 2 + inside[place] / 2
        return {"logits": logits, "p": float(p), "u": float(u)}

    yield Case(drawn(4, 0.5, 0.6), Text("four tokens", "四个词元"))
    yield Case(drawn(8, 0.6, 0.9), Text("the last token of the nucleus", "取到核的最后一个词元"))
    yield Case(drawn(12, 0.4, 0.0), Text("the most probable token", "取到最可能的词元"))
    size = int(rng.integers(20, 40))
    yield Case(drawn(size, 0.5, 0.7, 0.8), Text("a random vocabulary", "随机大小的词表"))
    everything = drawn(6, 0.9, 0.5)
    everything["p"] = 1.0
    everything["u"] = 0.5
    yield Case(everything, Text("p of 1 keeps every token", "p 为 1，保留全部词元"))
    lone = drawn(7, 0.5, 0.5, 4.0)
    lone["p"] = 0.05
    yield Case(lone, Text("the first token alone exceeds p", "第一个词元已超过 p"))
    large = np.array([9_998.0, 10_000.0, -10_000.0, 9_999.0])
    yield Case({"logits": large, "p": 0.8, "u": 0.9}, Text("logits of ±10,000", "logits 为 ±10,000"))


_SIZE = "max(1, np.count_nonzero(before < p))"

SPECIFICATION = Specification(
    name="top-p",
    title=Text("Top-p (nucleus) sampling", "Top-p（核）采样"),
    task=TASK,
    signature="def top_p(logits, p, u):",
    docstring=Text(
        """logits (V,): float64; p: float in (0, 1]; u: float, uniform on [0, 1)
returns (probabilities (V,), token: int)""",
        """logits (V,)：float64；p：float，取值 (0, 1]；u：float，[0, 1) 上均匀
返回 (probabilities (V,), token：int)""",
    ),
    outputs=("probabilities", "token"),
    cases=cases,
    reference=reference,
    solution=SOLUTION,
    slips=(
        Slip(
            "boundary-excluded",
            Text("when the token that crosses p is left out", "越过 p 的那个词元被排除在外"),
            edited(SOLUTION, (_SIZE, "max(1, np.count_nonzero(np.cumsum(ranked) <= p))")),
        ),
        Slip(
            "not-renormalised",
            Text("when the nucleus is not renormalised", "核内概率没有重新归一化"),
            edited(SOLUTION, (" / probabilities[nucleus].sum()", "")),
        ),
        Slip(
            "ascending",
            Text("when the least probable tokens come first", "从最不可能的词元开始累加"),
            edited(SOLUTION, ("np.argsort(-logits)", "np.argsort(logits)")),
        ),
        Slip(
            "ranks-for-ids",
            Text(
                "when ranks are returned for token ids: the sort is not undone",
                "把名次当成了词元 id：排序没有还原",
            ),
            edited(
                SOLUTION,
                ("    return kept, token", "    return kept[order], min(place, size - 1)"),
            ),
        ),
        Slip(
            "greedy",
            Text("when the most probable token is taken whatever u is", "无视 u，总取最可能的词元"),
            edited(SOLUTION, ("nucleus[min(place, size - 1)]", "nucleus[0]")),
        ),
        Slip(
            "share-of-vocabulary",
            Text(
                "when p is a share of the vocabulary, not of the mass",
                "把 p 当作词表的比例而不是累计概率",
            ),
            edited(SOLUTION, (_SIZE, "int(np.ceil(p * len(logits)))")),
        ),
        Slip(
            "from-least",
            Text(
                "when the walk goes from the least to the most probable",
                "累加时从最不可能的词元走向最可能的",
            ),
            edited(SOLUTION, ("order[:size]", "order[:size][::-1]")),
        ),
        Slip(
            "unstable",
            Text("when the largest logit is not subtracted before exp", "取 exp 前没有减去最大的 logit"),
            edited(SOLUTION, ("np.exp(logits - logits.max())", "np.exp(logits)")),
        ),
    ),
)
