"""D45: a sharp jump in a benchmark can come from its metric, not from the model.

Schaeffer, Miranda and Koyejo 2023, sections 2 and 3: where per-token accuracy improves smoothly with scale, exact
match over a long answer looks like an ability that appears all at once.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from engine.demonstration import Check, Demonstration, Headline, Parameter, Params, Results, Samples
from engine.figure import Axis, Figure, Line, Plot, Points, Rule
from engine.proof.step import Expr, Step, cited, defined, equal, ordered, popular_error
from engine.text import Text
from engine.tolerance import FALSE_ALARM, proportion

SCALES = 13
"""Model sizes of the family, evenly spaced in log N."""
FIRST, LAST = 1e7, 1e12
"""Parameters of the smallest and of the largest model."""


# The formulas: the proof checks them with SymPy symbols, the prediction evaluates them with numbers.
def token_accuracy(N: Expr, c: Expr, alpha: Expr, m: Any = np) -> Expr:
    """p(N) = exp(-(c / N)^alpha): a per-token loss that falls as a power of the scale."""
    return m.exp(-((c / N) ** alpha))


def exact_match(p: Expr, k: Expr) -> Expr:
    """All k tokens of the answer right, each independently with probability p."""
    return p**k


def edit_score(p: Expr) -> Expr:
    """Expected share of right tokens: the same models, a metric linear in p."""
    return p


def derive() -> tuple[Step, ...]:
    import sympy as sp

    p = sp.Symbol("p", positive=True)
    k = sp.Symbol("k", integer=True, positive=True)
    N, c, alpha, r = sp.symbols("N c alpha r", positive=True)
    i = sp.Symbol("i", integer=True, positive=True)
    accuracy = token_accuracy(N, c, alpha, sp)
    return (
        defined(
            "family",
            r"p(N) = e^{-(c/N)^{\alpha}}",
            Text(
                r"the family of models: the loss per token falls as a power of the number of parameters $N$",
                r"模型家族：每个词元的损失随参数量 $N$ 按幂律下降",
            ),
        ),
        equal(
            "smooth-loss",
            sp.log(-sp.log(accuracy)),
            alpha * sp.log(c) - alpha * sp.log(N),
            Text(
                r"$\log(-\log p)$ is a straight line in $\log N$, without any kink",
                r"$\log(-\log p)$ 对 $\log N$ 是一条直线，没有任何拐点",
            ),
        ),
        equal(
            "all-tokens",
            sp.Product(p, (i, 1, k)),
            exact_match(p, k),
            Text(
                r"exact match needs all $k$ tokens of the answer: independent tokens multiply",
                r"完全匹配要求答案的 $k$ 个词元全对：独立的概率相乘",
            ),
        ),
        equal(
            "longer-is-steeper",
            sp.Derivative(exact_match(p, k), p),
            k * p ** (k - 1),
            Text(
                r"near $p = 1$ it rises $k$ times as steeply as $p$, far below it hardly moves",
                r"在 $p = 1$ 附近它的斜率是 $p$ 的 $k$ 倍，远低于 1 时几乎不动",
            ),
        ),
        equal(
            "same-curve-later",
            exact_match(accuracy, k),
            sp.exp(-((c * k ** (1 / alpha) / N) ** alpha)),
            Text(
                r"in $N$ it is the same curve, moved to $k^{1/\alpha}$ times larger models: nothing new appears",
                r"对 $N$ 来说它是同一条曲线，只是移到 $k^{1/\alpha}$ 倍大的模型：没有出现新东西",
            ),
        ),
        ordered(
            "never-a-jump",
            sp.Derivative(exact_match(1 / (1 + r), k), r),
            "<",
            sp.Integer(0),
            Text(
                r"and smooth everywhere: with $p = 1/(1 + r)$ it falls strictly as the error $r$ grows",
                r"而且处处光滑：写成 $p = 1/(1 + r)$，它随误差 $r$ 增大严格下降",
            ),
        ),
        popular_error(
            "metric-does-not-matter",
            exact_match(p, 2),
            edit_score(p),
            Text(
                r"‘the jump is in the model, whatever the metric’: with answers of two tokens the same model scores $p^2$ by exact match, $p$ by token",
                r"“跃变在模型里，与指标无关”：答案只有两个词元时，同一个模型按完全匹配得 $p^2$，按词元得 $p$",
            ),
        ),
        cited(
            "reported",
            r"\text{emergence} \to \text{metric}",
            Text(
                "most of the abilities reported as emergent on BIG-Bench were measured by exact match or multiple choice",
                "BIG-Bench 上被报告为涌现的能力，多数以完全匹配或选择题计分",
            ),
            "Schaeffer et al. 2023, section 4",
        ),
    )


def sizes(p: Params) -> np.ndarray:
    return np.logspace(math.log10(FIRST), math.log10(LAST), SCALES)


def scale_of_half(p: Params) -> float:
    """c such that a token is right with probability 1/2 at ``p.half`` billion parameters."""
    return float(p.half * 1e9 * math.log(2) ** (1 / p.alpha))


def predict(p: Params) -> Results:
    accuracy = token_accuracy(sizes(p), scale_of_half(p), p.alpha)
    one = float(token_accuracy(p.size * 1e9, scale_of_half(p), p.alpha))
    # the smallest models have no exact match at all: a power below the smallest number is 0 there
    with np.errstate(under="ignore"):
        match_curve = exact_match(accuracy, p.k)
    return {
        "token_curve": accuracy,
        "match_curve": match_curve,
        "token_accuracy": one,
        "exact_match": exact_match(one, p.k),
        "threshold_ratio": float(p.k ** (1 / p.alpha)),
    }


def answer(logit_gap: np.ndarray, rng: np.random.Generator, answers: int, k: int) -> np.ndarray:
    """Whether each token of each answer is right, (sizes, answers, k): the right token beats its rival or not."""
    noise = rng.logistic(size=(logit_gap.size, answers, k))
    right: np.ndarray = logit_gap[:, None, None] + noise > 0
    return right


def measure(p: Params, rng: np.random.Generator) -> Results:
    """Models of growing size answer questions of k tokens; both metrics score the very same answers."""
    at = np.append(sizes(p), p.size * 1e9)
    loss = (scale_of_half(p) / at) ** p.alpha
    # a token is right when the gap of its logit plus logistic noise is positive: P = 1 / (1 + e^-gap) = e^-loss
    gap = -np.log(np.expm1(np.clip(loss, 1e-12, 700.0)))
    answers = max(200, p.samples // ((SCALES + 1) * p.k))
    right = answer(gap, rng, answers, p.k)
    tokens, matches = right.mean(axis=(1, 2)), right.all(axis=2).mean(axis=1)
    jumps = np.diff(matches[:-1])
    return {
        "answers": answers,
        "token_curve": tokens[:-1],
        "match_curve": matches[:-1],
        "token_accuracy": float(tokens[-1]),
        "exact_match": float(matches[-1]),
        "largest_rise": float(jumps.max()),
        "scores_differ": float(np.abs(tokens - matches).max()),
    }


def check(p: Params, predicted: Results, results: Results) -> tuple[Check, ...]:
    law = Text("exact binomial law of the answers", "答案的精确二项分布")
    answers = results["answers"]
    return (
        Check(
            "token-accuracy",
            Text("share of right tokens at the chosen size", "所选规模下正确词元的比例"),
            predicted["token_accuracy"],
            results["token_accuracy"],
            proportion(predicted["token_accuracy"], answers * p.k),
            law,
            false_alarm=FALSE_ALARM,
        ),
        Check(
            "exact-match",
            Text("share of answers right in every token", "每个词元都对的答案比例"),
            predicted["exact_match"],
            results["exact_match"],
            proportion(predicted["exact_match"], answers),
            law,
            false_alarm=FALSE_ALARM,
        ),
        Check(
            "exact-match-is-not-above",
            Text("no answer scores more by exact match than by tokens", "完全匹配的得分不会高于按词元的得分"),
            results["token_accuracy"],
            results["exact_match"],
            1e-12,
            Text(
                "a share of all-right answers cannot exceed the share of right tokens",
                "全对答案的比例不会超过正确词元的比例",
            ),
            "<=",
        ),
    )


def figures(p: Params, predicted: Results, results: Results) -> tuple[Figure, ...]:
    at = sizes(p)
    size = Axis(Text("parameters N", "参数量 N"), "log")
    return (
        Plot(
            Text("One family, two metrics", "同一家族，两种指标"),
            Text(
                "the same answers: by tokens they improve gradually, by exact match of a long answer an ability seems to appear",
                "同样的答案：按词元看逐步提高，答案一长，按完全匹配看就像是能力突然出现",
            ),
            size,
            Axis(Text("score", "得分"), low=0.0, high=1.0),
            (
                Line(Text("by token, predicted", "按词元，预测"), at, predicted["token_curve"], "predicted"),
                Points(Text("by token", "按词元"), at, results["token_curve"], "measured"),
                Line(
                    Text("exact match, predicted", "完全匹配，预测"), at, predicted["match_curve"], "popular"
                ),
                Points(Text("exact match", "完全匹配"), at, results["match_curve"], "other"),
                Rule(Text("chosen size", "所选规模"), p.size * 1e9, "x", "context"),
            ),
        ),
        Plot(
            Text("Loss per token", "每个词元的损失"),
            Text(
                "on logarithmic axes the loss is a straight line: no threshold",
                "双对数坐标下损失是直线：没有门槛",
            ),
            size,
            Axis(Text("-ln p", "-ln p"), "log"),
            (Line(Text("loss", "损失"), at, -np.log(predicted["token_curve"]), "predicted"),),
        ),
    )


DEMO = Demonstration(
    id="D45",
    name="emergent-abilities",
    title=Text("Emergence as an effect of the metric", "涌现：指标造成的假象"),
    shows=Text(
        r"a per-token accuracy $p$ that grows smoothly gives an exact match $p^k$ that seems to switch on",
        r"每个词元的正确率 $p$ 平滑增长，完全匹配率 $p^k$ 却像突然开启",
    ),
    kills=Text("“abilities switch on at a threshold of scale”", "“规模到了门槛，能力就突然出现”"),
    parameters=(
        Parameter("k", "k", Text("tokens in the answer", "答案的词元数"), 10, 1, 50, 1, "int"),
        Parameter("alpha", r"\alpha", Text("exponent of the loss", "损失的指数"), 0.3, 0.1, 0.5, 0.05),
        Parameter("half", "N_0", Text("size at which half of the tokens are right", "一半词元正确时的规模（1 B = 10 亿参数）"), 1.0, 0.1, 100.0, 0.25, "float", "log", Text("billion", "B")),
        Parameter("size", "N", Text("size looked at", "所看的规模（1 B = 10 亿参数）"), 100.0, 0.01, 1000.0, 0.25, "float", "log", Text("billion", "B")),
    ),
    derive=derive,
    predict=predict,
    measure=measure,
    check=check,
    figures=figures,
    headline=Headline("exact_match", Text("exact match at the size looked at", "所看规模下的完全匹配率"), Text("", ""), 0.0, 1.0),
    samples=Samples(rest=400_000, drag=120_000),
)  # fmt: skip
