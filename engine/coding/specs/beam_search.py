"""Beam search over a first-order model that changes from step to step (Graves 2012, section 2.6; length penalty: Wu et al. 2016, section 7)."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from engine.coding.specification import Array, Case, Slip, Specification, Value, edited
from engine.text import Text

TASK = Text(
    """Write beam search over a model in which the next token depends on the step and on the last token only.

- `log_p[t, u, v]` is $\\ln P(y_t = v \\mid y_{t-1} = u)$, with t counted from 0; before the first token stands `start`, which is not part of the answer.
- At every step all live hypotheses are extended by all V tokens. Of all these candidates together the best are kept, `width` of them, by total log probability.
- A kept candidate whose last token is `end` is finished: it is set aside and extended no more. The others are live.
- Stop after T tokens, or when nothing is live. What is live then counts as a hypothesis too.
- Of all finished and left-over hypotheses return the one with the highest score $\\ln P(y) / |y|^{\\alpha}$, where |y| counts the end token. Return the pair (tokens, score).
- There are no ties.""",
    """在“下一个词元只取决于步数和前一个词元”的模型上写出束搜索。

- `log_p[t, u, v]` 是 $\\ln P(y_t = v \\mid y_{t-1} = u)$，t 从 0 数起；首个词元之前是 `start`，它不属于答案。
- 每一步把所有存活假设用全部 V 个词元扩展；在所有候选中保留总对数概率最高的 `width` 个。
- 保留下来的候选若以 `end` 结尾即为完成：放到一边，不再扩展；其余为存活假设。
- 生成 T 个词元后，或没有存活假设时停止；此时仍存活的也算作假设。
- 在所有已完成和剩余的假设中，返回得分 $\\ln P(y) / |y|^{\\alpha}$ 最高者，|y| 包含结束词元。返回二元组 (tokens, score)。
- 不会出现并列。""",
)

SOLUTION = """import numpy as np


def beam_search(log_p, start, end, width, alpha):
    live = [((), 0.0)]
    finished = []
    for step_log_p in log_p:
        candidates = []
        for tokens, total in live:
            last = tokens[-1] if tokens else start
            for token, step in enumerate(step_log_p[last]):
                candidates.append(((*tokens, token), total + step))
        candidates.sort(key=lambda one: -one[1])
        best = candidates[:width]
        finished += [one for one in best if one[0][-1] == end]
        live = [one for one in best if one[0][-1] != end]
        if not live:
            break
    finished += live

    def score(one):
        tokens, total = one
        return total / len(tokens) ** alpha

    winner = max(finished, key=score)
    return np.array(winner[0]), score(winner)
"""


def reference(log_p: Array, start: int, end: int, width: int, alpha: float) -> tuple[Array, Array]:
    """Hypothesis by hypothesis; of the candidates the best is taken out ``width`` times."""
    length, vocabulary = log_p.shape[:2]
    live: list[tuple[list[int], float]] = [([], 0.0)]
    done: list[tuple[list[int], float]] = []
    for t in range(length):
        candidates: list[tuple[list[int], float]] = []
        for tokens, total in live:
            for token in range(vocabulary):
                step = log_p[t, tokens[-1] if tokens else start, token]
                candidates.append(([*tokens, token], total + float(step)))
        live = []
        for _ in range(min(width, len(candidates))):
            best = 0
            for place in range(1, len(candidates)):
                if candidates[place][1] > candidates[best][1]:
                    best = place
            kept = candidates.pop(best)
            (done if kept[0][-1] == end else live).append(kept)
        if not live:
            break
    winner, highest = None, 0.0
    for tokens, total in done + live:
        score = total / len(tokens) ** alpha
        if winner is None or score > highest:
            winner, highest = tokens, score
    return np.array(winner), np.array(highest)


def cases(seed: int) -> Iterator[Case]:
    """Width 1, a trap for the greedy search, long and short winners, random models.

    Were the model the same at every step, two answers made of the same pairs would tie.
    """
    rng = np.random.default_rng(seed)

    def given(log_p: Array, width: int, alpha: float) -> dict[str, Value]:
        return {"log_p": log_p, "start": 0, "end": 0, "width": width, "alpha": alpha}

    def case(en: str, zh: str, vocabulary: int, width: int, length: int, alpha: float, ending: float) -> Case:
        """A random model; ``ending`` makes the end token, number 0, more or less probable."""
        logits = rng.normal(scale=1.5, size=(length, vocabulary, vocabulary))
        logits[..., 0] += ending
        return Case(given(_log_normalised(logits), width, alpha), Text(en, zh))

    yield case("one step", "只有一步", 3, 2, 1, 0.0, 0.0)
    yield case("width 1 is greedy", "宽度为 1，即贪心", 4, 1, 4, 0.0, -0.5)
    trap = np.array([[0.01, 0.55, 0.44], [0.30, 0.37, 0.33], [0.90, 0.05, 0.05]])
    yield Case(given(_sharpening(trap), 2, 0.0), Text("a trap for the greedy search", "贪心会落入的陷阱"))
    siblings = np.array(
        [[0.05, 0.80, 0.09, 0.06], [0.03, 0.50, 0.02, 0.45], [0.4, 0.3, 0.2, 0.1], [0.94, 0.03, 0.02, 0.01]]
    )
    yield Case(
        given(_sharpening(siblings), 2, 0.0),
        Text("a winner that is the second child of its parent", "胜者是其父假设的次优后继"),
    )
    for alpha, ending in ((0.0, 0.5), (0.7, 0.5), (1.0, 0.5), (1.0, 1.5), (0.6, -2.0), (1.0, -6.0)):
        yield case("a random model", "随机模型", 5, 3, 6, alpha, ending)
    yield case("a beam wider than the vocabulary", "束宽大于词表", 3, 5, 4, 1.0, 0.5)
    for _ in range(8):
        width, length = (int(n) for n in rng.integers(2, 5, size=2))
        yield case("a random model", "随机模型", 6, width, length + 3, 1.0, 1.0)


def _sharpening(probabilities: Array) -> Array:
    """Three steps of nearly the same model, each a little sharper than the one before."""
    return np.stack([_log_normalised(sharp * np.log(probabilities)) for sharp in (1.0, 1.02, 1.04)])


def _log_normalised(logits: Array) -> Array:
    shifted = logits - logits.max(axis=-1, keepdims=True)
    log_p: Array = shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))
    return log_p


SPECIFICATION = Specification(
    name="beam-search",
    title=Text("Beam search with length normalisation", "带长度归一化的束搜索"),
    task=TASK,
    signature="def beam_search(log_p, start, end, width, alpha):",
    docstring=Text(
        """log_p (T, V, V): float64, natural logarithms; start, end: int, tokens
