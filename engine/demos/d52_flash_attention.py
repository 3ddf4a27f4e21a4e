"""D52: FlashAttention computes the same numbers and moves fewer of them.

Dao et al. 2022, algorithm 1 and theorem 2; Dao 2023, algorithm 1. All traffic is counted in elements, for one head and
the forward pass.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import partial

import numpy as np

from engine.demonstration import Check, Choice, Demonstration, Headline, Parameter, Params, Results
from engine.figure import Axis, Figure, Line, Plot, Points, Rule
from engine.nn.attention import scaled_dot_product_attention
from engine.nn.flash import (
    Algorithm,
    State,
    attention,
    block_sizes,
    block_state,
    blocks,
    counted,
    flash_attention_1,
    flash_attention_2,
    merge,
    online_softmax,
    standard_attention,
)
from engine.nn.softmax import logsumexp
from engine.proof.step import Expr, Step, cited, equal, exhausted, ordered, popular_error
from engine.text import Text, same

BYTES = 2
"""Of one fp16 number."""
SLICE = 64
"""Tokens on which the arithmetic is really done."""


# The formulas: the proof checks them with SymPy symbols, the prediction evaluates them with numbers.
def standard_traffic(N: Expr, d: Expr) -> Expr:
    return 4 * N**2 + 4 * N * d


def flash_1_traffic(N: Expr, d: Expr, T_c: Expr) -> Expr:
    return 3 * N * d + 2 * N + T_c * (3 * N * d + 4 * N)


def flash_2_traffic(N: Expr, d: Expr, T_r: Expr) -> Expr:
    return 2 * N * d + N + 2 * T_r * N * d


def product_flops(N: Expr, d: Expr) -> Expr:
    """Of the two matrix products, a multiply-add being 2."""
    return 4 * N**2 * d


def rescale_flops(N: Expr, d: Expr, T_c: Expr) -> Expr:
    """Multiplications that FlashAttention-2 spends on rescaling its output."""
    return T_c * N * d


def derive() -> tuple[Step, ...]:
    import sympy as sp

    x_1, x_2, x_3, m_1, m_2, m_3, m, n_1, n_2 = sp.symbols("x_1 x_2 x_3 m_1 m_2 m_3 m mu nu", real=True)
    v_1, v_2, v_3 = sp.symbols("v_1 v_2 v_3", real=True)
    l_1, l_2, l_3 = sp.symbols("l_1 l_2 l_3", positive=True)
    o_1, o_2, o_3 = sp.symbols("o_1 o_2 o_3", real=True)
    N, d, M, T_r, T_c, B = sp.symbols("N d M T_r T_c B", integer=True, positive=True)
    i, j = sp.symbols("i j", integer=True, positive=True)
    r = sp.Symbol("r", integer=True, nonnegative=True)
    gap = sp.Symbol("delta", nonnegative=True)

    def seen(scores: tuple[Expr, ...], values: tuple[Expr, ...], reference: Expr) -> State:
        weights = [sp.exp(x - reference) for x in scores]
        return State(reference, sum(weights), sum(w * v for w, v in zip(weights, values, strict=True)))

    def output(state: State) -> Expr:
        return state.o / state.l

    weights = [sp.exp(x) for x in (x_1, x_2, x_3)]
    softmax_output = (weights[0] * v_1 + weights[1] * v_2 + weights[2] * v_3) / sum(weights)
    two, one = seen((x_1, x_2), (v_1, v_2), m_1), seen((x_3,), (v_3,), m_2)
    first, second, third = State(m_1, l_1, o_1), State(m_2, l_2, o_2), State(m_3, l_3, o_3)
    left = merge(merge(first, second, n_1, sp.exp), third, m, sp.exp)
    right = merge(first, merge(second, third, n_2, sp.exp), m, sp.exp)

    top = sp.Max(x_1, x_2)
    running = merge(seen((x_1,), (v_1,), x_1), seen((x_2,), (v_2,), x_2), top, sp.exp)

    rows, columns = N / T_r, N / T_c
    one_pass = sp.Sum(3 * rows * d + 4 * rows, (i, 1, T_r))
    many = 4 * d * N / M

    return (
        equal(
            "merge",
            output(merge(two, one, m, sp.exp)),
            softmax_output,
            Text(
                r"keys seen in two blocks, with $\ell = \sum e^{x - m}$ and $o = \sum e^{x - m} v$ each at a reference of its "
                "own: rescaled to any common reference $m$ and added, they give exactly softmax times values. This is the "
                "layer's own code, run on symbols",
                r"key 分两块读入，各自以自己的参考值记录 $\ell = \sum e^{x - m}$ 与 $o = \sum e^{x - m} v$："
                "换算到任意公共参考值 $m$ 后相加，恰好等于 softmax 乘以 V。这里代入符号的就是该层自己的代码",
            ),
            bound="N=2+1",
        ),
        equal(
            "associative",
            sp.Matrix([left.l, left.o]),
            sp.Matrix([right.l, right.o]),
            Text(
                "in which order blocks are merged does not matter: so any number of blocks, one at a time",
                "合并的先后次序无关紧要：因此块数不限，可以逐块进行",
            ),
        ),
        equal(
            "running-maximum",
            output(running),
            (weights[0] * v_1 + weights[1] * v_2) / (weights[0] + weights[1]),
            Text(
                "the reference that is used is the running maximum, here of two keys seen one by one",
                "实际使用的参考值是当前最大值（running max），这里是逐个读入的两个 key",
            ),
            bound="N=1+1",
        ),
        exhausted(
            "no-overflow",
            x_1 - top,
            "<=",
            sp.Integer(0),
            Text(
                "with the maximum as reference no exponent is above 0, so nothing overflows",
                "以最大值为参考，指数都不大于 0，因此不会溢出",
            ),
            over=({x_1: x_2 + gap}, {x_1: x_2 - gap}),
            bound="x_1 ≥ x_2; x_1 ≤ x_2",
        ),
        popular_error(
            "without-rescaling",
            (two.o + one.o) / (two.l + one.l),
            softmax_output,
            Text(
                "adding the blocks up without the factor $e^{m_{old} - m_{new}}$ is wrong as soon as the maxima differ",
                "不乘因子 $e^{m_{old} - m_{new}}$ 就把各块相加：只要各块最大值不同，结果就是错的",
            ),
        ),
        equal(
            "standard-traffic",
            sp.Add(2 * N * d, N**2, N**2, N**2, N**2 + N * d, N * d, evaluate=False),
            standard_traffic(N, d),
            Text(
                "standard attention: read Q, K; write S; read S; write P; read P, V; write O",
                "标准注意力：读 Q、K；写 S；读 S；写 P；读 P、V；写 O",
            ),
        ),
        equal(
            "flash-1-traffic",
            sp.Add(N * d + 2 * N, sp.Sum(2 * columns * d + one_pass, (j, 1, T_c)), evaluate=False),
            flash_1_traffic(N, d, T_c),
            Text(
                r"FlashAttention: O, $\ell$, m are set up in memory (line 2); each of $T_c$ key blocks is read once, and "
                r"each time every query block is read with its O, $\ell$, m, and these are written back",
                r"FlashAttention：先在显存里初始化 O、$\ell$、m（第 2 行）；$T_c$ 个 key 块各读一次，"
                r"每次都要读入所有 query 块及其 O、$\ell$、m，再写回",
            ),
        ),
        equal(
            "flash-2-traffic",
            sp.Sum(rows * d + sp.Sum(2 * columns * d, (j, 1, T_c)) + rows * d + rows, (i, 1, T_r)),
            flash_2_traffic(N, d, T_r),
            Text(
                "FlashAttention-2: each of $T_r$ query blocks is read once, meets all keys and values, and is written once, "
                "with one logsumexp per row",
                "FlashAttention-2：$T_r$ 个 query 块各读一次，与全部 K、V 相遇，再写出一次，每行另存一个 logsumexp",
            ),
        ),
        popular_error(
            "always-writes-once",
            sp.Sum(N * d, (j, 1, T_c)),
            N * d,
            Text(
                "'the output is written once': in FlashAttention-1 each key block rewrites it; only version 2 writes once",
                "“输出只写一次”：FlashAttention-1 每处理一个 key 块就重写一遍；只有第 2 版才只写一次",
            ),
        ),
        ordered(
            "fits",
            sp.Add(2 * d * B, 2 * d * B, evaluate=False),
            "<=",
            4 * d * B + r,
            Text(
                r"an SRAM of $M = 4dB + r$ elements holds $2 B_c d + 2 B_r d$ for $B_c = B = \lfloor M/4d \rfloor$ and "
                r"$B_r \leq B_c$ (the tile of scores comes on top)",
                r"SRAM 容量 $M = 4dB + r$ 个元素，取 $B_c = B = \lfloor M/4d \rfloor$、$B_r \leq B_c$ 时放得下 "
                r"$2 B_c d + 2 B_r d$（分数块另占空间）",
            ),
        ),
        popular_error(
            "paper-sizes-fit",
            4 * d * sp.ceiling(M / (4 * d)),
            M,
            Text(
                r"with $\lceil M/4d \rceil$, as the paper has it, they may not: round down",
                r"若按论文取 $\lceil M/4d \rceil$，则可能放不下：应向下取整",
            ),
            op="<=",
        ),
        equal(
            "ratio-1",
            sp.Limit(standard_traffic(N, d) / flash_1_traffic(N, d, many), N, sp.oo),
            M / (3 * d**2 + 4 * d),
            Text(
                r"long sequences, $T_c = 4dN/M$: traffic falls by the factor $M / (3d^2 + 4d)$. At $d = 128$ and 100 KB that is 1.03: "
                r"$\Theta(N^2 d^2 / M)$ is an asymptote, and hides the constant",
                r"序列很长、$T_c = 4dN/M$ 时，访存减少到 $M / (3d^2 + 4d)$ 分之一；$d = 128$、100 KB 时该倍数仅 1.03："
                r"$\Theta(N^2 d^2 / M)$ 只是渐近阶，掩盖了常数",
            ),
        ),
        equal(
            "ratio-2",
            sp.Limit(standard_traffic(N, d) / flash_2_traffic(N, d, many), N, sp.oo),
            M / (2 * d**2),
            Text(
                "version 2 with the large block for the queries, $T_r = 4dN/M$",
                "第 2 版把大块留给 query，即 $T_r = 4dN/M$ 时",
            ),
        ),
        equal(
            "same-products",
            sp.Sum(sp.Sum(4 * rows * columns * d, (i, 1, T_r)), (j, 1, T_c)),
            product_flops(N, d),
            Text(
                "each pair of tiles costs $4 B_r B_c d$ FLOPs: the matrix products are those of standard attention",
                "每对分块耗 $4 B_r B_c d$ FLOPs：矩阵乘法的总量与标准注意力完全相同",
            ),
        ),
        popular_error(
            "fewer-flops",
            product_flops(N, d) + rescale_flops(N, d, T_c),
            product_flops(N, d),
            Text(
                "'FlashAttention is faster because it computes less': it computes more, for it rescales once per key block",
                "“FlashAttention 更快是因为算得更少”：恰恰相反，每个 key 块都要多做一次缩放，算得更多",
            ),
            op="<",
        ),
        equal(
            "extra-memory",
            sp.Limit(N / (2 * N**2), N, sp.oo),
            sp.Integer(0),
            Text(
                "held beyond inputs and output: $N$ logsumexps against the $2N^2$ of S and P",
                "输入输出之外的显存：$N$ 个 logsumexp，对 S 与 P 的 $2N^2$",
            ),
        ),
        equal(
            "intensity",
            sp.Limit(2 * N**2 * d / (BYTES * (N**2 + 2 * N * d)), N, sp.oo),
            d,
            Text(
                "FLOPs per byte of the product $QK^T$ in fp16: about $d$; the softmax has about one, so standard attention "
                "waits for memory there",
                "fp16 下 $QK^T$ 这一步的算术强度约为 $d$ FLOPs／字节；softmax 只有约 1，标准注意力正是在那里等显存",
            ),
        ),
        cited(
            "measured-on-a-gpu",
            r"\text{GFLOPs: } 66.6 \to 75.2, \quad \text{GB: } 40.3 \to 4.4, \quad \text{ms: } 41.7 \to 7.3",
            Text(
                "GPT-2 medium, forward and backward on an A100: more FLOPs, a ninth of the traffic, 5.7 times faster there; "
                "how much it is elsewhere depends on length, width and GPU",
                "GPT-2 medium 在 A100 上的前向加反向：FLOPs 更多，访存降到九分之一，此处快 5.7 倍；"
                "换了长度、维度或 GPU，倍数就不同",
            ),
            "Dao et al. 2022, figure 2",
        ),
    )


def tiles(p: Params) -> tuple[int, int, int, int]:
    """Rows and columns of the tiles, of version 1 and of version 2."""
    large, small = block_sizes(p.sram * 1024 // BYTES, p.d)
    return (small, large, large, small) if p.tiles == "swapped" else (small, large, small, large)


def predict(p: Params) -> Results:
    _, columns_1, rows_2, columns_2 = tiles(p)
    T_c, T_r = math.ceil(p.N / columns_1), math.ceil(p.N / rows_2)
    standard, first, second = (
        standard_traffic(p.N, p.d),
        flash_1_traffic(p.N, p.d, T_c),
        flash_2_traffic(p.N, p.d, T_r),
    )
    return {
        "standard": standard,
        "flash_1": first,
        "flash_2": second,
        "traffic_ratio": standard / (first if p.version == "1" else second),
        "output_writes_1": T_c + 1,
        "output_writes_2": 1,
        "product_flops": product_flops(p.N, p.d),
        "rescale_flops": rescale_flops(p.N, p.d, math.ceil(p.N / columns_2)),
        "extra_standard": 2 * p.N**2,
        "extra_1": 2 * p.N,
        "extra_2": p.N,
    }


def error_bound(q: np.ndarray, k: np.ndarray, v: np.ndarray, merges: int) -> float:
    """How far two evaluations of one attention may lie apart by rounding alone, to first order, in units of epsilon.

    A score of d products carries d + 2 times the sum of their sizes; a rescaling carries its exponent; a sum of n terms
    carries n.
    """
    n, d = q.shape
    largest = float((np.abs(q) @ np.abs(k).T).max()) / math.sqrt(d)
    weight = (d + 2) * largest + (merges + 1) * (2 * largest + 4)
    return 4 * float(np.abs(v).max()) * (weight + n + 8)


def row_statistics(arrays: Mapping[str, np.ndarray]) -> np.ndarray | None:
    """ln of the sum of a row's exponentials (N,), as version 1 (m and l) or version 2 (L) keeps it."""
    if "L" in arrays:
        return arrays["L"][:, 0]
    if "l" in arrays:
        # a row that no key has reached holds the logarithm of nothing
        with np.errstate(divide="ignore"):
            kept: np.ndarray = (arrays["m"] + np.log(arrays["l"]))[:, 0]
        return kept
    return None


