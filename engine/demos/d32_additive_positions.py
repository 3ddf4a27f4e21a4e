"""D32: adding positions to tokens: four score terms, and the scale that decides which of them counts.

Vaswani et al. 2017, section 3.4 (embeddings times the square root of d_model) and 3.5; He et al. 2021 (DeBERTa),
section 3.1 (terms kept apart); Ke et al. 2021 (TUPE), section 3.1.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from engine.demonstration import (
    Array,
    Check,
    Choice,
    Demonstration,
    Headline,
    Parameter,
    Params,
    Results,
    Samples,
)
from engine.deviation import (
    ALARM,
    HIGHEST_ORDER,
    chi_square_band,
    cumulants_from_moments,
    moment_band,
    moments_from_cumulants,
    variance_band,
)
from engine.figure import Axis, Bar, Bars, Figure, Line, Plot, Points, Rule
from engine.nn.position import sinusoidal_encoding
from engine.proof.step import Expr, Step, cited, defined, equal, exhausted, popular_error
from engine.text import Text, same

LENGTH, ROWS, MOST_HEADS = 4096, 64, 8192
"""Positions are drawn from so many; tokens and positions on each side; heads at most."""
SMALL = 0.02
"""Standard deviation of BERT's and GPT-2's initial embeddings."""


# The formulas: the proof checks them with SymPy symbols, the prediction evaluates them with numbers.
def term_variance(at_query: Expr, at_key: Expr) -> Expr:
    """Variance of one score term, from the mean squares of the components on the two sides."""
    return at_query * at_key


def position_share(token: Expr, position: Expr) -> Expr:
    """Share of the score's variance owed to positions alone, from the mean squares of token and position."""
    return position**2 / (token + position) ** 2


def disentangled_variance(d_k: Expr) -> Expr:
    """Variance of DeBERTa's three terms added up, from components of variance one."""
    return 3 * d_k


def derive() -> tuple[Step, ...]:
    return (*_expansion(), *_scale(), *_apart())


def _expansion() -> tuple[Step, ...]:
    import sympy as sp

    from engine.proof.moments import Expectation, Variance

    d = sp.Symbol("d", integer=True, positive=True)
    x, p, y, r = (sp.MatrixSymbol(letter, 1, d) for letter in "xpyr")
    W = sp.MatrixSymbol("W", d, d)
    T, P = sp.symbols("T P", positive=True)
    u, v = sp.symbols("u v", real=True)
    a, b = sp.symbols("a_1:4", real=True), sp.symbols("b_1:3", real=True)
    x_i, y_i, r_i = (
        sp.symbols("x_1:4", real=True),
        sp.symbols("y_1:3", real=True),
        sp.symbols("r_1:3", real=True),
    )
    weights = dict.fromkeys(a, (0, 1 / d))
    centred = {**dict.fromkeys(b, (0, 1 / d)), **dict.fromkeys(y_i, (0, T))}
    return (
        equal(
            "four-terms",
            sp.MatMul(x + p, W, sp.Transpose(y + r)),
            sp.MatAdd(x * W * y.T, x * W * r.T, p * W * y.T, p * W * r.T),
            Text(
                "tokens $x, y$ with positions $p, r$ added, $W = W_Q W_K^\\top$: content with content, content with "
                "position, position with content, position with position",
                "词元 $x, y$ 加上位置 $p, r$，$W = W_Q W_K^\\top$：内容对内容、内容对位置、位置对内容、位置对位置",
            ),
        ),
        equal(
            "projected",
            Variance(sum(weight * entry for weight, entry in zip(a, x_i, strict=True)), weights),
            sum(entry**2 for entry in x_i) / d,
            Text(
                "a fresh projection, weights of variance $1/d$, turns a vector into a number whose variance is the mean "
                "square of its components (three shown)",
                "新初始化的投影，权重方差为 $1/d$，把向量变成一个数，其方差等于各分量的均方（这里写出三个）",
            ),
            bound="d=3",
        ),
        equal(
            "one-term",
            Variance(u * v, {u: (0, T), v: (0, P)}),
            term_variance(T, P),
            Text(
                "a term is the product of two such numbers, one from the query's side and one from the key's: mean squares "
                "multiply",
                "一个项是两个这样的数之积，一个来自 query 一侧，一个来自 key 一侧：均方相乘",
            ),
        ),
        equal(
            "uncorrelated",
            Expectation(
                sum(weight * entry for weight, entry in zip(b, y_i, strict=True))
                * sum(weight * entry for weight, entry in zip(b, r_i, strict=True)),
                centred,
            ),
            sp.Integer(0),
            Text(
                "the terms share projections, yet a token of mean zero makes them uncorrelated: their variances add",
                "各项共用投影，但词元均值为零使它们互不相关：方差相加",
            ),
            bound="d=2",
        ),
    )


