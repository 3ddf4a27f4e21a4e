"""D47: what a temperature does to a distribution, and what it does not.

Ackley et al. 1985, section 2 (the Boltzmann distribution); Hinton et al. 2015, equation 1 (softmax with a temperature).
"""

from __future__ import annotations

import math

import numpy as np

from engine.demonstration import (
    Array,
    Check,
    Demonstration,
    Headline,
    Parameter,
    Params,
    Results,
    Samples,
)
from engine.figure import Axis, Bar, Bars, Figure, Line, Plot, Points, Rule
from engine.nn.decoding import entropy, sample, temper
from engine.nn.softmax import softmax
from engine.proof.step import Expr, Step, defined, equal, let, ordered, popular_error
from engine.text import Text, same
from engine.ticks import number
from engine.tolerance import FALSE_ALARM, proportion

EPS = float(np.finfo(float).eps)
NAMES = ("z_1", "z_2", "z_3", "z_4")


# The formulas: the proof checks them with SymPy symbols, the prediction evaluates them with numbers.
def log_odds(gap: Expr, T: Expr) -> Expr:
    """log p_i / p_j of two tokens whose logits lie ``gap`` apart."""
    return gap / T


def entropy_slope(variance: Expr, T: Expr) -> Expr:
    """dH/dT from the variance of the logits under the tempered distribution."""
    return variance / T**3


def pairwise_variance(p: list[Expr], z: list[Expr]) -> Expr:
    """Var_p(z) as a sum over pairs: never negative, term by term."""
    pairs = [(i, j) for i in range(len(p)) for j in range(i)]
    return sum(p[i] * p[j] * (z[i] - z[j]) ** 2 for i, j in pairs)


