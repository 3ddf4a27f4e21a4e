"""D69: penalties on tokens that have appeared: by division, which reads the sign of a logit, and by subtraction.

Keskar et al. 2019, section 4.1 (division); common generation code multiplies negative logits instead.
"""

from __future__ import annotations

import math

import numpy as np

from engine.demonstration import Array, Check, Demonstration, Headline, Parameter, Params, Results
from engine.figure import Axis, Figure, Line, Plot, Points, Rule
from engine.nn.decoding import penalize_counts, penalize_repetition
from engine.nn.softmax import log_softmax, softmax
from engine.proof.step import Expr, Step, defined, equal, let, popular_error
from engine.text import Text, same

EPS = float(np.finfo(float).eps)
VOCABULARY = 64
SHIFTS: Array = np.linspace(-15.0, 15.0, 31)


# The formulas: the proof checks them with SymPy symbols, the prediction evaluates them with numbers.
def positive_change(z: Expr, theta: Expr) -> Expr:
    """Change of a seen token's log odds against an unseen one, its logit z being positive: it is divided by theta."""
    return -z * (1 - 1 / theta)


def negative_change(z: Expr, theta: Expr) -> Expr:
    """The same for a negative logit, which is multiplied by theta."""
    return (theta - 1) * z


def subtracted_change(presence: Expr, frequency: Expr, count: Expr) -> Expr:
    """The same for presence and frequency penalties, after ``count`` occurrences."""
    return -(presence + frequency * count)


def derive() -> tuple[Step, ...]:
    import sympy as sp

    z_a, z_b, c = sp.symbols("z_a z_b c", real=True)
    t, alpha, beta = sp.symbols("t alpha beta", positive=True)
    m = sp.Symbol("m", integer=True, positive=True)
    theta = sp.Symbol("theta", positive=True)
    z = sp.symbols("z_1:4", real=True)
    plain = [sp.exp(one) for one in z]
    shifted = [sp.exp(one + c) for one in z]
    odds = sp.exp(z_a) / sp.exp(z_b)
    above = (theta, 1 + t)
    return (
        defined(
            "by-sign",
            r"z_a' = \frac{z_a}{\theta} \text{ if } z_a > 0, \qquad z_a' = \theta z_a \text{ if } z_a < 0, \qquad \theta \geq 1",
            Text(
                "the usual repetition penalty of a token that has appeared; all others keep their logits",
                "常用的重复惩罚，作用于出现过的词元；其余词元的 logit 不变",
            ),
        ),
        equal(
            "softmax-is-blind-to-a-shift",
            shifted[0] / sum(shifted),
            plain[0] / sum(plain),
            Text(
                "the softmax does not see a number added to all logits: a model's logits are fixed only up to it",
                "softmax 看不到所有 logit 同加的一个数：模型的 logit 只确定到这个程度",
            ),
            bound="n=3",
        ),
        equal(
            "positive-logit",
            (sp.exp(z_a / theta) / sp.exp(z_b)) / odds,
            sp.exp(positive_change(z_a, theta)),
            Text(
                "a positive logit is divided: the odds against an unseen token $b$ fall by a factor that depends on $z_a$ itself",
                "正的 logit 被除：对未出现的词元 $b$，概率之比下降的倍数取决于 $z_a$ 本身",
            ),
        ),
        equal(
            "negative-logit",
            (sp.exp(theta * z_a) / sp.exp(z_b)) / odds,
            sp.exp(negative_change(z_a, theta)),
            Text("a negative logit is multiplied: another factor", "负的 logit 被乘：又是另一个倍数"),
        ),
        equal(
            "nothing-at-zero",
            sp.Limit(positive_change(z_a, theta), z_a, 0),
            sp.Integer(0),
            Text(
                "a seen token whose logit is near zero is hardly penalised at all",
                "logit 接近零的词元，即使出现过也几乎不受惩罚",
            ),
        ),
        popular_error(
            "shift-is-harmless",
            sp.exp((z_a + c) / theta) / sp.exp(z_b + c),
            sp.exp(z_a / theta) / sp.exp(z_b),
            Text(
                "'the penalty depends on the distribution alone': a common shift $c$, which the softmax does not see, changes the odds",
                "“惩罚只取决于分布”：softmax 看不到的公共平移 $c$，却改变了概率之比",
            ),
        ),
        let("above-one", *above, Text("a penalty above one", "大于一的惩罚")),
        popular_error(
            "division-always-lowers",
            z_a / (1 + t),
            z_a,
            Text(
                "'dividing by $\\theta$ makes a token less likely': it raises a negative logit, which is why common code asks for the sign",
                "“除以 $\\theta$ 会降低概率”：负的 logit 反而升高，所以通行的代码要看符号",
            ),
            op="<",
        ),
        equal(
            "tempers-the-seen",
            sp.exp(z_a / theta) / sp.exp(z_b / theta),
            odds ** (1 / theta),
            Text(
                "among seen tokens of positive logits it acts as a temperature $\\theta$: the likelier one loses more",
                "在出现过、logit 为正的词元之间，它相当于温度 $\\theta$：更可能的那个损失更多",
            ),
        ),
        equal(
            "subtracted",
            (sp.exp(z_a + c - alpha - beta * m) / sp.exp(z_b + c)) / odds,
            sp.exp(subtracted_change(alpha, beta, m)),
            Text(
                "presence $\\alpha$ and frequency $\\beta$ are subtracted: after $m$ occurrences one factor for every logit and every shift",
                "存在惩罚 $\\alpha$ 与频率惩罚 $\\beta$ 是减去的：出现 $m$ 次后，无论 logit 与平移是多少，倍数都相同",
            ),
        ),
        equal(
            "each-time-again",
            sp.exp(subtracted_change(alpha, beta, m + 1)) / sp.exp(subtracted_change(alpha, beta, m)),
            sp.exp(-beta),
            Text(
                "each further occurrence costs another $e^{-\\beta}$; presence is paid once",
                "每多出现一次再乘 $e^{-\\beta}$；存在惩罚只付一次",
            ),
        ),
        equal(
            "from-log-probabilities",
            z[0] + c - sp.log(sum(shifted)),
            z[0] - sp.log(sum(plain)),
            Text(
                "log probabilities do not move with the shift: applied to them the penalty is well defined, and raises $p$ to the power $\\theta$",
                "对数概率不随平移改变：惩罚若作用于对数概率就是确定的，即把 $p$ 取 $\\theta$ 次幂",
            ),
            bound="n=3",
        ),
    )


