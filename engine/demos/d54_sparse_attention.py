"""D54: sparse, sliding-window and low-rank attention: what each costs, how far each reaches, and what leaks.

Child et al. 2019 (strided and fixed patterns); Beltagy et al. 2020 (Longformer); Zaheer et al. 2020 (BigBird); Jiang et al. 2023
(Mistral's sliding window); Wang et al. 2020 (Linformer).
"""

from __future__ import annotations

import math

import numpy as np

from engine.demonstration import Array, Check, Choice, Demonstration, Headline, Parameter, Params, Results
from engine.figure import Axis, Figure, HeatMap, Line, Plot, Points, Rule
from engine.nn.attention import scaled_dot_product_attention
from engine.nn.sparse_attention import (
    Bools,
    fixed_masks,
    global_mask,
    linformer_attention,
    local_mask,
    reached,
    sliding_window_mask,
    strided_masks,
)
from engine.proof.step import (
    Expr,
    Step,
    cited,
    defined,
    equal,
    exhausted,
    let,
    ordered,
    popular_error,
    unequal,
)
from engine.text import Text, same

WIDTH = 4
"""Of the small layers that are run here."""


# The formulas: the proof checks them with SymPy symbols, the prediction evaluates them with numbers.
def window_reach(layers: Expr, window: Expr) -> Expr:
    """Positions, its own included, that a token hears from through this many layers of a causal window."""
    return layers * (window - 1) + 1


def window_pairs(n: Expr, window: Expr) -> Expr:
    """Pairs kept by a causal window no longer than the sequence: the first rows are shorter."""
    return n * window - window * (window - 1) / 2


def longformer_pairs(n: Expr, w: Expr, g: Expr) -> Expr:
    """Pairs kept by w neighbours to either side and g global tokens, for n >= g + 2 w."""
    return (n - g) * (2 * w + 1) - w * (w + 1) + 2 * g * n - g**2


def strided_cost(n: Expr, stride: Expr, filled: Expr) -> Expr:
    """Pairs of Child et al.'s two heads to leading order: ``stride`` near ones a row, and ``filled`` n / stride far ones.

    ``filled`` is 1 where each row is counted at its full length, 1/2 for the triangle that a causal mask leaves.
    """
    return n * (stride + filled * n / stride)


def near_pairs(n: Expr, stride: Expr) -> Expr:
    """Exact pairs of the near head, for stride < n: itself and ``stride`` tokens before it."""
    return n * (stride + 1) - stride * (stride + 1) / 2


def far_pairs(stride: Expr, blocks: Expr, rest: Expr) -> Expr:
    """Exact pairs of the far head, for n = stride · blocks + rest."""
    return stride * blocks * (blocks + 1) / 2 + rest * (blocks + 1)


def linformer_pairs(n: Expr, rank: Expr) -> Expr:
    """Scores of Linformer: n queries over ``rank`` mixtures."""
    return n * rank