def derive() -> tuple[Step, ...]:
    import sympy as sp

    T = sp.Symbol("T", positive=True)
    z = list(sp.symbols("z_1:4", real=True))
    d, d_2, d_3 = sp.symbols("d d_2 d_3", positive=True)
    rest = sp.Symbol("R", nonnegative=True)
    S = sp.Symbol("S", positive=True)
    p = sp.symbols("p_1:4", positive=True)
    weights = [(one, sp.exp(logit) / S) for one, logit in zip(p, z, strict=True)]
    powers = [sp.exp(one / T) for one in z]
    z_i, z_j = sp.symbols("z_i z_j", real=True)
    over = sp.exp(z_i / T) + sp.exp(z_j / T) + rest
    ahead = 1 / (1 + sp.exp(-d_2 / T) + sp.exp(-d_3 / T))
    tied = 1 / (2 + sp.exp(-d / T))
    alone = 1 / (1 + sp.exp(-d / T))
    # a common shift of the logits changes no probability, so the best may stand at 0
    gaps = [sp.Integer(0), -d_2, -d_3]
    shifted = [sp.exp(one / T) for one in gaps]
    q = [one / sum(shifted) for one in shifted]
    from_log = sp.log(sum(shifted)) - sum(a * b for a, b in zip(q, gaps, strict=True)) / T
    pair = d**2 * alone * (1 - alone)
    return (
        defined(
            "softmax",
            r"p_i(T) = \frac{e^{z_i / T}}{\sum_{j} e^{z_j / T}}, \qquad T > 0",
            Text(
                "the logits $z$ are divided by $T$ before the softmax, not the probabilities after it",
                "先把 logit $z$ 除以 $T$，再做 softmax；不是在 softmax 之后除概率",
            ),
        ),
        equal(
            "odds",
            (sp.exp(z_i / T) / over) / (sp.exp(z_j / T) / over),
            sp.exp(log_odds(z_i - z_j, T)),
            Text(
                "the odds of two tokens depend on their own gap alone; $R$ holds all other tokens",
                "两个词元的概率之比只取决于二者的 logit 之差；$R$ 是其余全部词元",
            ),
        ),
        popular_error(
            "halves-the-odds",
            sp.exp(log_odds(d, 2 * T)),
            sp.exp(log_odds(d, T)) / 2,
            Text(
                "'twice the temperature halves the odds': temperature is no linear weight, twice $T$ takes the square root",
                "“温度加倍，概率之比就减半”：温度不是线性权重，$T$ 加倍是给概率之比开平方",
            ),
        ),
        *(
            let(
                f"untempered-{number}",
                *weight,
                Text(
                    f"the probability of token {number} at $T = 1$, over the common sum $S$",
                    f"$T = 1$ 时第 {number} 个词元的概率，分母是公共的和 $S$",
                ),
            )
            for number, weight in enumerate(weights, 1)
        ),
        equal(
            "power",
            p[0] ** (1 / T) / sum(one ** (1 / T) for one in p),
            powers[0] / sum(powers),
            Text(
                "the same from probabilities: raise each to the power $1/T$ and normalise again",
                "从概率出发也一样：每个概率取 $1/T$ 次幂，再重新归一化",
            ),
            bound="n=3",
            using=weights,
        ),
        popular_error(
            "divides-the-probabilities",
            (sp.exp(z_i) / T) / ((sp.exp(z_i) + sp.exp(z_j)) / T),
            sp.exp(z_i / T) / (sp.exp(z_i / T) + sp.exp(z_j / T)),
            Text(
                "'dividing the probabilities by $T$ does it': normalised again, that changes nothing at all",
                "“把概率除以 $T$ 就行”：重新归一化之后等于什么都没变",
            ),
        ),
        ordered(
            "keeps-the-ranking",
            log_odds(d, T),
            ">",
            sp.Integer(0),
            Text(
                "a token that leads by $d > 0$ has the larger share at every temperature: the ranking never changes",
                "logit 高出 $d > 0$ 的词元在任何温度下都更可能：排名从不改变",
            ),
        ),
        equal(
            "cold",
            sp.Limit(alone, T, 0, "+"),
            sp.Integer(1),
            Text(
                "$T \\to 0$ from above: the token ahead by $d$ takes everything, which is greedy decoding",
                "$T \\to 0$（从右侧）：领先 $d$ 的词元占有全部概率，也就是贪心解码",
            ),
            bound="n=2",
        ),
        popular_error(
            "zero-is-a-temperature",
            sp.Limit(alone, T, 0, "+"),
            sp.Limit(alone, T, 0, "-"),
            Text(
                "'$T = 0$ is just another temperature': the formula divides by zero there, and the two sides disagree; "
                "libraries treat it as a special case",
                "“$T = 0$ 也只是一个温度”：公式在该处除以零，左右极限也不相等；各个库都把它当作特例处理",
            ),
        ),
        popular_error(
            "cold-is-always-greedy",
            sp.Limit(tied, T, 0, "+"),
            sp.Integer(1),
            Text(
                "'a cold softmax always picks one token': two equally good ones keep one half each",
                "“低温 softmax 总会选中一个词元”：两个并列最高时各占一半",
            ),
        ),
        equal(
            "hot",
            sp.Limit(ahead, T, sp.oo),
            sp.Rational(1, 3),
            Text(
                "$T \\to \\infty$: every token, however bad, becomes equally likely",
                "$T \\to \\infty$：再差的词元也变得同样可能",
            ),
            bound="n=3",
        ),
        equal(
            "entropy",
            -alone * sp.log(alone) - (1 - alone) * sp.log(1 - alone),
            sp.log(1 + sp.exp(-d / T)) + (1 - alone) * d / T,
            Text(
                "entropy: $\\log p_i = z_i / T - \\log Z$, so it is $\\log Z$ less the mean logit over $T$; the best logit is shifted to 0",
                "熵：$\\log p_i = z_i / T - \\log Z$，所以熵等于 $\\log Z$ 减去平均 logit 除以 $T$；最大的 logit 平移到 0",
            ),
            bound="n=2",
        ),
        equal(
            "entropy-slope",
            sp.Derivative(from_log, T),
            entropy_slope(pairwise_variance(q, gaps), T),
            Text(
                "its slope is the variance of the logits over $T^3$, written as a sum of squared gaps",
                "熵对 $T$ 的导数等于 logit 的方差除以 $T^3$，方差写成差的平方之和",
            ),
            bound="n=3",
        ),
        ordered(
            "entropy-rises",
            entropy_slope(pair, T),
            ">",
            sp.Integer(0),
            Text(
                "any two different logits make it positive: a higher temperature is always more diverse",
                "只要有两个 logit 不同，导数就为正：温度越高，输出一定越多样",
            ),
            witness=d**2 * sp.exp(-d / T) / (T**3 * (1 + sp.exp(-d / T)) ** 2),
            bound="n=2",
        ),
    )