def _scale() -> tuple[Step, ...]:
    import sympy as sp

    d, T, P, c = sp.symbols("d T P c", positive=True)
    angle = sp.Symbol("theta", real=True)
    half = sp.Rational(1, 2)
    total = term_variance(T, T) + 2 * term_variance(T, P) + term_variance(P, P)
    return (
        equal(
            "position-mean-square",
            (sp.sin(angle) ** 2 + sp.cos(angle) ** 2) / 2,
            half,
            Text(
                "a sinusoidal encoding has mean square $P = 1/2$ at every position and width",
                "正弦编码在任何位置、任何宽度下均方都是 $P = 1/2$",
            ),
        ),
        equal(
            "share",
            term_variance(P, P) / total,
            position_share(T, P),
            Text(
                "what the positions alone have of the score's variance depends on $P / T$ and on nothing else",
                "分数的方差里只来自位置的比例，只取决于 $P / T$",
            ),
        ),
        equal(
            "unscaled",
            sp.Limit(position_share(1 / d, half), d, sp.oo),
            sp.Integer(1),
            Text(
                "tokens drawn with variance $1/d$ and added as they are drown: the score compares places, not words",
                "词元的方差为 $1/d$ 又直接相加，就被淹没：分数比较的是位置而不是词",
            ),
        ),
        exhausted(
            "scaled",
            position_share(T, P),
            "=",
            sp.Rational(1, 9),
            Text(
                "multiplied by $\\sqrt{d}$ first, as in the paper, they have mean square one; so has an embedding drawn "
                "with variance one: a ninth",
                "像论文那样先乘以 $\\sqrt{d}$，均方为 1；按方差 1 初始化的嵌入也是如此：占九分之一",
            ),
            over=[{T: sp.Integer(1), P: half}],
            bound="T=1, P=1/2",
        ),
        equal(
            "scaled-twice",
            sp.Limit(position_share(d, half), d, sp.oo),
            sp.Integer(0),
            Text(
                "but both at once, variance one and the factor $\\sqrt{d}$, silence the positions",
                "但两者同时用，方差 1 又乘 $\\sqrt{d}$，位置就没了声音",
            ),
        ),
        popular_error(
            "just-add",
            position_share(sp.Integer(1), half),
            position_share(1 / d, half),
            Text(
                "'just add them': the two common initialisations give the positions very different weight",
                "“直接相加就行”：两种常见的初始化给位置的分量大不相同",
            ),
        ),
        equal(
            "normalising-later",
            position_share(c * T, c * P),
            position_share(T, P),
            Text(
                "a LayerNorm after the sum multiplies both alike and cannot repair the ratio",
                "相加之后再做 LayerNorm，两者同乘一个数，改不了比例",
            ),
        ),
        exhausted(
            "learned-alike",
            position_share(T, P),
            "=",
            sp.Rational(1, 4),
            Text(
                "learned positions drawn like the tokens, as in BERT and GPT-2, start with a quarter whatever the scale",
                "像 BERT、GPT-2 那样把可学习位置与词元同样初始化，起点总是四分之一，与尺度无关",
            ),
            over=[{T: P}],
            bound="T=P",
        ),
    )


