"""D51: what attention costs in the length, and where its quadratic part overtakes the rest of a layer.

Vaswani et al. 2017, section 4 and table 1; Rabe and Staats 2021; Dao et al. 2022. The polynomials are fitted to
multiplications counted in layers that run at small sizes, checked at a size that was not fitted, and read off at N and d.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from engine.demonstration import Check, Choice, Demonstration, Headline, Parameter, Params, Results
from engine.figure import Axis, Figure, Line, Plot, Points, Rule
from engine.nn import flash
from engine.nn.attention import scaled_dot_product_attention
from engine.nn.counted import Tally, counted
from engine.nn.mask import causal_mask
from engine.nn.recurrent import RNNWeights, rnn_forward
from engine.nn.softmax import Floats
from engine.nn.transformer import Linear, linear, new_encoder_layer
from engine.nn.transformer_layer import encoder_layer
from engine.proof.step import Expr, Step, cited, equal, exhausted, popular_error
from engine.text import Text, same

FITTED, HELD_BACK = ((3, 8), (7, 8)), (5, 12)
"""(length, width) of the layers that run: two fit the two coefficients, the third is foretold by them."""
LENGTHS = (64, 128)
"""At which memory is counted: twice the length tells linear from quadratic."""
ROWS, WIDTH = 32, 64
"""Tokens and width of the one matrix product whose arithmetic intensity is taken."""


# The formulas: the proof checks them with SymPy symbols, the prediction evaluates them with numbers.
def pair_products(N: Expr, d: Expr) -> Expr:
    """Multiplications between positions, of all heads together: scores, and weighted values."""
    return 2 * N**2 * d


def weight_products(N: Expr, d: Expr) -> Expr:
    """Multiplications with the weights of one layer of inner width 4d."""
    return 12 * N * d**2


def recurrent_products(N: Expr, d: Expr) -> Expr:
    """Multiplications of a plain RNN of the same width: input and state."""
    return 2 * N * d**2


def layer_crossover(d: Expr) -> Expr:
    """Length at which positions cost as much as weights."""
    return 6 * d


def pair_share(N: Expr, d: Expr) -> Expr:
    return N / (N + 6 * d)


def score_entries(N: Expr, h: Expr) -> Expr:
    return h * N**2


def causal_pairs(N: Expr) -> Expr:
    return N * (N + 1) / 2


def intensity(n: Expr, d: Expr, size: Expr) -> Expr:
    """FLOP a byte of n rows through a d × d matrix, each array moved once, ``size`` bytes an entry."""
    return 2 * n * d**2 / (size * (d**2 + 2 * n * d))


def derive() -> tuple[Step, ...]:
    return (*_work(), *_memory(), *_parallel())


def _work() -> tuple[Step, ...]:
    import sympy as sp

    N, d, h, i, j = (sp.Symbol(name, integer=True, positive=True) for name in ("N", "d", "h", "i", "j"))
    return (
        equal(
            "all-pairs",
            sp.Sum(1, (j, 1, N), (i, 1, N)),
            N**2,
            Text("every query meets every key", "每个 query 都与每个 key 做内积"),
        ),
        equal(
            "half-of-them",
            sp.Sum(1, (j, 1, i), (i, 1, N)),
            causal_pairs(N),
            Text("under a causal mask those up to itself: about half, still quadratic", "加因果掩码后只剩不晚于自身的 key：约一半，仍是平方级"),
        ),
        equal(
            "pair-work",
            sp.Sum(N**2 * (d / h) + N**2 * (d / h), (i, 1, h)),
            pair_products(N, d),
            Text("scores and weighted values of $h$ heads of width $d/h$: the number of heads cancels", "$h$ 个宽度为 $d/h$ 的头，各算分数与加权求和：头数消去"),
        ),
        equal(
            "matrix-work",
            4 * sp.UnevaluatedExpr(N * d**2) + 2 * sp.UnevaluatedExpr(N * d * (4 * d)),
            weight_products(N, d),
            Text("four projections, and a network of inner width $4d$", "四个投影，加上内部宽度 $4d$ 的前馈网络"),
        ),
        equal(
            "gap",
            pair_products(N, d) - weight_products(N, d),
            2 * N * d * (N - layer_crossover(d)),
            Text(
                "pairs cost $2N^2 d$ multiplications, the layer's matrices $12 N d^2$: they cross at $N = 6d$",
                "位置两两之间要 $2N^2 d$ 次乘法，层内矩阵要 $12 N d^2$ 次：在 $N = 6d$ 处相交",
            ),
        ),
        equal(
            "pair-share",
            pair_products(N, d) / (pair_products(N, d) + weight_products(N, d)),
            pair_share(N, d),
            Text("share of the quadratic part in a layer's work", "平方项占一层计算量的比例"),
        ),
        equal(
            "long",
            sp.Limit(pair_share(N, d), N, sp.oo),
            sp.Integer(1),
            Text("in the end it is everything", "足够长时它就是全部"),
        ),
        popular_error(
            "dominates-at-any-length",
            pair_products(N, d),
            weight_products(N, d),
            Text("'attention dominates at any length': below $6d$ the matrices do", "“无论多长都是注意力最贵”：短于 $6d$ 时矩阵更贵"),
            op=">",
        ),
        equal(
            "against-recurrence",
            pair_products(N, d) - recurrent_products(N, d),
            2 * N * d * (N - d),
            Text("against a recurrent layer of the same width the pairs, attention's projections aside, are cheaper only while $N < d$", "与同宽的循环层相比，不计投影，注意力的词元对只在 $N < d$ 时更便宜"),
        ),
    )  # fmt: skip


def _memory() -> tuple[Step, ...]:
    import sympy as sp

    N, d, h = (sp.Symbol(name, integer=True, positive=True) for name in ("N", "d", "h"))
    return (
        equal(
            "doubled-length",
            sp.UnevaluatedExpr(score_entries(2 * N, h)) / score_entries(N, h),
            sp.Integer(4),
            Text("twice the length, four times the scores", "长度翻倍，分数矩阵变四倍"),
        ),
        popular_error(
            "a-quarter-of-the-tokens",
            sp.UnevaluatedExpr(score_entries(N / 4, h)) / score_entries(N, h),
            sp.Rational(1, 4),
            Text(
                "'a quarter of the tokens has a quarter of the scores': it has a sixteenth",
                "“词元剩四分之一，分数也剩四分之一”：剩的是十六分之一",
            ),
        ),
        popular_error(
            "space-n2d",
            score_entries(N, h),
            N**2 * d,
            Text("'space is $N^2 d$, like time': a score is one number per head, $h N^2$ in all", "“空间和时间一样是 $N^2 d$”：每个头每对位置只有一个数，共 $h N^2$ 个"),
        ),
        exhausted(
            "one-head-128k",
            score_entries(N, 1),
            "=",
            sp.Integer(16_384_000_000),
            Text("one head at 128 000 tokens", "单头、十二万八千个词元"),
            over=({N: 128_000},),
            bound="N=128000",
        ),
        exhausted(
            "one-head-2-17",
            score_entries(N, 1),
            "=",
            sp.Integer(17_179_869_184),
            Text("or at 131,072, the binary 128K", "若按二进制的 128K，即 131,072 个词元"),
            over=({N: 131_072},),
            bound="N=131072",
        ),
        cited(
            "never-stored",
            r"\text{extra memory} = O(N)",
            Text("no modern kernel stores them: with an online softmax a row's sum and maximum are enough", "现代算子根本不存分数矩阵：用在线 softmax，每行只需一个和与一个最大值"),
            "Rabe and Staats 2021, section 2; Dao et al. 2022, theorem 1",
        ),
    )  # fmt: skip


def _parallel() -> tuple[Step, ...]:
    import sympy as sp

    n, d, b = (sp.Symbol(name, integer=True, positive=True) for name in ("n", "d", "b"))
    return (
        equal(
            "arithmetic-intensity",
            sp.Limit(intensity(n, d, b) / intensity(1, d, b), d, sp.oo),
            n,
            Text(
                "a matrix read once for $n$ tokens does $n$ times the work per byte that it does for one step of a recurrence",
                "矩阵读一次供 $n$ 个词元使用，每字节的计算量是循环单步的 $n$ 倍",
            ),
        ),
        cited(
            "why-it-won",
            r"O(1) \text{ against } O(N) \text{ sequential steps}",
            Text("in training; generation stays one token at a time, and whether that explains its success is debated", "这是训练时；生成仍是逐词元的，而这是否就是它胜出的原因尚有争议"),
            "Vaswani et al. 2017, table 1; Hooker 2020",
        ),
    )  # fmt: skip


def predict(p: Params) -> Results:
    N, d = p.N, p.d
    size = int(p.bytes)
    return {
        "pair_coefficient": pair_products(1, 1),
        "weight_coefficient": weight_products(1, 1),
        "recurrent_coefficient": recurrent_products(1, 1),
        "held_back": pair_products(*HELD_BACK) + weight_products(*HELD_BACK),
        "crossover": layer_crossover(d),
        "recurrent_crossover": d,
        "share": pair_share(N, d),
        "score_bytes": score_entries(N, p.h) * size,
        "score_entries": score_entries(N, p.h),
        "causal": causal_pairs(LENGTHS[0]),
        "intensity": intensity(ROWS, WIDTH, size),
        "intensity_one": intensity(1, WIDTH, size),
    }


def layer_work(n: int, d: int) -> int:
    """Multiplications in the matrix products of an encoder layer that runs on n tokens."""
    tally = Tally()
    layer = new_encoder_layer(d, 4 * d, lambda shape: counted(np.zeros(shape), tally))
    encoder_layer(np.zeros((n, d)), layer, 2)
    return tally.in_products


def recurrent_work(n: int, d: int) -> int:
    """The same of a recurrent layer."""
    tally = Tally()
    weights = RNNWeights(*(counted(np.zeros(shape), tally) for shape in ((d, d), (d, d), (d,))))
    rnn_forward(np.zeros((n, d)), np.zeros(d), weights)
    return tally.in_products


def fitted() -> tuple[float, float]:
    """a and b of a N² d + b N d², through the two fitted runs."""
    rows = np.array([[n**2 * d, n * d**2] for n, d in FITTED], dtype=float)
    a, b = np.linalg.solve(rows, np.array([layer_work(n, d) for n, d in FITTED], dtype=float))
    return float(a), float(b)


def score_array(n: int, heads: int, size: int) -> Floats:
    """The scores that attention holds, heads of width 1, in numbers of ``size`` bytes."""
    x = np.zeros((heads, n, 1), dtype=f"f{size}")
    return scaled_dot_product_attention(x, x, x, scale=1.0).scores


def extra_elements(run: flash.Algorithm) -> list[int]:
    """Elements that an attention algorithm keeps in memory beyond its inputs and output, at both lengths."""
    return [flash.counted(n, WIDTH, run)[0].extra_elements() for n in LENGTHS]


def measured_intensity(rows: int, size: int) -> float:
    """FLOP a byte of one linear map: multiplications counted (and as many additions), bytes from the arrays."""
    tally = Tally()
    weight = counted(np.zeros((WIDTH, WIDTH), dtype=f"f{size}"), tally)
    x = np.zeros((rows, WIDTH), dtype=f"f{size}")
    y = linear(x, Linear(weight, np.zeros(WIDTH, dtype=f"f{size}")))
    return 2 * tally.in_products / (x.nbytes + weight.nbytes + y.nbytes)


def measure(p: Params, rng: np.random.Generator) -> Results:
    a, b = fitted()
    n, d = HELD_BACK
    recurrent = recurrent_work(n, d) / (n * d**2)
    size = int(p.bytes)
    few, more = (score_array(length, p.h, size) for length in (4, 8))
    standard = extra_elements(flash.standard_attention)
    tiled = extra_elements(partial(flash.flash_attention_2, rows=16, columns=16))
    return {
        "pair_coefficient": a,
        "weight_coefficient": b,
        "recurrent_coefficient": recurrent,
        "held_back": layer_work(n, d),
        "fit_at_held_back": a * n**2 * d + b * n * d**2,
        "crossover": b / a * p.d,
        "recurrent_crossover": recurrent / a * p.d,
        "share": a * p.N / (a * p.N + b * p.d),
        "score_growth": more.nbytes / few.nbytes,
        "score_bytes": few.nbytes / 4**2 * p.N**2,
        "score_entries": few.size / 4**2 * p.N**2,
        "extra_growth_standard": standard[1] / standard[0],
        "extra_growth_tiled": tiled[1] / tiled[0],
        "causal": int(causal_mask(LENGTHS[0], LENGTHS[0]).sum()),
        "intensity": measured_intensity(ROWS, size),
        "intensity_one": measured_intensity(1, size),
    }


def check(p: Params, predicted: Results, results: Results) -> tuple[Check, ...]:
    # each result is a handful of operations on counts that floats hold exactly; the 2 by 2 fit is well conditioned
    rounding = 1e3 * float(np.finfo(float).eps)
    law = Text("multiplications and bytes, counted; rounding of the fit", "清点的乘法与字节；拟合的舍入")
    words = {
        "pair_coefficient": Text("multiplications by N² d", "乘法次数中 N² d 的系数"),
        "weight_coefficient": Text("multiplications by N d²", "乘法次数中 N d² 的系数"),
        "recurrent_coefficient": Text(
            "multiplications of a recurrent layer by N d²", "循环层乘法次数中 N d² 的系数"
        ),
        "held_back": Text("multiplications of a layer that was not fitted", "未参与拟合的一层的乘法次数"),
        "crossover": Text(
            "length at which pairs cost as much as matrices", "两两计算与矩阵计算开销相等的长度"
        ),
        "recurrent_crossover": Text(
            "length at which pairs cost as much as a recurrence", "两两计算与循环层开销相等的长度"
        ),
        "share": Text("share of the pairs in a layer's work", "两两计算占一层计算量的比例"),
        "score_bytes": Text("bytes of all heads' scores", "全部头的分数矩阵字节数"),
        "causal": Text("pairs that a causal mask keeps", "因果掩码保留的位置对"),
        "intensity": Text("FLOP per byte, 32 tokens at once", "32 个词元同时计算时每字节的浮点运算"),
        "intensity_one": Text("FLOP per byte, one step", "单步计算时每字节的浮点运算"),
    }
    return (
        *(
            Check(
                name.replace("_", "-"),
                claim,
                float(predicted[name]),
                float(results[name]),
                rounding * float(predicted[name]),
                law,
            )
            for name, claim in words.items()
        ),
        Check(
            "fit-foretells",
            Text("the fitted polynomial at the size that was not fitted", "拟合多项式在未拟合尺寸处的值"),
            float(results["held_back"]),
            results["fit_at_held_back"],
            rounding * results["held_back"],
            law,
        ),
        *(
            Check(name, claim, wanted, float(results[key]), None, Text("counts", "计数"))
            for name, claim, wanted, key in (
                ("scores-quadruple", Text("bytes of scores at twice the length", "长度翻倍后分数矩阵的字节数之比"), 4.0, "score_growth"),
                ("standard-quadruples", Text("extra memory of standard attention at twice the length", "长度翻倍后标准注意力的额外内存之比"), 4.0, "extra_growth_standard"),
                ("tiled-doubles", Text("extra memory of tiled attention at twice the length", "长度翻倍后分块注意力的额外内存之比"), 2.0, "extra_growth_tiled"),
            )
        ),
    )  # fmt: skip


def figures(p: Params, predicted: Results, results: Results) -> tuple[Figure, ...]:
    lengths = np.geomspace(128, 1e6, 49)
    size = int(p.bytes)
    here = np.array([float(p.N)])
    pairs = results["pair_coefficient"] * p.N**2 * p.d
    return (
        Plot(
            Text("Multiplications of one layer against the length", "一层的乘法次数随长度的变化"),
            Text(
                "the quadratic line starts below and crosses the matrices only at six widths",
                "平方线起初在下方，到长度为六倍宽度时才越过矩阵线",
            ),
            Axis(Text("tokens N", "词元数 N"), "log"),
            Axis(Text("multiplications", "乘法次数"), "log"),
            (
                Line(Text("pairs", "两两之间"), lengths, pair_products(lengths, float(p.d)), "predicted"),
                Line(Text("matrices", "层内矩阵"), lengths, weight_products(lengths, float(p.d)), "other"),
                Line(Text("recurrent layer", "循环层"), lengths, recurrent_products(lengths, float(p.d)), "context"),
                Points(Text("pairs, from the counted layers", "两两之间，由实测层推得"), here, np.array([pairs])),
                Rule(Text("crossover", "交点"), float(results["crossover"]), "x", "bound"),
            ),
        ),
        Plot(
            Text("Bytes of one layer against the length", "一层占用的字节随长度的变化"),
            Text(
                "stored scores outgrow the activations and any one card; N² d was never needed",
                "分数矩阵若存下，会远超激活，单卡也放不下；但从来不需要 N² d",
            ),
            Axis(Text("tokens N", "词元数 N"), "log"),
            Axis(Text("bytes", "字节"), "log"),
            (
                Line(Text("scores, if stored", "分数矩阵（若存下）"), lengths, score_entries(lengths, float(p.h)) * size, "predicted"),
                Line(Text("popular: N² d", "流行说法：N² d"), lengths, lengths**2 * p.d * size, "popular"),
                Line(Text("one N × d activation", "一个 N × d 激活"), lengths, lengths * p.d * size, "context"),
                Points(Text("scores, from the arrays", "分数矩阵，由数组推得"), here, np.array([results["score_bytes"]])),
                Rule(same("80 GB"), 80e9, "y", "bound"),
            ),
        ),
    )  # fmt: skip


DEMO = Demonstration(
    id="D51",
    name="attention-complexity",
    title=Text("What attention costs, and from which length on", "注意力的开销，以及从多长开始占主导"),
    shows=Text(
        "pairs of positions cost more than the layer's matrices only beyond $N = 6d$; stored scores take $h N^2$, not $N^2 d$",
        "只有超过 $N = 6d$，两两计算才比层内矩阵更贵；分数矩阵占 $h N^2$，而不是 $N^2 d$",
    ),
    kills=Text("“attention dominates at any length, and its space is $N^2 d$”", "“无论多长都是注意力最贵，空间也是 $N^2 d$”"),
    parameters=(
        Parameter("N", "N", Text("tokens", "词元数"), 131_072, 128, 1_000_000, 1.0, "int", "log"),
        Parameter("d", "d", Text("width", "宽度"), 8192, 64, 16_384, 1.0, "int", "log"),
        Parameter("h", "h", Text("heads", "头数"), 64, 1, 128, 1.0, "int", "log"),
        Parameter(
            "bytes",
            "b",
            Text("bytes per number", "每个数的字节数"),
            "2",
            kind="choice",
            choices=(Choice("2", same("2 (fp16)")), Choice("4", same("4 (fp32)"))),
        ),
    ),
    derive=derive,
    predict=predict,
    measure=measure,
    check=check,
    figures=figures,
    headline=Headline(
        "crossover",
        Text("length from which pairs cost more than the layer's matrices", "从多长开始两两计算比层内矩阵更贵"),
        Text("tokens", "词元"),
        100.0,
        1e6,
        "log",
    ),
)  # fmt: skip
