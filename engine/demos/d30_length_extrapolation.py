"""D30: positions beyond the trained length: a formula that is defined there, and what was learnt, which is not.

Press et al. 2022 (ALiBi), figure 1; Chen et al. 2023 (position interpolation), sections 2.2 and 2.3; Peng et al. 2024
(YaRN), section 3.1. What holds of a position in a sinusoidal encoding holds of a distance in RoPE: both enter as the
same sines and cosines.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from engine.demonstration import Array, Check, Choice, Demonstration, Headline, Parameter, Params, Results
from engine.figure import Axis, Figure, Line, Plot, Points, Rule
from engine.nn.position import (
    angular_frequencies,
    interpolated_positions,
    learned_encoding,
    ntk_aware_base,
    sinusoidal_encoding,
    split_pairs,
)
from engine.proof.step import Expr, Step, cited, defined, equal, let, ordered, popular_error
from engine.text import Text

ROUNDING = float(np.finfo(float).eps)
RIDGE = 1e-3
TESTED = 128
"""Positions beyond the trained length at which everything is asked, evenly spread."""
MARGIN = 1 + 1e-6
"""A phase counts as new beyond one training step from the nearest trained one; the margin is for rounding."""


# The formulas: the proof checks them with SymPy symbols, the prediction evaluates them with numbers.
def complete_pairs(trained: Expr, d: Expr, log_base: Expr, log_ratio: Expr) -> Expr:
    """The pairs i below this turn at least once in ``trained`` positions; ``log_ratio`` is ln(trained / 2 pi)."""
    return d / 2 * log_ratio / log_base


def squeezed(position: Expr, trained: Expr, length: Expr) -> Expr:
    """Where position interpolation puts a position of a sequence of ``length``."""
    return position * trained / length


def ntk_log_base(log_base: Expr, log_factor: Expr, d: Expr) -> Expr:
    """Logarithm of the base that slows the slowest pair by the factor."""
    return log_base + d / (d - 2) * log_factor


def step_squared(half_sine: Expr) -> Expr:
    """Squared distance of a pair at two positions, given the sine of half the angle between them."""
    return 4 * half_sine**2


def derive() -> tuple[Step, ...]:
    return (*_phases(), *_readout(), *_remedies())


def _phases() -> tuple[Step, ...]:
    import sympy as sp

    b, d, L = sp.symbols("b d L", positive=True)
    ratio = sp.log(L) - sp.log(2 * sp.pi)
    at = complete_pairs(L, d, sp.log(b), ratio)
    boundary = sp.Symbol("i^*", real=True)
    return (
        defined(
            "wavelength",
            r"\lambda_i = \frac{2\pi}{\omega_i} = 2\pi\, b^{2i/d}",
            Text(
                "how many positions pair $i$ takes for one turn: of the position in a sinusoidal encoding, of the distance "
                "between query and key in RoPE",
                "第 $i$ 对转一圈所需的位置数：在正弦编码中是位置，在 RoPE 中是 query 与 key 的距离",
            ),
        ),
        let(
            "boundary",
            boundary,
            at,
            Text(
                "the pair at which the wavelength passes the trained length $L$",
                "波长在这一对处越过训练长度 $L$",
            ),
        ),
        equal(
            "turn-within-training",
            sp.log(2 * sp.pi) + 2 * boundary / d * sp.log(b),
            sp.log(L),
            Text(
                "there $2\\pi b^{2i/d} = L$ (logarithms taken): pairs above it never complete a turn in training",
                "此处 $2\\pi b^{2i/d} = L$（两边取对数）：在此之上的各对在训练中从未转满一圈",
            ),
            using=((boundary, at),),
        ),
    )


def _readout() -> tuple[Step, ...]:
    import sympy as sp

    a, c, w, p, t = sp.symbols("a c omega p t", real=True)
    wave = a * sp.sin(w * p) + c * sp.cos(w * p)
    return (
        ordered(
            "read-out-is-bounded",
            a**2 + c**2,
            ">=",
            wave**2,
            Text(
                "whatever a linear layer reads off a pair stays within $\\sqrt{a^2 + c^2}$: the sum over all pairs has a "
                "ceiling, and a position does not",
                "线性层从一对特征里读出的任何量都不超过 $\\sqrt{a^2 + c^2}$：各对之和有上限，而位置没有",
            ),
            witness=(a * sp.cos(w * p) - c * sp.sin(w * p)) ** 2,
        ),
        popular_error(
            "defined-means-extrapolates",
            t + wave,
            p,
            Text(
                "'the formula is defined for every position, so the model extrapolates': a read-out that is right in "
                "training cannot go on being right",
                "“公式对任意位置都有定义，所以模型能外推”：训练范围内正确的读出不可能一直正确下去",
            ),
        ),
        equal(
            "curvature",
            sp.Derivative(wave, p, p),
            -(w**2) * wave,
            Text(
                "between two trained positions, on the other hand, it is smooth: no pair bends by more than "
                "$\\omega^2 \\sqrt{a^2 + c^2}$",
                "反过来，在两个训练过的位置之间它是光滑的：每一对的弯曲都不超过 $\\omega^2 \\sqrt{a^2 + c^2}$",
            ),
        ),
    )


def _remedies() -> tuple[Step, ...]:
    import sympy as sp

    b, d, L, M, q, s = sp.symbols("b d L L' q s", positive=True)
    w, p, h = sp.symbols("omega p h", real=True)

    def pe(at: Expr) -> Expr:
        return sp.ImmutableMatrix([sp.sin(w * at), sp.cos(w * at)])

    gap = pe(p + 2 * h) - pe(p)
    new_base = ntk_log_base(sp.log(b), sp.log(s), d)
    slowest = (d - 2) / d
    return (
        ordered(
            "interpolation-stays-inside",
            squeezed(M - q, L, M),
            "<",
            L,
            Text(
                "position interpolation, $p \\to p L / L'$: every position $L' - q$ of the longer sequence lands inside "
                "the trained range, so every phase was seen",
                "位置插值 $p \\to p L / L'$：更长序列中的每个位置 $L' - q$ 都落在训练范围内，所有相位都见过",
            ),
            witness=L * q / M,
        ),
        equal(
            "step",
            (gap.T * gap)[0],
            step_squared(sp.sin(w * h)),
            Text(
                "its price: neighbours are now $2h = L / L'$ apart, and their encodings that much closer",
                "代价：相邻位置的间距变成 $2h = L / L'$，它们的编码也相应靠近",
            ),
        ),
        equal(
            "ntk-slowest",
            slowest * new_base,
            slowest * sp.log(b) + sp.log(s),
            Text(
                "NTK-aware scaling changes the base to $b s^{d/(d-2)}$ (logarithms taken): the slowest pair, "
                "$i = d/2 - 1$, turns $s$ times slower, the fastest not at all, those between in between",
                "NTK-aware 缩放把底数改为 $b s^{d/(d-2)}$（两边取对数）：最慢的一对 $i = d/2 - 1$ 慢 $s$ 倍，最快的一对不变，其余介于两者之间",
            ),
        ),
        cited(
            "models-degrade",
            r"L' > L",
            Text(
                "in trained models: perplexity rises soon after the trained length with sinusoidal encodings and with RoPE, "
                "while ALiBi holds; interpolated RoPE needs a short fine-tuning",
                "在训练好的模型中：正弦编码与 RoPE 的困惑度在超过训练长度后不久就上升，ALiBi 则保持；插值后的 RoPE 只需少量微调",
            ),
            "Press et al. 2022, figure 1; Chen et al. 2023, section 3",
        ),
    )


def rates_at_test(p: Params) -> Array:
    """Angular frequencies that the longer sequence uses, as multiples of its own positions: (pairs,)."""
    d = 2 * p.pairs
    ntk = p.scheme == "ntk"
    base = math.exp(ntk_log_base(math.log(p.base), math.log(p.factor), d)) if ntk else p.base
    rates = np.asarray(angular_frequencies(d, base), dtype=np.float64)
    return rates * squeezed(1.0, 1.0, float(p.factor)) if p.scheme == "interpolated" else rates


def tested_positions(p: Params) -> Array:
    """Whole positions from the trained length to the end of the longer sequence."""
    return np.unique(np.linspace(p.trained, p.factor * p.trained - 1, TESTED).round())


def unseen(phases: Array, rates: Array, trained: int) -> NDArray[np.bool_]:
    """Which phases in [0, 2 pi) lie more than one step from all those that ``trained`` positions reach."""
    step = rates * MARGIN
    # trained phases run from 0 to (L - 1) omega; where that is a whole turn nothing is new
    return (phases - (trained - 1) * rates > step) & (2 * np.pi - phases > step)


def predict(p: Params) -> Results:
    rates = angular_frequencies(2 * p.pairs, p.base)
    bound = complete_pairs(p.trained, 2 * p.pairs, math.log(p.base), math.log(p.trained / (2 * math.pi)))
    phases = np.outer(tested_positions(p), rates_at_test(p)) % (2 * np.pi)
    new = unseen(phases, np.asarray(rates), p.trained)
    return {
        "incomplete_pairs": p.pairs - min(p.pairs, max(0, math.floor(bound) + 1)),
        "unseen_by_pair": new.mean(axis=0),
        "unseen_share": float(new.mean()),
        "unseen_phases": int(new.sum()),
        "boundary": bound,
        "neighbour_step": math.sqrt(step_squared(np.sin(rates_at_test(p) / 2)).sum()),
    }


def encode(p: Params, positions: Array, scheme: str) -> Array:
    """The encodings (n, d) that a model trained on the first positions receives at these ones."""
    d, length = 2 * p.pairs, p.factor * p.trained
    base = ntk_aware_base(p.base, p.factor, d) if scheme == "ntk" else p.base
    if scheme == "interpolated":
        positions = np.asarray(interpolated_positions(positions, p.trained, length), dtype=np.float64)
    return np.asarray(sinusoidal_encoding(positions, d, base=base), dtype=np.float64)


def fit_readout(encodings: Array, positions: Array) -> tuple[Array, float]:
    """Weights and intercept of the linear layer that reads the position, by ridge regression."""
    centre = positions.mean()
    mean = encodings.mean(axis=0)
    X = encodings - mean
    # (X^T X + lambda I) w = X^T (p - mean p)
    weights: Array = np.linalg.solve(X.T @ X + RIDGE * np.eye(X.shape[1]), X.T @ (positions - centre))
    return weights, float(centre - mean @ weights)


def nearest_trained(phases: Array, trained: Array) -> Array:
    """Distance on the circle from each phase (n, pairs) to the nearest trained one (L, pairs) of its pair."""
    found = np.empty_like(phases)
    for pair, (asked, known) in enumerate(zip(phases.T, np.sort(trained.T, axis=1), strict=True)):
        at = np.searchsorted(known, asked)
        below, above = known[at - 1], known[at % len(known)]
        # index -1 and the wrap at the end are the neighbours across the ends of the circle
        found[:, pair] = np.minimum((asked - below) % (2 * np.pi), (above - asked) % (2 * np.pi))
    return found


def phases_of(encodings: Array) -> Array:
    """The angle of each pair in [-pi, pi]: (n, d) to (n, d/2)."""
    sine, cosine = split_pairs(encodings, "interleaved")
    return np.asarray(np.arctan2(sine, cosine), dtype=np.float64)


def learned_table_ends(trained: int) -> bool:
    """Whether a learned table refuses the first position that it was not trained on."""
    table = np.zeros((trained, 1))
    learned_encoding(table, trained - 1)
    try:
        learned_encoding(table, trained)
    except ValueError:
        return True
    return False


def measure(p: Params, rng: np.random.Generator) -> Results:
    inside, outside = np.arange(p.trained + 1.0), tested_positions(p)
    encodings = encode(p, inside, "plain")
    weights, intercept = fit_readout(encodings[:-1], inside[:-1])
    errors = encodings[:-1] @ weights + intercept - inside[:-1]

    phases = phases_of(encodings)
    turns = np.mod(np.diff(phases, axis=0), 2 * np.pi).sum(axis=0)
    rates = turns / p.trained
    beyond = {scheme: encode(p, outside, scheme) for scheme in SCHEMES}
    distances = nearest_trained(phases_of(beyond[p.scheme]), phases[:-1])
    new = distances > rates * MARGIN

    # one step of the longer sequence, at its start
    first, second = encode(p, np.array([0.0, 1.0]), p.scheme)
    a, c = split_pairs(weights, "interleaved")
    amplitudes = np.hypot(a, c)
    read = {scheme: beyond[scheme] @ weights + intercept for scheme in SCHEMES}
    within, plain = math.sqrt(np.mean(errors**2)), read["plain"] - outside
    return {
        "incomplete_pairs": int((turns < 2 * np.pi).sum()),
        "unseen_by_pair": new.mean(axis=0),
        "unseen_share": float(new.mean()),
        "unseen_phases": int(new.sum()),
        "neighbour_step": float(np.linalg.norm(second - first)),
        "ceiling": float(abs(intercept) + amplitudes.sum()),
        "highest_reading": float(max(np.abs(reading).max() for reading in read.values())),
        "last_error": float(abs(plain[-1])),
        "rms_within": within,
        "rms_beyond": math.sqrt(np.mean(plain**2)),
        "ratio": math.sqrt(np.mean(plain**2)) / within,
        "largest_within": float(np.abs(errors).max()),
        "bend": float((amplitudes * rates**2).sum()),
        "interpolated_error": float(np.abs(read["interpolated"] - outside / p.factor).max()),
        "learned_table_ends": learned_table_ends(p.trained),
        "positions": outside,
        "within": inside[:-1] + errors,
        "plain": read["plain"],
        "rescaled": read["interpolated"] * p.factor,
    }


def check(p: Params, predicted: Results, results: Results) -> tuple[Check, ...]:
    counted = Text("exact count", "精确计数")
    last = float(results["positions"][-1])
    # |w| times the rounding of its sum
    rounding = 8 * ROUNDING * p.pairs * results["ceiling"]
    return (
        Check(
            "incomplete-pairs",
            Text("pairs that never complete a turn in training", "训练中从未转满一圈的对数"),
            predicted=predicted["incomplete_pairs"],
            measured=results["incomplete_pairs"],
            tolerance=0.0,
            law=counted,
        ),
        Check(
            "unseen-phases",
            Text(
                "phases beyond the trained length that no training position had",
                "超出训练长度后，训练时从未出现过的相位数",
            ),
            predicted=predicted["unseen_phases"],
            measured=results["unseen_phases"],
            tolerance=0.0,
            law=Text(
                "exact count, by a search among the trained phases", "精确计数：在训练过的相位中逐一查找"
            ),
        ),
        Check(
            "under-the-ceiling",
            Text("the highest position that the read-out ever gives", "读出层给出过的最大位置"),
            predicted=results["ceiling"],
            measured=results["highest_reading"],
            tolerance=rounding,
            law=Text(
                "Cauchy-Schwarz on each pair, with the fitted weights",
                "对每一对用柯西–施瓦茨不等式，取拟合出的权重",
            ),
            relation="<=",
        ),
        Check(
            "cannot-follow",
            Text("error of the read-out at the last position", "最后一个位置上的读出误差"),
            predicted=last - results["ceiling"],
            measured=results["last_error"],
            tolerance=rounding,
            law=Text("the position less the ceiling", "位置减去上限"),
            relation=">=",
        ),
        Check(
            "interpolated-read-out",
            Text("largest error of the read-out at interpolated positions", "插值位置上读出的最大误差"),
            # a line through two trained readings, up to one step past the last, and the bend in between
            predicted=3 * results["largest_within"] + results["bend"],
            measured=results["interpolated_error"],
            tolerance=rounding,
            law=Text(
                "linear interpolation: three times the trained error, and the bend of the read-out",
                "线性插值：训练误差的三倍，加上读出函数的弯曲",
            ),
            relation="<=",
        ),
        Check(
            "neighbour-step",
            Text("distance of the encodings of two neighbours", "相邻两个位置的编码之距"),
            predicted=predicted["neighbour_step"],
            measured=results["neighbour_step"],
            tolerance=16 * ROUNDING * math.sqrt(p.pairs),
            law=Text("exact identity, up to rounding", "精确恒等式，只容许舍入误差"),
        ),
        Check(
            "learned-table-ends",
            Text("a learned table has no row for the next position", "可学习的表没有下一个位置的行"),
            predicted=1.0,
            measured=float(results["learned_table_ends"]),
            tolerance=0.0,
            law=Text("exact: there is a row or there is none", "精确：要么有这一行，要么没有"),
        ),
    )


SCHEMES = {
    "plain": Text("as they are", "原样使用"),
    "interpolated": Text("interpolated", "位置插值"),
    "ntk": Text("NTK-aware base", "NTK-aware 底数"),
}


def figures(p: Params, predicted: Results, results: Results) -> tuple[Figure, ...]:
    outside = results["positions"]
    few = np.linspace(0, p.trained - 1, 64).astype(int)
    ends = np.array([0.0, outside[-1]])
    pairs = np.arange(float(p.pairs))
    return (
        Plot(
            Text("Position read from the encoding", "从编码读出的位置"),
            Text(
                "right up to the trained length, then pinned under its ceiling; with interpolated positions it follows",
                "在训练长度以内正确，之后被压在上限之下；换成插值位置就跟得上",
            ),
            Axis(Text("position", "位置")),
            Axis(Text("read", "读出值")),
            (
                Line(Text("truth", "真值"), ends, ends, "predicted"),
                Points(
                    Text("in training", "训练范围内"), few.astype(float), results["within"][few], "measured"
                ),
                Points(Text("beyond", "超出"), outside, results["plain"], "other"),
                Points(
                    Text("beyond, interpolated", "超出，插值"),
                    outside[::8],
                    results["rescaled"][::8],
                    "measured",
                ),
                Rule(Text("ceiling", "上限"), results["ceiling"], "y", "bound"),
                Rule(Text("trained length", "训练长度"), float(p.trained), "x", "context"),
            ),
        ),
        Plot(
            Text("Phases that training never showed", "训练中从未出现的相位"),
            Text(
                "pairs left of the boundary have been all round the circle; those right of it meet new phases unless the "
                "positions are interpolated",
                "边界左侧的各对早已转遍整圈；右侧的各对会遇到新相位，除非对位置做插值",
            ),
            Axis(Text("pair i", "第 i 对")),
            Axis(Text("share of positions", "位置占比"), low=0.0, high=1.0),
            (
                Line(Text("predicted", "预测"), pairs, predicted["unseen_by_pair"], "predicted"),
                Points(Text("measured", "实测"), pairs, results["unseen_by_pair"], "measured"),
                Rule(Text("boundary", "边界"), predicted["boundary"], "x", "context"),
            ),
        ),
    )


DEMO = Demonstration(
    id="D30",
    name="length-extrapolation",
    title=Text("Beyond the trained length", "超出训练长度"),
    shows=Text(
        "past the trained length the slow pairs of a sinusoidal encoding or of RoPE meet phases never seen, and what was "
        "learnt from them fails; interpolating the positions keeps every phase in the trained range",
        "超过训练长度后，正弦编码或 RoPE 的慢对会遇到从未见过的相位，从中学到的东西随之失效；对位置做插值可使所有相位留在训练范围内",
    ),
    kills=Text("sinusoidal encodings and RoPE extrapolate", "正弦编码和 RoPE 可以外推"),
    parameters=(
        Parameter("pairs", r"d/2", Text("pairs of features", "特征的对数"), 64, 8, 64, 1.0, "int", "log"),
        Parameter("trained", "L", Text("trained length", "训练长度"), 2048, 64, 4096, 1.0, "int", "log"),
        Parameter(
            "factor",
            "s",
            Text("length at test over trained length", "测试长度与训练长度之比"),
            2,
            2,
            8,
            1.0,
            "int",
        ),
        Parameter(
            "base", "b", Text("base of the wavelengths", "波长的底数"), 1e4, 1e3, 1e6, 1.0, scale="log"
        ),
        Parameter(
            "scheme",
            r"\text{scheme}",
            Text("positions of the longer sequence", "更长序列的位置"),
            "plain",
            kind="choice",
            choices=tuple(Choice(name, label) for name, label in SCHEMES.items()),
        ),
    ),
    derive=derive,
    predict=predict,
    measure=measure,
    check=check,
    figures=figures,
    headline=Headline(
        "incomplete_pairs",
        Text("pairs that never complete a turn in training", "训练中从未转满一圈的对数"),
        Text("pairs", "对"),
        0.0,
        64.0,
    ),
)