def _apart() -> tuple[Step, ...]:
    import sympy as sp

    from engine.proof.moments import Variance

    d = sp.Symbol("d", integer=True, positive=True)
    i = sp.Symbol("i", integer=True, positive=True)
    q, k, s, u = sp.symbols("q_i k_i s_i u_i", real=True)
    unit = dict.fromkeys((q, k, s, u), (0, 1))
    x, p = sp.symbols("x_1:3", real=True), sp.symbols("p_1:3", real=True)
    w, v = sp.symbols("w_1:3", real=True), sp.symbols("v_1:3", real=True)
    three = q * k + q * s + k * u
    return (
        equal(
            "concatenated",
            sp.MatMul(sp.ImmutableMatrix([[*x, *p]]), sp.ImmutableMatrix([*w, *v]), evaluate=False),
            sp.MatAdd(
                sp.ImmutableMatrix([[*x]]) * sp.ImmutableMatrix([*w]),
                sp.ImmutableMatrix([[*p]]) * sp.ImmutableMatrix([*v]),
            ),
            Text(
                "concatenating instead is adding after two projections: wider, and free to give each its own",
                "改用拼接，等于各自投影之后再相加：更宽，但各有各的投影",
            ),
            bound="d=2",
        ),
        defined(
            "disentangled",
            r"A_{ij} = q_i \cdot k_j + q_i \cdot s_{\delta(i,j)} + k_j \cdot u_{\delta(j,i)}",
            Text(
                "DeBERTa keeps three terms apart, with relative positions $s, u$ projected on their own",
                "DeBERTa 把三项分开，相对位置 $s, u$ 有自己的投影",
            ),
        ),
        equal(
            "three-terms",
            sp.Sum(Variance(three, unit), (i, 1, d)),
            disentangled_variance(d),
            Text(
                "the three share $q$ and $k$ but are uncorrelated, so for components of variance one the variances add",
                "三项共用 $q$ 与 $k$，但互不相关，所以各分量方差为 1 时方差相加",
            ),
        ),
        popular_error(
            "old-scale-suffices",
            sp.Sum(Variance(three / sp.sqrt(d), unit), (i, 1, d)),
            sp.Integer(1),
            Text(
                "'dividing by $\\sqrt{d}$ is enough': it leaves three; hence $\\sqrt{3d}$",
                "“除以 $\\sqrt{d}$ 就够了”：还剩 3，所以要除以 $\\sqrt{3d}$",
            ),
        ),
        cited(
            "kept-apart",
            r"x W_Q W_K^\top y^\top + p\, U_Q U_K^\top r^\top",
            Text(
                "TUPE drops the mixed terms and gives positions projections of their own; RoPE and relative biases add "
                "nothing to the embeddings at all",
                "TUPE 去掉交叉项，给位置单独的投影；RoPE 与相对位置偏置则根本不往嵌入上加东西",
            ),
            "Ke et al. 2021, equation 7",
        ),
    )


def token_square(init: str, multiply: str, d: float) -> float:
    """Mean square of a token's component as it meets the position."""
    variance = {"unit": 1.0, "fan": 1 / d, "small": SMALL**2}[init]
    return variance * d if multiply == "yes" else variance


def position_square(positions: str, init: str, d: float) -> float:
    return 0.5 if positions == "sinusoidal" else token_square(init, "no", d)


def predict(p: Params) -> Results:
    token, position = (
        token_square(p.init, p.multiply, width(p)),
        position_square(p.positions, p.init, width(p)),
    )
    terms = {
        "content_content": term_variance(token, token),
        "content_position": term_variance(token, position),
        "position_content": term_variance(position, token),
        "position_position": term_variance(position, position),
    }
    return {
        **terms,
        "token_rms": math.sqrt(token),
        "position_rms": math.sqrt(position),
        "position_share": position_share(token, position),
        "disentangled": disentangled_variance(width(p)) / (3 * width(p)),
    }


Singles = NDArray[np.float32]


def width(p: Params) -> int:
    return 2 * int(p.pairs)


def draw_tokens(p: Params, rng: np.random.Generator, rows: int) -> Singles:
    """Embeddings (rows, d) as they are added to the positions."""
    deviation = {"unit": 1.0, "fan": width(p) ** -0.5, "small": SMALL}[p.init]
    factor = math.sqrt(width(p)) if p.multiply == "yes" else 1.0
    return rng.standard_normal((rows, width(p)), dtype=np.float32) * np.float32(deviation * factor)


def draw_positions(p: Params, rng: np.random.Generator, rows: int) -> Singles:
    """Position vectors (rows, d): rows of a sinusoidal table, or learned ones as they are initialised."""
    if p.positions == "sinusoidal":
        places = rng.integers(LENGTH, size=rows)
        return sinusoidal_encoding(places, width(p)).astype(np.float32)
    deviation = {"unit": 1.0, "fan": width(p) ** -0.5, "small": SMALL}[p.init]
    return rng.standard_normal((rows, width(p)), dtype=np.float32) * np.float32(deviation)