def logits_of(p: Params) -> Array:
    return np.array([getattr(p, name) for name in NAMES], dtype=float)


def predict(p: Params) -> Results:
    z = logits_of(p)
    top = float(z.max())
    # 1 / p_i = sum_j p_j / p_i
    shares = [1 / sum(math.exp(log_odds(other - one, p.T)) for other in z) for one in z]
    variance = pairwise_variance(shares, list(z))
    return {
        "shares": np.array(shares),
        "top_share": max(shares),
        "entropy_slope": float(entropy_slope(variance, p.T)),
        "log_odds": float(log_odds(top - z.min(), p.T)),
    }


TEMPERATURES: Array = np.geomspace(0.05, 5.0, 41)


def entropies(z: Array, inverse: Array) -> Array:
    """Entropy of the tempered softmax of logits (V,) at each inverse temperature, in nats."""
    return np.asarray(entropy(softmax(z * inverse[:, None])))


def step_of(z: Array) -> float:
    """Step in 1/T of the central differences: small against one over the range of the logits."""
    return 1e-5 / max(1.0, float(np.ptp(z)))


@np.errstate(under="ignore")
def measure(p: Params, rng: np.random.Generator) -> Results:
    z = logits_of(p)
    tempered = softmax(temper(z, p.T))  # (V,)
    drawn = sample(tempered, rng, p.samples)
    frequencies = np.bincount(drawn, minlength=len(z)) / p.samples
    beta, h = 1 / p.T, step_of(z)
    low, high = entropies(z, np.array([beta - h, beta + h]))
    curve = np.array([float(entropy(softmax(temper(z, T)))) for T in TEMPERATURES])
    leader, last = int(z.argmax()), int(z.argmin())
    log_share = np.log(np.maximum(tempered, np.finfo(float).tiny))
    return {
        "draws": p.samples,
        "frequencies": frequencies,
        "probabilities": tempered,
        "top_share": float(frequencies[leader] if (z == z.max()).sum() == 1 else frequencies.max()),
        "entropy": float(entropy(tempered)),
        # dH/dT = -beta² dH/dbeta
        "entropy_slope": float(-(beta**2) * (high - low) / ((beta + h) - (beta - h))),
        "log_odds": float(log_share[leader] - log_share[last]),
        "entropies": curve,
        "smallest_rise": float(np.diff(curve).min()),
        "rank_changes": int((np.diff(tempered[np.argsort(z, kind="stable")]) < 0).sum()),
    }


def slope_error(z: Array, T: float) -> float:
    """Bound on the error of the entropy's slope by central differences in beta = 1/T.

    H'(beta) = -beta k_2, so |H'''| <= 2 |k_3| + beta |k_4| with cumulants of the logits; with range R they are at most
    R³/4 and R⁴/4. An entropy of four tokens is rounded to (10 + beta R) units.
    """
    reach, beta, h = float(np.ptp(z)), 1 / T, step_of(z)
    third = reach**3 / 2 + (beta + h) * reach**4 / 4
    return beta**2 * (h**2 / 6 * third + EPS * (10 + beta * (reach + float(np.abs(z).max()))) / h)