def derive() -> tuple[Step, ...]:
    import sympy as sp

    n, W, L, w, g, i, k = sp.symbols("n W L w g i k", integer=True, positive=True)
    x, stride, filled = sp.symbols("n ell f", positive=True)
    best, at_best = sp.sqrt(filled * x), sp.Symbol(r"\ell_{*}", positive=True)
    ell, q_n, b, rest = sp.symbols("ell Q b r", integer=True, positive=True)
    back, step = sp.symbols("D ell", integer=True, nonnegative=True)
    hops = [{back: sp.Integer(far), step: sp.Integer(size)} for size in range(1, 6) for far in range(13)]
    e_1, e_2, v_1, v_2, q, k_1, k_2 = sp.symbols("e_1 e_2 v_1 v_2 q k_1 k_2", real=True)
    # two mixtures of two tokens: E = [[1, 0], [e_1, e_2]]; the first query reads both
    scores = (q * k_1, q * (e_1 * k_1 + e_2 * k_2))
    mixtures = (v_1, e_1 * v_1 + e_2 * v_2)
    powers = [sp.exp(one) for one in scores]
    first = sum(a * b for a, b in zip(powers, mixtures, strict=True)) / sum(powers)
    return (
        defined(
            "window",
            r"i - W < j \leq i",
            Text(
                "a causal sliding window: query $i$ sees itself and the $W - 1$ tokens before it",
                "因果滑动窗口：query $i$ 看到自己和之前的 $W - 1$ 个词元",
            ),
        ),
        equal(
            "reach-grows",
            window_reach(L + 1, W) - window_reach(L, W),
            W - 1,
            Text(
                "one layer reaches its own window; each further one lets the oldest position reached look $W - 1$ further back",
                "一层到达自己的窗口；每多一层，已到达的最早位置又能再往前看 $W - 1$ 个",
            ),
        ),
        ordered(
            "below-the-product",
            window_reach(L + 1, W),
            "<",
            (L + 1) * W,
            Text(
                "from two layers on the reach is less than layers times $W$, the number often quoted: windows overlap by one",
                "两层以上时，可达范围小于常说的“层数乘以 $W$”：相邻窗口重叠一个位置",
            ),
        ),
        popular_error(
            "reach-is-the-product",
            window_reach(L, W),
            L * W,
            Text(
                "'the reach is layers times window': for 32 layers of $W = 4096$ it is 131,041, not 131,072",
                "“可达范围等于层数乘以窗口”：32 层、$W = 4096$ 时是 131,041，而不是 131,072",
            ),
        ),
        equal(
            "window-pairs",
            sp.Sum(i, (i, 1, W)) + (n - W) * W,
            window_pairs(n, W),
            Text(
                "pairs of the window: the first $W$ rows grow by one, the others hold $W$ each",
                "窗口保留的配对：前 $W$ 行逐行加一，其余每行 $W$ 个",
            ),
        ),
        equal(
            "longformer-density",
            sp.Limit(longformer_pairs(n, w, g) / n, n, sp.oo),
            2 * w + 1 + 2 * g,
            Text(
                "Longformer: $w$ neighbours to either side and $g$ global tokens. A token costs a fixed number of pairs: linear in $n$",
                "Longformer：两侧各 $w$ 个邻居加 $g$ 个全局词元。每个词元的配对数固定：与 $n$ 成线性",
            ),
        ),
        equal(
            "near-pairs",
            sp.Sum(i, (i, 1, ell)) + (n - ell) * (ell + 1),
            near_pairs(n, ell),
            Text(
                r"Child's near head: each query, itself and $\ell$ tokens before it; the first $\ell$ rows are shorter",
                r"Child 的近邻头：每个 query 看自己和之前 $\ell$ 个词元；前 $\ell$ 行较短",
            ),
        ),
        equal(
            "far-pairs",
            sp.Sum(ell * b, (b, 1, q_n)) + rest * (q_n + 1),
            far_pairs(ell, q_n, rest),
            Text(
                r"the far head: one key for each whole stride back, in $Q$ blocks of $\ell$ queries and $r$ more",
                r"远程头：每往前一个整步长取一个 key；共 $Q$ 块、每块 $\ell$ 个 query，另有 $r$ 个",
            ),
        ),
        equal(
            "stride",
            sp.Derivative(strided_cost(x, stride, filled), stride),
            x * (1 - best**2 / stride**2),
            Text(
                r"to leading order both cost this much together; the slope vanishes at $\ell = \sqrt{f n}$, with $f = 1$ where rows count "
                "in full, as is usual, and $f = 1/2$ for a causal triangle",
                r"首项近似下两头合计的代价；导数在 $\ell = \sqrt{f n}$ 处为零，通常每行计满，$f = 1$；因果三角形则 $f = 1/2$",
            ),
        ),
        ordered(
            "stride-is-best",
            strided_cost(x, stride, filled),
            ">=",
            strided_cost(x, best, filled),
            Text(
                "and no other stride is cheaper: the difference is a square",
                "任何其他步长都不更便宜：差是一个平方",
            ),
            witness=x * (sp.sqrt(stride) - best / sp.sqrt(stride)) ** 2,
        ),
        let(
            "best-stride",
            at_best,
            best,
            Text("that stride", "这个步长"),
        ),
        equal(
            "n-root-n",
            strided_cost(x, at_best, filled),
            2 * x * sp.sqrt(filled * x),
            Text(
                r"so this pattern costs $2 n \sqrt{f n}$",
                r"所以这种模式的代价是 $2 n \sqrt{f n}$",
            ),
            using=[(at_best, best)],
        ),
        popular_error(
            "all-sparse-is-n-root-n",
            sp.Limit(longformer_pairs(n, w, g) / (n * sp.sqrt(n)), n, sp.oo),
            sp.Integer(2),
            Text(
                r"'sparse attention is $O(n \sqrt{n})$': that is Child et al. 2019 alone; a window with global tokens is linear",
                r"“稀疏注意力是 $O(n \sqrt{n})$”：那只是 Child 等人 2019 年的模式；窗口加全局词元是线性的",
            ),
        ),
        exhausted(
            "two-hops",
            back - step * sp.floor(back / step),
            "<",
            step,
            Text(
                r"two hops reach every earlier token: of a distance $D$, whole strides back leave less than $\ell$, which lies inside "
                "the near window",
                r"两跳可达任何更早的词元：距离 $D$ 退去整步长后，剩下的不到 $\ell$，落在邻近窗口内",
            ),
            over=hops,
            bound=r"ℓ=1…5, D=0…12",
        ),
        defined(
            "linformer",
            r"K' = E K, \quad V' = F V, \qquad E, F \in \mathbb{R}^{k \times n}",
            Text(
                "Linformer mixes the $n$ keys and values into $k$ of each, along the length",
                "Linformer 沿长度方向把 $n$ 个 key 和 value 混合成 $k$ 个",
            ),
        ),
        unequal(
            "leaks-the-future",
            sp.Derivative(first, v_2),
            sp.Integer(0),
            Text(
                "the first output depends on the second token: every mixture holds later tokens, so no causal mask fits, and a "
                "decoder cannot use it",
                "第一个输出依赖第二个词元：每个混合里都含有更晚的词元，因果掩码无从施加，解码器不能用",
            ),
            bound="n=2, k=2",
        ),
        ordered(
            "linformer-is-linear",
            linformer_pairs(n + 1, k) - linformer_pairs(n, k),
            ">",
            sp.Integer(0),
            Text(
                "each further token adds $k$ scores, whatever the length",
                "无论多长，每多一个词元只多 $k$ 个分数",
            ),
        ),
        cited(
            "who-uses-windows",
            r"\text{Mistral 7B v0.1}: W = 4096, \quad \text{Gemma 2}: 4096 \text{ in every other layer}",
            Text(
                "windows come and go: Mistral dropped its own with v0.2, Gemma 3 has five local layers of 1024 to a global one",
                "窗口并非一直保留：Mistral 从 v0.2 起取消，Gemma 3 每 5 个 1024 的局部层配 1 个全局层",
            ),
            "Jiang et al. 2023, section 2; Gemma Team 2024 (Gemma 2), table 1; 2025 (Gemma 3), section 2",
        ),
    )