def draw_heads(p: Params, rng: np.random.Generator, heads: int) -> Singles:
    """A column of W_Q or W_K for each head: (heads, d), variance 1/d."""
    columns = rng.standard_normal((heads, width(p)), dtype=np.float32)
    columns *= np.float32(width(p) ** -0.5)
    return columns


def projected_squares(vectors: Singles, heads: Singles) -> Array:
    """For each head the mean square of the vectors' projections: (heads,)."""
    numbers = vectors @ heads.T  # (rows, heads)
    return np.einsum("nh,nh->h", numbers, numbers).astype(np.float64) / len(vectors)


def mean_square(values: Singles | Array) -> float:
    return float(np.square(values, dtype=np.float64).mean())


def measure(p: Params, rng: np.random.Generator) -> Results:
    heads = min(MOST_HEADS, max(ROWS, p.samples // (2 * width(p))))
    tokens, positions = (
        tuple(draw(p, rng, ROWS) for _ in ("query", "key")) for draw in (draw_tokens, draw_positions)
    )
    W_q, W_k = draw_heads(p, rng, heads), draw_heads(p, rng, heads)
    content_q, position_q = projected_squares(tokens[0], W_q), projected_squares(positions[0], W_q)
    content_k, position_k = projected_squares(tokens[1], W_k), projected_squares(positions[1], W_k)
    # mean square of a term over every query, key and head: within a head it is a product of the two sides' means
    squares = {
        "content_content": float((content_q * content_k).mean()),
        "content_position": float((content_q * position_k).mean()),
        "position_content": float((position_q * content_k).mean()),
        "position_position": float((position_q * position_k).mean()),
    }

    # the heads' columns, brought to variance one, serve as DeBERTa's contents q, k and positions s, u
    half = heads // 2
    q, s, k, u = (
        part * np.float32(width(p) ** 0.5) for W in (W_q, W_k) for part in (W[:half], W[half : 2 * half])
    )
    three = np.einsum("nd,nd->n", q, k) + np.einsum("nd,nd->n", q, s) + np.einsum("nd,nd->n", k, u)
    return {
        "heads": heads,
        "draws": half,
        "content_spectrum": np.array([spectrum(side) for side in tokens]),
        "position_spectrum": np.array([spectrum(side) for side in positions]),
        **squares,
        "position_share": squares["position_position"] / sum(squares.values()),
        "token_rms": math.sqrt(mean_square(np.concatenate(tokens))),
        "position_rms": math.sqrt(mean_square(np.concatenate(positions))),
        "disentangled": mean_square(three) / (3 * width(p)),
    }


def spectrum(vectors: Singles) -> Array:
    """Eigenvalues of the vectors' Gram matrix, scaled to sum to one: (rows,)."""
    values = np.linalg.eigvalsh((vectors @ vectors.T).astype(np.float64))
    return np.asarray(values / values.sum())


def square_moments(values: Array) -> list[float]:
    """Moments of :func:`projected_squares`, in units of its mean, over random heads, from the vectors' spectrum.

    A quadratic form in normals: kappa_r = 2^{r-1} (r-1)! sum lambda^r.
    """
    # smaller ones change no digit and underflow
    large = values[values > 1e-12]
    return moments_from_cumulants(
        [
            float(2.0 ** (r - 1) * math.factorial(r - 1) * (large**r).sum())
            for r in range(1, HIGHEST_ORDER + 1)
        ]
    )


def disentangled_cumulants(d: int) -> list[float]:
    """Cumulants of q·k + q·s + k·u of standard normal vectors of width d: a quadratic form.

    kappa_r = d 2^{r-1} (r-1)! tr A^r (Mathai, Provost 1992, section 3.2b), A the path s, q, k, u with weights 1/2.
    """
    values = (np.array([1, -1, 1, -1]) * math.sqrt(5) + np.array([1, 1, -1, -1])) / 4
    return [
        float(d * 2.0 ** (r - 1) * math.factorial(r - 1) * (values**r).sum())
        for r in range(1, 2 * HIGHEST_ORDER + 1)
    ]


TERMS = {
    "content_content": Text("content with content", "内容对内容"),
    "content_position": Text("content with position", "内容对位置"),
    "position_content": Text("position with content", "位置对内容"),
    "position_position": Text("position with position", "位置对位置"),
}


def check(p: Params, predicted: Results, results: Results) -> tuple[Check, ...]:
    learned = p.positions == "learned"
    single = float(np.finfo(np.float32).eps)
    # chi-square of ROWS d numbers, for the vectors of one side
    drawn = chi_square_band(ROWS * width(p))
    moments = {
        (kind, side): square_moments(results[f"{kind}_spectrum"][side])
        for kind in ("content", "position")
        for side in (0, 1)
    }
    bands: dict[str, float] = {}
    for name in TERMS:
        at_query, at_key = name.split("_")
        product = [m * n for m, n in zip(moments[at_query, 0], moments[at_key, 1], strict=True)]
        over_heads = moment_band(cumulants_from_moments(product), results["heads"])
        # and the vectors' own sizes, which the heads multiply
        sizes = [1 + (drawn if kind == "content" or learned else 0.0) for kind in (at_query, at_key)]
        bands[name] = predicted[name] * (math.prod(sizes) * (1 + over_heads + 64 * single) - 1)
    # the share at the worst corner of the four bands
    most, least = (
        {name: max(0.0, predicted[name] + sign * bands[name]) for name in TERMS} for sign in (1, -1)
    )
    pp = "position_position"
    others_most, others_least = (sum(side[name] for name in TERMS if name != pp) for side in (most, least))
    centre = predicted[pp] / sum(predicted[name] for name in TERMS)
    share_band = max(
        most[pp] / (most[pp] + others_least) - centre, centre - least[pp] / (least[pp] + others_most)
    )
    rms_band = chi_square_band(2 * ROWS * width(p)) / 2 + 4 * single

    return (
        *(
            Check(
                name.replace("_", "-"),
                Text(f"mean square of the term {label.en}", f"{label.zh}一项的均方"),
                predicted=predicted[name],
                measured=results[name],
                tolerance=bands[name],
                law=Text(
                    "Markov's inequality on the exact moments of a mean over heads, and the chi-square law of the vectors",
                    "对各头均值的精确高阶矩用马尔可夫不等式，加上向量长度的卡方分布",
                ),
                false_alarm=3 * ALARM,
            )
            for name, label in TERMS.items()
        ),
        Check(
            "positions-share",
            Text("share of the score's variance owed to positions alone", "分数方差中只来自位置的比例"),
            predicted=predicted["position_share"],
            measured=results["position_share"],
            tolerance=share_band,
            law=Text("the bands of the four terms together", "四项误差带的合成"),
            false_alarm=9 * ALARM,
        ),
        Check(
            "token-size",
            Text("root mean square of a token's components", "词元各分量的均方根"),
            predicted=predicted["token_rms"],
            measured=results["token_rms"],
            tolerance=predicted["token_rms"] * rms_band,
            law=Text("chi-square law of a sum of squares", "平方和的卡方分布"),
            false_alarm=ALARM,
        ),
        Check(
            "position-size",
            Text("root mean square of a position's components", "位置向量各分量的均方根"),
            predicted=predicted["position_rms"],
            measured=results["position_rms"],
            tolerance=predicted["position_rms"] * (rms_band if learned else 4 * single),
            law=Text("chi-square law of a sum of squares", "平方和的卡方分布")
            if learned
            else Text(
                "exact: sin² + cos² = 1, up to the rounding of float32",
                "精确：sin² + cos² = 1，只容许 float32 的舍入",
            ),
            false_alarm=ALARM if learned else 0.0,
        ),
        Check(
            "three-terms-scaled",
            Text("variance of DeBERTa's three terms over $3d$", "DeBERTa 三项之和的方差除以 $3d$"),
            predicted=predicted["disentangled"],
            measured=results["disentangled"],
            tolerance=variance_band(disentangled_cumulants(width(p)), results["draws"]) / (3 * width(p)),
            law=Text(
                "Markov's inequality on the exact moments of a sample variance",
                "对样本方差的精确高阶矩用马尔可夫不等式",
            ),
            false_alarm=2 * ALARM,
        ),
    )


SCHEMES = (
    ("fan", "no", Text("variance 1/d, as they are", "方差 1/d，直接相加"), "popular"),
    ("fan", "yes", Text("variance 1/d, times √d", "方差 1/d，乘 √d"), "predicted"),
    ("unit", "yes", Text("variance 1, times √d", "方差 1，乘 √d"), "context"),
)


def figures(p: Params, predicted: Results, results: Results) -> tuple[Figure, ...]:
    total, measured_total = (sum(side[name] for name in TERMS) for side in (predicted, results))
    widths: Array = np.logspace(4, 10, 25, base=2)
    return (
        Bars(
            Text("What the score is made of", "分数由什么构成"),
            Text(
                "shares of the score's variance: where the positions are the larger vectors, the score compares places",
                "各项占分数方差的比例：若位置向量更大，分数比较的就是位置",
            ),
            Axis(Text("share of the variance", "方差占比"), low=0.0, high=1.0),
            tuple(
                bar
                for name, label in TERMS.items()
                for bar in (
                    Bar(label, results[name] / measured_total, "measured"),
                    Bar(Text("predicted", "预测"), predicted[name] / total, "predicted"),
                )
            ),
        ),
        Plot(
            Text("Share of the positions against the width", "位置占比随宽度的变化"),
            Text(
                "with sinusoidal positions: a ninth where tokens have mean square one, everything or nothing elsewhere",
                "正弦位置编码：词元均方为 1 时占九分之一，否则不是占尽就是归零",
            ),
            Axis(same("d"), "log"),
            Axis(Text("share", "占比"), low=0.0, high=1.0),
            (
                *(
                    Line(
                        label,
                        widths,
                        np.array([position_share(token_square(init, multiply, d), 0.5) for d in widths]),
                        role,  # type: ignore[arg-type]
                    )
                    for init, multiply, label, role in SCHEMES
                ),
                Points(
                    Text("measured", "实测"),
                    np.array([float(width(p))]),
                    np.array([results["position_share"]]),
                    "measured",
                ),
                Rule(Text("learned like the tokens", "与词元同样初始化的可学习位置"), 0.25, "y", "context"),
            ),
        ),
    )


DEMO = Demonstration(
    id="D32",
    name="additive-positions",
    title=Text("Positions added to tokens", "把位置加到词元上"),
    shows=Text(
        "adding positions splits the score into four terms; whether it compares words or places is decided by the scale of "
        "the embeddings: tokens of variance $1/d$ drown unless multiplied by $\\sqrt{d}$",
        "相加把分数分成四项；它比较的是词还是位置，由嵌入的尺度决定：方差 $1/d$ 的词元若不乘以 $\\sqrt{d}$ 就会被淹没",
    ),
    kills=Text("just add the position vector to the embedding", "把位置向量直接加到嵌入上就行"),
    parameters=(
        Parameter(
            "pairs",
            "d/2",
            Text("half the width of an embedding", "嵌入维度的一半"),
            256,
            8,
            512,
            1.0,
            "int",
            "log",
        ),
        Parameter(
            "init",
            r"\text{init}",
            Text("initial embeddings", "嵌入的初始化"),
            "fan",
            kind="choice",
            choices=(
                Choice("fan", Text("variance 1/d (Vaswani et al.)", "方差 1/d（Vaswani 等人）")),
                Choice("unit", Text("variance 1 (nn.Embedding)", "方差 1（nn.Embedding）")),
                Choice("small", Text("deviation 0.02 (BERT, GPT-2)", "标准差 0.02（BERT、GPT-2）")),
            ),
        ),
        Parameter(
            "multiply",
            r"\sqrt{d}",
            Text("tokens times √d before adding", "相加前把词元乘以 √d"),
            "no",
            kind="choice",
            choices=(Choice("no", Text("no", "否")), Choice("yes", Text("yes", "是"))),
        ),
        Parameter(
            "positions",
            "p",
            Text("positions", "位置向量"),
            "sinusoidal",
            kind="choice",
            choices=(
                Choice("sinusoidal", Text("sinusoidal", "正弦编码")),
                Choice("learned", Text("learned, drawn like the tokens", "可学习，与词元同样初始化")),
            ),
        ),
    ),
    derive=derive,
    predict=predict,
    measure=measure,
    check=check,
    figures=figures,
    headline=Headline(
        "position_share",
        Text("share of the score's variance owed to positions alone", "分数方差中只来自位置的比例"),
        Text("", ""),
        0.0,
        1.0,
    ),
    samples=Samples(rest=600_000),
)