width: int, 1 or more; alpha: float, 0 or more
returns (tokens: int array, score: a number)""",
        """log_p (T, V, V)：float64，自然对数；start、end：int，token
width：int，至少为 1；alpha：float，不小于 0
返回 (tokens：整数数组, score：一个数)""",
    ),
    outputs=("tokens", "score"),
    cases=cases,
    reference=reference,
    solution=SOLUTION,
    slips=(
        Slip(
            "greedy",
            Text("when only the best candidate is kept at each step", "每一步只保留最好的一个候选"),
            edited(SOLUTION, ("candidates[:width]", "candidates[:1]")),
        ),
        Slip(
            "no-length-normalisation",
            Text("without the division by |y|^α: short answers win", "没有除以 |y|^α，短答案占便宜"),
            edited(SOLUTION, ("total / len(tokens) ** alpha", "total")),
        ),
        Slip(
            "length-without-end",
            Text("when |y| does not count the end token", "|y| 没有计入结束词元"),
            edited(
                SOLUTION,
                ("len(tokens) ** alpha", "max(1, len(tokens) - (tokens[-1] == end)) ** alpha"),
            ),
        ),
        Slip(
            "end-extended",
            Text("when finished hypotheses are extended like the others", "已完成的假设仍被继续扩展"),
            edited(
                SOLUTION,
                ("finished += [one for one in best if one[0][-1] == end]", "finished = []"),
                ("[one for one in best if one[0][-1] != end]", "best"),
            ),
        ),
        Slip(
            "first-finished",
            Text(
                "when the search stops at the first finished hypothesis",
                "一出现完成的假设就停止搜索",
            ),
            edited(SOLUTION, ("if not live:", "if finished:")),
        ),
        Slip(
            "finished-dropped",
            Text("when finished hypotheses are thrown away", "已完成的假设被丢弃"),
            edited(
                SOLUTION,
                ("    finished += live\n", "    finished = live or finished\n"),
            ),
        ),
        Slip(
            "per-parent",
            Text(
                "when each hypothesis keeps a best child of its own, and they do not compete",
                "每个假设各自保留最好的后继，彼此不竞争",
            ),
            edited(
                SOLUTION,
                (
                    "best = candidates[:width]",
                    "best = candidates[:width] if len(live) == 1 else [\n"
                    "            next(one for one in candidates if one[0][:-1] == tokens) for tokens, _ in live\n"
                    "        ]",
                ),
            ),
        ),
        Slip(
            "last-step-only",
            Text("when only the last step counts, not the sum", "只看最后一步的对数概率而没有累加"),
            edited(SOLUTION, ("total + step))", "step))")),
        ),
    ),
)