def pattern(p: Params) -> Bools:
    """The chosen mask, (n, n); of Child et al.'s pairs of heads their union."""
    match p.pattern:
        case "window":
            return sliding_window_mask(p.n, p.W)
        case "longformer":
            return local_mask(p.n, p.w) | global_mask(p.n, p.g)
        case "strided":
            near, far = strided_masks(p.n, p.stride)
        case _:
            near, far = fixed_masks(p.n, p.stride)
    return near | far


def predict(p: Params) -> Results:
    window = min(p.W, p.n)
    return {
        "reach": min(p.n, window_reach(p.L, p.W)),
        "window_pairs": window_pairs(p.n, window),
        "longformer_pairs": longformer_pairs(p.n, p.w, p.g),
        "linformer_pairs": linformer_pairs(p.n, p.k),
        "strided_pairs": near_pairs(p.n, p.stride) + far_pairs(p.stride, *divmod(p.n, p.stride)),
    }


def two_hops(near: Bools, far: Bools) -> int:
    """Earlier tokens that the last one can't hear from through one far and one near step (or the other way round)."""
    last = len(near) - 1
    heard = near[far[last]].any(axis=0) | far[near[last]].any(axis=0)
    return int((~heard).sum())


def heard_tokens(n: int, mask: Bools, layers: int, rng: np.random.Generator) -> int:
    """How many tokens change the last output of real attention layers when they change, by perturbing each in turn."""
    x = rng.standard_normal((n, WIDTH)) / 2
    # copy j has another token j, the last copy is as it was: one batch, so that equal rows are computed alike
    copies = np.repeat(x[None], n + 1, axis=0)  # (n + 1, n, d)
    copies[np.arange(n), np.arange(n)] += 1.0
    for _ in range(layers):
        attended = scaled_dot_product_attention(copies, copies, copies, mask=mask)
        copies = np.asarray(attended.context, dtype=np.float64)
    moved = np.abs(copies[:-1, -1] - copies[-1, -1]).max(axis=-1)
    return int((moved > UNMOVED).sum())