def measure(p: Params, rng: np.random.Generator) -> Results:
    rows_1, columns_1, rows_2, columns_2 = tiles(p)
    version_1 = partial(flash_attention_1, rows=rows_1, columns=columns_1)
    version_2 = partial(flash_attention_2, rows=rows_2, columns=columns_2)

    # at full length the loops run over the tiles and count; they do no arithmetic
    standard_memory, standard_chip = counted(p.N, p.d, standard_attention)
    memory_1, chip_1 = counted(p.N, p.d, version_1)
    memory_2, chip_2 = counted(p.N, p.d, version_2)
    standard, first, second = (memory.traffic() for memory in (standard_memory, memory_1, memory_2))

    # on a slice the same loops do it, in tiles that leave a remainder
    n = min(p.N, SLICE)
    short = {"rows": n // 4 - 1, "columns": n // 3 - 1}
    q, k, v = rng.standard_normal((3, n, p.d))
    q *= p.spread
    exact = scaled_dot_product_attention(q, k, v).context
    runs: list[Algorithm] = [
        standard_attention,
        *(partial(flash, **short) for flash in (flash_attention_1, flash_attention_2)),
    ]
    errors, single_errors, miscounted = [], [], 0
    # what the backward pass recomputes the weights from
    exact_statistics = logsumexp(q @ k.T / math.sqrt(p.d))
    statistics_errors = []
    for run in runs:
        output, memory, chip = attention(q, k, v, run)
        same_memory, same_chip = counted(n, p.d, run)
        errors.append(float(np.abs(output - exact).max()))
        if (kept := row_statistics(memory.arrays)) is not None:
            whole = kept.shape == exact_statistics.shape
            statistics_errors.append(float(np.abs(kept - exact_statistics).max()) if whole else math.inf)
        miscounted += abs(memory.traffic().total - same_memory.traffic().total)
        miscounted += abs(chip.product_flops - same_chip.product_flops)
        single, _, _ = attention(q.astype(np.float32), k.astype(np.float32), v.astype(np.float32), run)
        single_errors.append(float(np.abs(single - exact).max()))

    bound = error_bound(q, k, v, len(blocks(n, short["columns"])))

    scores, block = q[:1] @ k.T / math.sqrt(p.d), max(1, n // 16)
    states = online_softmax(scores, v[:, :1], block)
    pieces = [block_state(scores[:, at : at + block], v[at : at + block, :1]) for at in range(0, n, block)]
    unscaled = np.cumsum([s.o[0, 0] for s in pieces]) / np.cumsum([s.l[0, 0] for s in pieces])
    return {
        "standard": standard.total,
        "flash_1": first.total,
        "flash_2": second.total,
        "traffic_ratio": standard.total / (first if p.version == "1" else second).total,
        "output_writes_1": first.written_by_name["O"] / (p.N * p.d),
        "output_writes_2": second.written_by_name["O"] / (p.N * p.d),
        "standard_flops": standard_chip.product_flops,
        "product_flops_1": chip_1.product_flops,
        "product_flops_2": chip_2.product_flops,
        "rescale_flops": chip_2.rescale_flops,
        "extra_standard": standard_memory.extra_elements(),
        "extra_1": memory_1.extra_elements(),
        "extra_2": memory_2.extra_elements(),
        "on_chip": max(chip_1.most_on_chip, chip_2.most_on_chip),
        "standard_intensity": standard_chip.product_flops / (BYTES * standard.total),
        "flash_intensity": chip_2.product_flops / (BYTES * (first if p.version == "1" else second).total),
        "slice": n,
        "error_standard": errors[0],
        "error_1": errors[1],
        "error_2": errors[2],
        "single_error": max(single_errors),
        "statistics_error": max(statistics_errors),
        # of the bound on the output the part that does not come from the values
        "statistics_bound": bound / float(np.abs(v).max()) * float(np.finfo(np.float64).eps),
        "miscounted": miscounted,
        "error_bound": bound * float(np.finfo(np.float64).eps),
        "single_error_bound": bound * float(np.finfo(np.float32).eps),
        "keys_seen": np.minimum(np.arange(1, len(states) + 1) * block, n),
        "output_so_far": np.array([(state.o / state.l)[0, 0] for state in states]),
        "largest_so_far": np.array([state.m[0, 0] for state in states]),
        "without_rescaling": unscaled,
        "final": float(exact[0, 0]),
    }


def check(p: Params, predicted: Results, results: Results) -> tuple[Check, ...]:
    count = Text("a count of whole elements: exact", "按元素计数：精确相等")
    rounding = Text(
        "first-order bound on rounding, from the sizes of these very scores and values",
        "由这组分数与 V 的大小算出的一阶舍入误差上界",
    )

    def counted_exactly(name: str, expected: str, found: str, claim: Text) -> Check:
        return Check(name, claim, float(predicted[expected]), float(results[found]), 0.0, count)

    def error(name: str, found: str, bound: str, claim: Text) -> Check:
        return Check(name, claim, 0.0, results[found], results[bound], rounding)

    return (
        counted_exactly(
            "counted-standard",
            "standard",
            "standard",
            Text("elements moved by standard attention", "标准注意力搬运的元素数"),
        ),
        counted_exactly(
            "counted-flash-1",
            "flash_1",
            "flash_1",
            Text("elements moved by FlashAttention-1", "FlashAttention-1 搬运的元素数"),
        ),
        counted_exactly(
            "counted-flash-2",
            "flash_2",
            "flash_2",
            Text("elements moved by FlashAttention-2", "FlashAttention-2 搬运的元素数"),
        ),
        counted_exactly(
            "output-writes-1",
            "output_writes_1",
            "output_writes_1",
            Text(
                "times version 1 writes the output, its set-up included",
                "第 1 版写输出的遍数（含初始化）",
            ),
        ),
        counted_exactly(
            "output-writes-2",
            "output_writes_2",
            "output_writes_2",
            Text("times version 2 writes the output", "第 2 版写输出的遍数"),
        ),
        *(
            counted_exactly(
                name,
                "product_flops",
                found,
                Text(f"FLOPs of the matrix products, {en}", f"矩阵乘法的 FLOPs，{zh}"),
            )
            for name, found, en, zh in (
                ("products-standard", "standard_flops", "standard", "标准注意力"),
                ("products-1", "product_flops_1", "version 1", "第 1 版"),
                ("products-2", "product_flops_2", "version 2", "第 2 版"),
            )
        ),
        counted_exactly(
            "rescaling-costs",
            "rescale_flops",
            "rescale_flops",
            Text("multiplications version 2 spends on rescaling", "第 2 版花在缩放上的乘法次数"),
        ),
        *(
            counted_exactly(
                name,
                found,
                found,
                Text(f"elements held beyond Q, K, V, O: {en}", f"Q、K、V、O 之外占用的元素数：{zh}"),
            )
            for name, found, en, zh in (
                ("extra-standard", "extra_standard", "standard", "标准注意力"),
                ("extra-1", "extra_1", "version 1", "第 1 版"),
                ("extra-2", "extra_2", "version 2", "第 2 版"),
            )
        ),
        Check(
            "tiles-fit",
            Text("the tiles of Q, K, V, O fit into the SRAM", "Q、K、V、O 的分块放得进 SRAM"),
            predicted=float(p.sram * 1024 // BYTES),
            measured=float(results["on_chip"]),
            tolerance=0.0,
            law=count,
            relation="<=",
        ),
        Check(
            "counts-are-of-these-loops",
            Text(
                "on the slice, the loops count the same with and without arithmetic",
                "在切片上，同一循环做不做运算，计数都相同",
            ),
            predicted=0.0,
            measured=float(results["miscounted"]),
            tolerance=0.0,
            law=count,
        ),
        *(
            error(
                f"exact-{key}",
                f"error_{key}",
                "error_bound",
                Text(f"{en}: the numbers of the attention layer", f"{zh}：与注意力层数值一致"),
            )
            for key, en, zh in (
                ("standard", "standard loops", "标准循环"),
                ("1", "version 1", "第 1 版"),
                ("2", "version 2", "第 2 版"),
            )
        ),
        error(
            "row-statistics",
            "statistics_error",
            "statistics_bound",
            Text(
                "both versions keep $\\ln \\sum_j e^{s_j}$ of each row, up to rounding",
                "两个版本都为每行保存 $\\ln \\sum_j e^{s_j}$，只差舍入",
            ),
        ),
        error(
            "exact-single",
            "single_error",
            "single_error_bound",
            Text("all three in float32, against float64", "三者用 float32，对照 float64"),
        ),
    )


def figures(p: Params, predicted: Results, results: Results) -> tuple[Figure, ...]:
    _, columns_1, rows_2, _ = tiles(p)
    lengths = np.array([2.0**power for power in range(6, 14)])
    names = {
        "standard": Text("standard", "标准注意力"),
        "flash_1": same("FlashAttention-1"),
        "flash_2": same("FlashAttention-2"),
    }
    curves = {
        "standard": standard_traffic(lengths, p.d),
        "flash_1": flash_1_traffic(lengths, p.d, np.ceil(lengths / columns_1)),
        "flash_2": flash_2_traffic(lengths, p.d, np.ceil(lengths / rows_2)),
    }
    seen = results["keys_seen"].astype(float)
    return (
        Plot(
            Text("Elements moved to and from memory", "显存读写的元素数"),
            Text(
                f"all three grow like N² in the end, FlashAttention with a factor that d and the SRAM set; at N = {p.N} "
                f"standard attention moves {results['traffic_ratio']:.2f} times what version {p.version} moves",
                f"三者最终都按 N² 增长，而 FlashAttention 的系数由 d 与 SRAM 决定；N = {p.N} 时标准注意力的搬运量是"
                f"第 {p.version} 版的 {results['traffic_ratio']:.2f} 倍",
            ),
            Axis(Text("tokens N", "序列长度 N"), "log"),
            Axis(Text("elements", "元素数"), "log"),
            (
                *(
                    Line(
                        Text(f"{names[key].en}, predicted", f"{names[key].zh}，预测"),
                        lengths,
                        np.asarray(curve, dtype=float),
                        "context" if key == "standard" else "predicted",
                    )
                    for key, curve in curves.items()
                ),
                *(
                    Points(
                        Text(f"{name.en}, counted", f"{name.zh}，计数"),
                        np.array([float(p.N)]),
                        np.array([float(results[key])]),
                        "other" if key == "standard" else "measured",
                    )
                    for key, name in names.items()
                ),
            ),
        ),
        Plot(
            Text("The output of one query, block by block", "一个 query 的输出，逐块更新"),
            Text(
                "the running output is a true softmax over the keys seen and ends at the exact value; without rescaling it "
                "ends elsewhere",
                "逐块更新的输出始终是已读 key 上的真实 softmax，最后落在精确值上；不做缩放则落到别处",
            ),
            Axis(Text("keys seen", "已读的 key 数")),
            Axis(Text("first output component", "输出的第一个分量")),
            (
                Line(Text("online softmax", "在线 softmax"), seen, results["output_so_far"], "measured"),
                Line(Text("without rescaling", "不做缩放"), seen, results["without_rescaling"], "popular"),
                Rule(Text("standard attention", "标准注意力"), results["final"], "y", "predicted"),
            ),
        ),
    )


DEMO = Demonstration(
    id="D52",
    name="flash-attention",
    title=Text("FlashAttention: exact, and counted", "FlashAttention：结果精确，访存可数"),
    shows=Text(
        "softmax can be merged block by block without error, so N × N scores never reach memory; FLOPs do not fall, traffic "
        "does, by a factor that depends on d and the SRAM",
        "softmax 可以逐块合并而毫无误差，N × N 的分数矩阵因此不必写入显存；FLOPs 并未减少，减少的是访存，倍数取决于 d 与 SRAM",
    ),
    kills=Text(
        "FlashAttention is approximate; it computes less; it always writes its output once",
        "FlashAttention 是近似算法；它算得更少；它总是只写一次输出",
    ),
    parameters=(
        Parameter("N", "N", Text("tokens", "序列长度"), 1024, 64, 8192, 1.0, "int", "log"),
        Parameter("d", "d", Text("width of the head", "单个头的维度"), 64, 16, 128, 16.0, "int"),
        Parameter(
            "sram",
            r"M",
            Text("on-chip memory of one multiprocessor", "单个流多处理器的片上 SRAM"),
            100,
            96,
            256,
            4.0,
            "int",
            unit=same("KB"),
        ),
        Parameter(
            "version",
            r"\text{version}",
            Text("loop order", "循环次序"),
            "2",
            kind="choice",
            choices=(
                Choice("1", Text("1: keys outside, queries inside", "1：外层 key，内层 query")),
                Choice("2", Text("2: queries outside, keys inside", "2：外层 query，内层 key")),
            ),
        ),
        Parameter(
            "tiles",
            r"\text{tiles}",
            Text("tiles of version 2", "第 2 版的分块"),
            "swapped",
            kind="choice",
            choices=(
                Choice("swapped", Text("the large block for the queries", "大块给 query")),
                Choice(
                    "same", Text("the large block for the keys, as in version 1", "大块给 key，与第 1 版相同")
                ),
            ),
        ),
        Parameter(
            "spread", r"\sigma", Text("standard deviation of the scores", "分数的标准差"), 3.0, 0.5, 10.0, 0.5
        ),
    ),
    derive=derive,
    predict=predict,
    measure=measure,
    check=check,
    figures=figures,
    headline=Headline(
        "traffic_ratio",
        Text(
            "elements standard attention moves for each one of FlashAttention",
            "标准注意力与 FlashAttention 搬运的元素数之比",
        ),
        same("×"),
        0.3,
        300.0,
        "log",
    ),
)