def check(p: Params, predicted: Results, results: Results) -> tuple[Check, ...]:
    z = logits_of(p)
    leader, last = int(z.argmax()), int(z.argmin())
    binomial = Text("binomial law of a count", "计数的二项分布")

    def share(name: str, token: int, claim: Text) -> Check:
        share = float(predicted["shares"][token])
        return Check(
            name,
            claim,
            share,
            float(results["frequencies"][token]),
            proportion(share, results["draws"]) + 4 * EPS,
            binomial,
            false_alarm=FALSE_ALARM,
        )

    return (
        share("top-share", leader, Text("how often the best token is drawn", "最优词元被抽到的频率")),
        share("last-share", last, Text("how often the worst token is drawn", "最差词元被抽到的频率")),
        Check(
            "log-odds",
            Text(
                "log odds of best against worst in the layer's output",
                "层的输出中最优与最差词元的对数概率比",
            ),
            predicted["log_odds"],
            results["log_odds"],
            16 * EPS * (1 + predicted["log_odds"]),
            Text("rounding of the exponents", "指数的舍入误差"),
        ),
        Check(
            "entropy-slope-measured",
            Text(
                "slope of the entropy by differences is the variance of the logits over $T^3$",
                "熵的差分斜率等于 logit 的方差除以 $T^3$",
            ),
            predicted["entropy_slope"],
            results["entropy_slope"],
            slope_error(z, p.T),
            Text("central differences: third derivative, and rounding", "中心差分：三阶导数，加上舍入误差"),
        ),
        Check(
            "entropy-never-falls",
            Text("the entropy never falls as $T$ rises", "$T$ 升高时熵从不下降"),
            0.0,
            results["smallest_rise"],
            16 * EPS,
            Text("rounding of an entropy", "熵的舍入误差"),
            relation=">=",
        ),
        Check(
            "ranking-kept",
            Text("tokens out of the order of their logits", "次序与 logit 不一致的词元数"),
            0.0,
            results["rank_changes"],
            None,
            Text("exact", "精确"),
        ),
    )


def figures(p: Params, predicted: Results, results: Results) -> tuple[Figure, ...]:
    z = logits_of(p)
    return (
        Bars(
            Text("How often each token is drawn", "每个词元被抽到的频率"),
            Text(
                "pull T down and the best token takes all, push it up and the bars even out; their order never changes",
                "T 调低，最优词元独占；T 调高，各条趋于相等；次序始终不变",
            ),
            Axis(Text("share of the draws", "抽样频率"), low=0.0, high=1.0),
            tuple(
                bar
                for i, logit in enumerate(z)
                for bar in (
                    Bar(
                        Text(f"z = {number(logit)}, drawn", f"z = {number(logit)}，实测"),
                        float(results["frequencies"][i]),
                    ),
                    Bar(
                        Text(f"z = {number(logit)}, predicted", f"z = {number(logit)}，预测"),
                        float(predicted["shares"][i]),
                        "predicted",
                    ),
                )
            ),
        ),
        Plot(
            Text("Entropy against temperature", "熵随温度的变化"),
            Text(
                "the entropy only ever rises, from 0 (or log 2 at a tie) towards that of the uniform law",
                "熵只升不降：从 0（并列时为 log 2）升向均匀分布的熵",
            ),
            Axis(same("T"), "log"),
            Axis(Text("entropy in nats", "熵（nat）"), low=0.0),
            (
                Line(
                    Text("of the layer's output", "层的输出"), TEMPERATURES, results["entropies"], "measured"
                ),
                Points(Text("now", "当前"), np.array([p.T]), np.array([results["entropy"]]), "other"),
                Rule(Text("uniform law", "均匀分布"), math.log(len(z)), "y", "bound"),
            ),
        ),
    )


DEMO = Demonstration(
    id="D47",
    name="temperature",
    title=Text("Temperature", "温度"),
    shows=Text(
        "a temperature takes odds to the power $1/T$: the ranking stays, and the entropy rises with $T$ at every $T$",
        "温度把概率之比取 $1/T$ 次幂：排名不变，熵随 $T$ 单调上升",
    ),
    kills=Text(
        "“T = 0 is a temperature”, “T reweights linearly”, “a cold softmax is always greedy”",
        "“T = 0 也是一个温度”“T 是线性加权”“低温 softmax 总是贪心”",
    ),
    parameters=(
        Parameter("T", "T", Text("temperature", "温度"), 1.0, 0.05, 5.0, 0.1, "float", "log"),
        *(
            Parameter(
                name,
                name,
                Text(f"logit of token {i}", f"第 {i} 个词元的 logit"),
                default,
                -5.0,
                5.0,
                0.5,
            )
            for i, (name, default) in enumerate(zip(NAMES, (2.0, 1.0, 0.0, -1.0), strict=True), 1)
        ),
    ),
    derive=derive,
    predict=predict,
    measure=measure,
    check=check,
    figures=figures,
    headline=Headline(
        "top_share",
        Text("how often the most probable token is drawn", "最可能的词元被抽到的频率"),
        Text("", ""),
        0.0,
        1.0,
    ),
    samples=Samples(rest=60_000),
)