def future_leak(n: int, k: int, rng: np.random.Generator) -> float:
    """How much the first of Linformer's outputs moves when only the last token changes."""
    x = rng.standard_normal((n, WIDTH))
    later = x.copy()
    later[-1] += 1.0
    projections = rng.standard_normal((2, k, n)) / math.sqrt(n)
    one, other = (linformer_attention(at, at, at, *projections).attended.context[0] for at in (x, later))
    return float(np.abs(one - other).max())


UNMOVED = 1e-12
"""An output of order one that moves less than this has not moved; what does reach it moves it by 1e-4 and more."""

SMALL = 24
"""Tokens of the real layers whose outputs are probed."""


def measure(p: Params, rng: np.random.Generator) -> Results:
    window = sliding_window_mask(p.n, p.W)
    reaches = reached(window, p.n - 1, p.L)
    longformer = local_mask(p.n, p.w) | global_mask(p.n, p.g)
    near, far = strided_masks(p.n, p.stride)
    x = rng.standard_normal((p.n, WIDTH))
    projections = rng.standard_normal((2, p.k, p.n))
    layers, small = min(p.L, 3), min(SMALL, p.n)
    small_window = sliding_window_mask(small, p.W)
    causal = np.tri(p.n, dtype=np.bool_)
    return {
        "reach": int(reaches[-1]),
        "reaches": reaches.astype(float),
        "window_pairs": int(window.sum()),
        "longformer_pairs": int(longformer.sum()),
        "linformer_pairs": int(linformer_attention(x, x, x, *projections).attended.scores.size),
        "strided_pairs": int(near.sum()) + int(far.sum()),
        "unheard_strided": two_hops(near, far),
        "heard": heard_tokens(small, small_window, layers, rng),
        "leak": future_leak(small, p.k, rng),
        "sees_later": int((window & ~causal).sum()),
    }


def check(p: Params, predicted: Results, results: Results) -> tuple[Check, ...]:
    exact = Text("exact count", "精确计数")

    def counted(name: str, key: str, claim: Text) -> Check:
        return Check(name, claim, float(predicted[key]), float(results[key]), None, exact)

    layers = min(p.L, 3)
    return (
        counted(
            "reach",
            "reach",
            Text(
                "tokens that the last one hears from through $L$ layers",
                "最后一个词元经 $L$ 层能听到的词元数",
            ),
        ),
        counted(
            "pairs-of-the-window", "window_pairs", Text("pairs that the window keeps", "窗口保留的配对数")
        ),
        counted(
            "pairs-of-longformer",
            "longformer_pairs",
            Text("pairs of window and global tokens", "窗口加全局词元的配对数"),
        ),
        counted(
            "scores-of-linformer", "linformer_pairs", Text("scores of Linformer", "Linformer 的分数个数")
        ),
        counted(
            "pairs-of-strided",
            "strided_pairs",
            Text("pairs of the two strided heads", "两个跨步头的配对数"),
        ),
        Check(
            "two-hops-reach-all",
            Text("earlier tokens out of reach of two strided steps", "两次跨步仍到不了的更早词元数"),
            0.0,
            results["unheard_strided"],
            None,
            exact,
        ),
        Check(
            "window-is-causal",
            Text("pairs with a later key", "含有更晚 key 的配对数"),
            0.0,
            results["sees_later"],
            None,
            exact,
        ),
        Check(
            "outputs-hear-as-far",
            Text(
                "tokens whose change moves the last output of real layers",
                "改动后会使真实层最后一个输出变化的词元数",
            ),
            float(min(min(SMALL, p.n), window_reach(layers, p.W))),
            float(results["heard"]),
            None,
            exact,
        ),
        Check(
            "linformer-leaks",
            Text(
                "how far a later token moves Linformer's first output",
                "更晚的词元使 Linformer 首个输出移动的量",
            ),
            1e-9,
            results["leak"],
            None,
            Text("well above rounding", "远大于舍入误差"),
            relation=">=",
        ),
    )