def change(z: float, theta: float) -> float:
    """The predicted change by the usual penalty, whatever the sign."""
    return float(positive_change(z, theta) if z > 0 else negative_change(z, theta))


def predict(p: Params) -> Results:
    here, there = change(p.z, p.theta), change(p.z + p.c, p.theta)
    return {
        "change": here,
        "change_after_shift": there,
        "odds_factor": math.exp(there),
        "divided": float(positive_change(p.z, p.theta)),
        "subtracted": float(subtracted_change(p.alpha, p.beta, p.m)),
        "moved_by_shift": there - here,
    }


def log_odds(logits: Array) -> float:
    """log p_0 / p_1 of the softmax of logits (V,)."""
    log_p = log_softmax(logits)
    return float(log_p[0] - log_p[1])


def distance(one: Array, other: Array) -> float:
    """Total variation of the softmax of two rows of logits (V,)."""
    return float(np.abs(softmax(one) - softmax(other)).sum() / 2)


def measure(p: Params, rng: np.random.Generator) -> Results:
    z: Array = 2 * rng.standard_normal(VOCABULARY)
    z[0] = p.z
    # token 0 is the one watched, token 1 has not appeared
    history = [0] * p.m + [int(token) for token in rng.integers(2, VOCABULARY, 6)]
    moved = z + p.c

    def by_sign(logits: Array) -> Array:
        return np.asarray(penalize_repetition(logits, history, p.theta))

    def less(logits: Array) -> Array:
        return np.asarray(penalize_counts(logits, history, p.alpha, p.beta))

    after = log_odds(by_sign(moved)) - log_odds(moved)
    here = log_odds(by_sign(z)) - log_odds(z)
    return {
        "change": here,
        "change_after_shift": after,
        "odds_factor": math.exp(after),
        "moved_by_shift": after - here,
        "divided": log_odds(np.asarray(penalize_repetition(z, history, p.theta, by_sign=False)))
        - log_odds(z),
        "subtracted": log_odds(less(z)) - log_odds(z),
        "subtracted_after_shift": log_odds(less(moved)) - log_odds(moved),
        "apart_plain": distance(moved, z),
        "apart_by_sign": distance(by_sign(moved), by_sign(z)),
        "apart_subtracted": distance(less(moved), less(z)),
        "distances": np.array([distance(by_sign(z + shift), by_sign(z)) for shift in SHIFTS]),
        "largest": float(np.abs(z).max()),
    }


def rounding(p: Params, results: Results) -> float:
    """Bound on the rounding of a difference of log odds: logits up to theta times (largest + shift), counted penalties."""
    reach = p.theta * (results["largest"] + abs(p.c)) + p.alpha + p.beta * p.m
    return 32 * EPS * (1 + reach)