def figures(p: Params, predicted: Results, results: Results) -> tuple[Figure, ...]:
    side = min(p.n, 48)
    shown = pattern(Params({**p.as_dict(), "n": side}))
    layers: Array = np.arange(0.0, p.L + 1)
    n: Array = np.geomspace(64, 1e5, 25)
    return (
        HeatMap(
            Text("The chosen pattern: query down, key across", "所选模式：行为 query，列为 key"),
            Text(
                "filled cells are the pairs that are computed; the share that is filled falls as the sequence grows",
                "填充的格子是要计算的配对；序列越长，填充的比例越低",
            ),
            shown.astype(float),
            low=0.0,
            high=1.0,
        ),
        Plot(
            Text("Reach against layers", "可达范围随层数的变化"),
            Text(
                "each layer adds one window less the shared position, until the beginning of the sequence is reached",
                "每层增加一个窗口、减去共用的一个位置，直到序列开头",
            ),
            Axis(Text("layers", "层数")),
            Axis(Text("tokens heard from", "能听到的词元数"), low=0.0),
            (
                Line(
                    Text("predicted", "预测"),
                    layers,
                    np.minimum(np.asarray(window_reach(layers, p.W), dtype=float), p.n),
                    "predicted",
                ),
                Points(Text("measured", "实测"), layers, results["reaches"], "measured"),
                Line(Text("layers times W", "层数乘 W"), layers, np.minimum(layers * p.W, p.n), "popular"),
                Rule(Text("whole sequence", "整个序列"), float(p.n), "y", "bound"),
            ),
        ),
        Plot(
            Text("Pairs against length", "配对数随长度的变化"),
            Text(
                "on log axes dense attention has slope two, Child's pattern one and a half, windows and Linformer one",
                "双对数轴上，全注意力斜率为 2，Child 的模式为 1.5，窗口与 Linformer 为 1",
            ),
            Axis(same("n"), "log"),
            Axis(Text("pairs", "配对数"), "log"),
            (
                Line(Text("dense", "全注意力"), n, n**2, "popular"),
                Line(Text("strided, best stride", "跨步，最佳步长"), n, 2 * n**1.5 / math.sqrt(2), "other"),
                Line(
                    same("Longformer"),
                    n,
                    np.asarray(longformer_pairs(n, p.w, p.g), dtype=float),
                    "predicted",
                ),
                Line(same("Linformer"), n, np.asarray(linformer_pairs(n, p.k), dtype=float), "context"),
                Points(
                    Text("Longformer, measured", "Longformer，实测"),
                    np.array([float(p.n)]),
                    np.array([float(results["longformer_pairs"])]),
                    "measured",
                ),
            ),
        ),
    )


DEMO = Demonstration(
    id="D54",
    name="sparse-attention",
    title=Text("Sparse, sliding-window and low-rank attention", "稀疏、滑动窗口与低秩注意力"),
    shows=Text(
        r"a window costs linear time and reaches $L (W - 1) + 1$ tokens; only Child's strided pattern costs $n \sqrt{n}$; Linformer "
        "leaks later tokens",
        r"窗口的代价是线性的，可达 $L (W - 1) + 1$ 个词元；只有 Child 的跨步模式是 $n \sqrt{n}$；Linformer 会泄漏更晚的词元",
    ),
    kills=Text(
        "“sparse attention is O(n√n)”, “the reach is layers times window”",
        "“稀疏注意力是 O(n√n)”“可达范围等于层数乘窗口”",
    ),
    parameters=(
        Parameter("n", "n", Text("tokens", "词元数"), 256, 64, 512, 1.0, "int", "log"),
        Parameter(
            "W",
            "W",
            Text("causal window, itself included", "因果窗口（含自身）"),
            16,
            1,
            64,
            1.0,
            "int",
            "log",
        ),
        Parameter("L", "L", Text("layers", "层数"), 8, 1, 32, 1.0, "int"),
        Parameter("w", "w", Text("neighbours to either side", "两侧各有的邻居数"), 4, 1, 24, 1.0, "int"),
        Parameter("g", "g", Text("global tokens", "全局词元数"), 2, 0, 16, 1.0, "int"),
        Parameter("stride", r"\ell", Text("stride", "步长"), 16, 1, 63, 1.0, "int", "log"),
        Parameter(
            "k", "k", Text("rows that Linformer keeps", "Linformer 保留的行数"), 16, 1, 64, 1.0, "int", "log"
        ),
        Parameter(
            "pattern",
            r"\text{pattern}",
            Text("pattern that is drawn", "画出的模式"),
            "strided",
            kind="choice",
            choices=(
                Choice("window", Text("causal window", "因果窗口")),
                Choice("longformer", Text("window and global", "窗口加全局")),
                Choice("strided", Text("strided", "跨步")),
                Choice("fixed", Text("fixed", "固定")),
            ),
        ),
    ),
    derive=derive,
    predict=predict,
    measure=measure,
    check=check,
    figures=figures,
    headline=Headline(
        "reach",
        Text("tokens that the last one hears from", "最后一个词元能听到的词元数"),
        Text("tokens", "个词元"),
        1.0,
        512.0,
        "log",
    ),
)