def check(p: Params, predicted: Results, results: Results) -> tuple[Check, ...]:
    law = Text("rounding of logits and of a log-softmax", "logit 与 log-softmax 的舍入误差")
    slack = rounding(p, results)

    def equals(name: str, claim: Text, expected: float, measured: float) -> Check:
        return Check(name, claim, expected, measured, slack, law)

    checks = [
        equals(
            "change-by-sign",
            Text("change of log odds by the usual penalty", "常用惩罚引起的对数概率比变化"),
            predicted["change"],
            results["change"],
        ),
        equals(
            "change-after-shift",
            Text("the same after all logits are shifted by $c$", "所有 logit 平移 $c$ 之后的变化"),
            predicted["change_after_shift"],
            results["change_after_shift"],
        ),
        equals(
            "change-by-division",
            Text(
                "change when every logit is divided, as the paper reads",
                "按论文对所有 logit 都用除法时的变化",
            ),
            predicted["divided"],
            results["divided"],
        ),
        equals(
            "change-by-subtraction",
            Text("change by presence and frequency", "存在与频率惩罚引起的变化"),
            predicted["subtracted"],
            results["subtracted"],
        ),
        equals(
            "subtraction-after-shift",
            Text("the same after the shift", "平移之后的同一变化"),
            predicted["subtracted"],
            results["subtracted_after_shift"],
        ),
        equals(
            "plain-law-unmoved",
            Text(
                "distance the shift moves the distribution without a penalty", "无惩罚时平移使分布移动的距离"
            ),
            0.0,
            results["apart_plain"],
        ),
        equals(
            "subtracted-law-unmoved",
            Text(
                "distance the shift moves the distribution after subtraction",
                "用减法惩罚之后，平移使分布移动的距离",
            ),
            0.0,
            results["apart_subtracted"],
        ),
    ]
    if abs(predicted["moved_by_shift"]) > 1e-6:
        checks.append(
            Check(
                "shift-changes-the-penalty",
                Text(
                    "change of log odds by the usual penalty with and without the shift",
                    "有无平移时，常用惩罚引起的对数概率比变化",
                ),
                results["change"],
                results["change_after_shift"],
                slack,
                law,
                relation="!=",
            )
        )
    return tuple(checks)


def figures(p: Params, predicted: Results, results: Results) -> tuple[Figure, ...]:
    logits: Array = np.linspace(-12.0, 12.0, 97)
    curve = np.array([change(float(z), p.theta) for z in logits])
    flat = np.full_like(logits, predicted["subtracted"])
    return (
        Plot(
            Text("What a penalty takes from a seen token", "惩罚从出现过的词元拿走多少"),
            Text(
                "the usual penalty takes nothing at a logit of zero and more the further away; subtraction takes the same everywhere",
                "常用惩罚在 logit 为零处毫无作用，离零越远越重；减法处处相同",
            ),
            Axis(Text("logit of the token", "词元的 logit")),
            Axis(Text("change of log odds", "对数概率比的变化")),
            (
                Line(Text("divided or multiplied", "除或乘"), logits, curve, "predicted"),
                Line(Text("subtracted", "减去"), logits, flat, "context"),
                Points(
                    Text("measured, before and after the shift", "实测，平移前后"),
                    np.array([p.z, p.z + p.c]),
                    np.array([results["change"], results["change_after_shift"]]),
                    "measured",
                ),
            ),
        ),
        Plot(
            Text("How far a shift of all logits moves the distribution", "所有 logit 平移使分布移动多远"),
            Text(
                "without a penalty and with a subtracted one: not at all; with the usual one: the further the shift, the more",
                "无惩罚或减法惩罚：丝毫不动；常用惩罚：平移越大，移动越多",
            ),
            Axis(Text("shift of all logits", "所有 logit 的平移")),
            Axis(Text("total variation", "全变差"), low=0.0),
            (
                Line(Text("usual penalty", "常用惩罚"), SHIFTS, results["distances"], "measured"),
                Rule(same("c"), p.c, "x", "other"),
            ),
        ),
    )


DEMO = Demonstration(
    id="D69",
    name="repetition-penalty",
    title=Text("Repetition penalties", "重复惩罚"),
    shows=Text(
        "the usual penalty divides or multiplies a logit, so it depends on where zero lies, which the softmax does not know; "
        "presence and frequency penalties subtract and do not",
        "常用惩罚对 logit 做除法或乘法，因而取决于零点在哪里，而 softmax 并不知道零点；存在与频率惩罚是减法，没有这个问题",
    ),
    kills=Text(
        "“a repetition penalty depends on the distribution alone”, “dividing a logit always lowers it”",
        "“重复惩罚只取决于分布”“除法总会降低 logit”",
    ),
    parameters=(
        Parameter("theta", r"\theta", Text("usual penalty", "常用惩罚"), 1.3, 1.0, 2.0, 0.05),
        Parameter("z", "z_a", Text("logit of the seen token", "出现过的词元的 logit"), 4.0, -10.0, 10.0, 0.5),
        Parameter("c", "c", Text("shift of all logits", "所有 logit 的平移"), 5.0, -15.0, 15.0, 0.5),
        Parameter("alpha", r"\alpha", Text("presence penalty", "存在惩罚"), 0.5, 0.0, 2.0, 0.1),
        Parameter("beta", r"\beta", Text("frequency penalty", "频率惩罚"), 0.5, 0.0, 2.0, 0.1),
        Parameter("m", "m", Text("occurrences so far", "已出现次数"), 3, 1, 20, 1.0, "int"),
    ),
    derive=derive,
    predict=predict,
    measure=measure,
    check=check,
    figures=figures,
    headline=Headline(
        "odds_factor",
        Text(
            "odds of the seen token after the shift, over those without a penalty",
            "平移之后，出现过的词元的概率比与无惩罚时之比",
        ),
        Text("", ""),
        1e-12,
        1.0,
        "log",
    ),
)
