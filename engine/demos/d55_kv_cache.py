"""D55: the KV cache: what it saves, what it costs, and what it leaves as it was.

Shazeer 2019, section 2.4 (incremental decoding) and section 3 (multi-query); Ainslie et al. 2023, section 2.2 (grouped-query);
Pope et al. 2022, section 3.3 (memory of the cache).
"""

from __future__ import annotations

import numpy as np

from engine.demonstration import Array, Check, Choice, Demonstration, Headline, Parameter, Params, Results
from engine.figure import Axis, Figure, Line, Plot, Points, Rule
from engine.nn.kv_cache import GroupedWeights, LayerCache, Work, decode_cached, decode_uncached
from engine.proof.step import Expr, Step, cited, defined, equal, exhausted, let, ordered, popular_error
from engine.text import Text, same

GIB = 2**30
QUERY_HEADS = 64
"""Of the multi-head model that the cache is compared with, as in Llama 2 70B."""

DTYPES = {"1": np.int8, "2": np.float16, "4": np.float32}

HEADS, KV_HEADS, WIDTH, D_MODEL = 4, 2, 8, 16
"""The small layer that is decoded here."""


# The formulas: the proof checks them with SymPy symbols, the prediction evaluates them with numbers.
def cache_bytes(layers: Expr, kv_heads: Expr, width: Expr, tokens: Expr, size: Expr, batch: Expr) -> Expr:
    """Keys and values of every layer, key-value head, token and sequence of the batch."""
    return 2 * layers * kv_heads * width * tokens * size * batch


def cached_scores(n: Expr) -> Expr:
    """Scores of one head for n tokens with a cache: the t-th token meets t keys."""
    return n * (n + 1) / 2


def uncached_scores(n: Expr) -> Expr:
    """The same without: the t-th step computes a whole t by t matrix anew."""
    return n * (n + 1) * (2 * n + 1) / 6


def score_ratio(n: Expr) -> Expr:
    """How many times the scores the lack of a cache costs."""
    return (2 * n + 1) / 3


def projection_ratio(n: Expr) -> Expr:
    """The same of the rows projected to keys and values."""
    return (n + 1) / 2


def derive() -> tuple[Step, ...]:
    import sympy as sp

    from engine.proof.row_softmax import RowSoftmax

    n, t, L, n_kv, d_h, s, b, B, h = sp.symbols("n t L n_kv d_h s b B h", integer=True, positive=True)
    M, M_h, F = sp.symbols("M M_h F", positive=True)
    S = sp.ImmutableMatrix(3, 3, sp.symbols("s_(1:4)(1:4)", real=True))
    masked = sp.ImmutableMatrix(3, 3, lambda i, j: S[i, j] if j <= i else -sp.oo)
    value = sp.ImmutableMatrix(3, 1, sp.symbols("v_1:4", real=True))
    last = sp.ImmutableMatrix([[0, 0, 1]])
    steps, squares = sp.Sum(t, (t, 1, n)), sp.Sum(t**2, (t, 1, n))
    whole = cache_bytes(L, n_kv, d_h, s, b, B)
    flops = 2 * 2 * h * d_h * s * L * B
    llama = {L: sp.Integer(80), n_kv: sp.Integer(8), d_h: sp.Integer(128), b: sp.Integer(2)}
    return (
        defined(
            "cache",
            r"K_t = [K_{t-1}; x_t W_K], \qquad V_t = [V_{t-1}; x_t W_V]",
            Text(
                "decoding keeps the keys and values of all earlier tokens and computes those of the newest alone",
                "解码时保留此前所有词元的 key 和 value，只计算最新词元的那一份",
            ),
        ),
        equal(
            "same-output",
            sp.MatMul(last, RowSoftmax(masked), value),
            sp.MatMul(RowSoftmax(S[2, :]), value),
            Text(
                "under a causal mask the last row needs one query only, with all keys and values: the cache changes no output",
                "在因果掩码下，最后一行只需要一个 query 加上全部 key 和 value：缓存不改变任何输出",
            ),
            bound="n=3",
        ),
        equal(
            "scores-with",
            steps,
            cached_scores(n),
            Text(
                "scores with a cache, per head and layer: token $t$ meets $t$ keys",
                "有缓存时每头每层的分数个数：第 $t$ 个词元面对 $t$ 个 key",
            ),
        ),
        equal(
            "scores-without",
            squares,
            uncached_scores(n),
            Text(
                "without it each step computes the whole matrix again",
                "没有缓存时，每一步都要重算整个矩阵",
            ),
        ),
        equal(
            "scores-ratio",
            squares / steps,
            score_ratio(n),
            Text(
                "so the cache saves a factor that grows with $n$",
                "因此缓存节省的倍数随 $n$ 增长",
            ),
            using=[(squares, uncached_scores(n)), (steps, cached_scores(n))],
        ),
        equal(
            "projections-ratio",
            steps / n,
            projection_ratio(n),
            Text(
                "and the projections to keys and values, $t$ rows at step $t$ against one",
                "投影成 key 和 value 的行数也一样：第 $t$ 步是 $t$ 行对 1 行",
            ),
        ),
        equal(
            "still-quadratic",
            sp.Limit(steps / n**2, n, sp.oo),
            sp.Rational(1, 2),
            Text(
                "what is left grows as $n^2 / 2$: the cache turns cubic into quadratic, no further",
                "剩下的仍按 $n^2 / 2$ 增长：缓存把三次方降为二次方，仅此而已",
            ),
        ),
        popular_error(
            "makes-attention-linear",
            steps,
            n,
            Text(
                "'with a KV cache attention is linear': one step is linear in the tokens so far, all steps together are not",
                "“有了 KV 缓存，注意力就是线性的”：单步与已有词元数成正比，所有步加起来并不是",
            ),
        ),
        let(
            "bytes",
            M,
            whole,
            Text(
                "keys and values (2), $L$ layers, $n_{kv}$ heads of width $d_h$, $s$ tokens, $b$ bytes per number, $B$ sequences",
                "key 与 value（2 份）、$L$ 层、$n_{kv}$ 个宽 $d_h$ 的头、$s$ 个词元、每个数 $b$ 字节、$B$ 条序列",
            ),
        ),
        exhausted(
            "llama-2-70b",
            whole,
            "=",
            327680 * s * B,
            Text(
                "Llama 2 70B in 16 bits: 80 layers, 8 key-value heads of width 128 make 320 KiB per token",
                "16 位的 Llama 2 70B：80 层、8 个宽 128 的 key-value 头，每个词元 320 KiB",
            ),
            over=(llama,),
            bound="L=80, n_kv=8, d_h=128, b=2",
        ),
        let(
            "multi-head-bytes",
            M_h,
            cache_bytes(L, h, d_h, s, b, B),
            Text(
                "multi-head attention keeps one for each of the $h$ query heads",
                "多头注意力为 $h$ 个 query 头各存一份",
            ),
        ),
        equal(
            "grouping-saves",
            M_h / M,
            h / n_kv,
            Text(
                "sharing key-value heads shrinks it by the size of a group: 64 query heads over 8 make it 8 times smaller",
                "共享 key-value 头使缓存按组的大小缩小：64 个 query 头共享 8 个，缩小 8 倍",
            ),
            using=[(M_h, cache_bytes(L, h, d_h, s, b, B)), (M, whole)],
        ),
        popular_error(
            "lowers-memory",
            whole,
            cache_bytes(1, n_kv, d_h, s, b, B),
            Text(
                "'the KV cache lowers memory': recomputing needs the keys and values of one layer at a time, the cache holds those of "
                "all $L$; it buys time with memory",
                "“KV 缓存能省内存”：重算时一次只需一层的 key 和 value，缓存却要保存全部 $L$ 层；它是用内存换时间",
            ),
            op="<",
        ),
        let(
            "flops",
            F,
            flops,
            Text(
                "one decoding step: a multiplication and an addition for each component of each key and value, for every query head",
                "解码一步：每个 query 头对每个 key 与 value 的每个分量各做一次乘法和一次加法",
            ),
        ),
        popular_error(
            "sharing-saves-operations",
            flops,
            flops * n_kv / h,
            Text(
                "'sharing key-value heads makes attention cheaper to compute': the operations do not contain $n_{kv}$, every query head "
                "still meets every key",
                "“共用 KV 头使注意力计算更省”：运算次数里没有 $n_{kv}$，每个 query 头仍要与每个 key 相遇",
            ),
        ),
        equal(
            "intensity",
            F / M,
            2 * h / (n_kv * b),
            Text(
                "each step reads the whole cache: so many FLOPs per byte, whatever $s$ and $B$ are. At $h = n_{kv}$ and 16 bits one: "
                "decoding waits for memory, and sharing heads is what helps",
                "每一步都要读完整个缓存：每字节的 FLOP 数如此，与 $s$、$B$ 无关。$h = n_{kv}$、16 位时只有 1："
                "解码受限于内存带宽，共享头才有帮助",
            ),
            using=[(F, flops), (M, whole)],
        ),
        ordered(
            "each-token-adds",
            cache_bytes(L, n_kv, d_h, s + 1, b, B),
            ">",
            whole,
            Text(
                "and it only grows, token by token, unlike the fixed state of an RNN",
                "而且它逐词元增长，不像 RNN 的状态那样大小固定",
            ),
        ),
        cited(
            "models",
            r"n_{kv} = 8, \qquad h = 64, \qquad L = 80",
            Text(
                "the 70B model shares key-value heads, its smaller siblings of 7B and 13B do not",
                "70B 模型共享 key-value 头，同系列的 7B 与 13B 则不共享",
            ),
            "Touvron et al. 2023 (Llama 2), section 2.2 and appendix A.2.1",
        ),
    )


def predict(p: Params) -> Results:
    size = int(p.b)
    per_token = cache_bytes(p.L, p.n_kv, p.d_h, 1, size, p.B)
    return {
        "bytes_per_token": per_token,
        "gib": cache_bytes(p.L, p.n_kv, p.d_h, p.s, size, p.B) / GIB,
        "multi_head_gib": cache_bytes(p.L, QUERY_HEADS, p.d_h, p.s, size, p.B) / GIB,
        "cached_scores": cached_scores(p.n),
        "uncached_scores": uncached_scores(p.n),
        "score_ratio": score_ratio(p.n),
        "projection_ratio": projection_ratio(p.n),
    }


def grown_bytes(layers: int, kv_heads: int, p: Params) -> list[int]:
    """Bytes of the filled part of real caches, one a layer, at one and at two tokens."""
    caches = [LayerCache(p.B, kv_heads, 2, p.d_h, DTYPES[p.b]) for _ in range(layers)]
    sizes = []
    for length in (1, 2):
        for cache in caches:
            cache.length = length
        sizes.append(sum(cache.nbytes for cache in caches))
    return sizes


def decode(n: int, rng: np.random.Generator) -> Results:
    """n tokens through the small layer, with a cache and without; the work done after each token."""
    scale = 1 / np.sqrt(D_MODEL)
    weights = GroupedWeights(
        rng.standard_normal((D_MODEL, HEADS * WIDTH)) * scale,
        rng.standard_normal((D_MODEL, KV_HEADS * WIDTH)) * scale,
        rng.standard_normal((D_MODEL, KV_HEADS * WIDTH)) * scale,
        HEADS,
        KV_HEADS,
    )
    x = rng.standard_normal((1, n, D_MODEL))
    cache, cached, uncached = LayerCache(1, KV_HEADS, n, WIDTH), Work(), Work()
    apart, counts = 0.0, []
    for t in range(1, n + 1):
        one = decode_cached(x[:, t - 1 : t], weights, cache, cached)
        other = decode_uncached(x[:, :t], weights, uncached)
        apart = max(apart, float(np.abs(one - other).max()))
        counts.append((cached.scores, uncached.scores))
    return {
        "apart": apart,
        "counts": np.array(counts, dtype=float),
        "cached_scores": cached.scores,
        "uncached_scores": uncached.scores,
        "score_ratio": uncached.scores / cached.scores,
        "projection_ratio": uncached.projected / cached.projected,
    }


def measure(p: Params, rng: np.random.Generator) -> Results:
    one, two = grown_bytes(p.L, p.n_kv, p)
    (every_head,) = {after - before for before, after in [grown_bytes(1, QUERY_HEADS, p)]}
    return {
        **decode(p.n, rng),
        "bytes_per_token": two - one,
        "first_token_bytes": one,
        "gib": (two - one) * p.s / GIB,
        "multi_head_gib": every_head * p.L * p.s / GIB,
    }


def check(p: Params, predicted: Results, results: Results) -> tuple[Check, ...]:
    exact = Text("exact count", "精确计数")

    def counted(name: str, key: str, claim: Text) -> Check:
        return Check(name, claim, float(predicted[key]), float(results[key]), None, exact)

    return (
        Check(
            "cached-equals-uncached",
            Text(
                "greatest difference of the outputs with and without a cache",
                "有缓存与无缓存输出的最大差别",
            ),
            0.0,
            results["apart"],
            1e-12,
            Text(
                "rounding of sums of at most 64 numbers of order one",
                "不超过 64 个一阶大小的数求和的舍入误差",
            ),
        ),
        counted(
            "bytes-of-one-token",
            "bytes_per_token",
            Text("bytes that one more token adds to real arrays", "多一个词元时真实数组增加的字节数"),
        ),
        Check(
            "no-fixed-part",
            Text(
                "the first token takes as much as the second: size grows in proportion to tokens",
                "第一个词元与第二个占用相同：大小与词元数成正比",
            ),
            float(results["bytes_per_token"]),
            float(results["first_token_bytes"]),
            None,
            exact,
        ),
        counted(
            "cached-score-count",
            "cached_scores",
            Text("scores computed with a cache", "有缓存时计算的分数个数"),
        ),
        counted(
            "uncached-score-count",
            "uncached_scores",
            Text("scores computed without a cache", "无缓存时计算的分数个数"),
        ),
        Check(
            "projected-rows",
            Text(
                "rows projected without a cache for each one projected with it", "无缓存与有缓存投影行数之比"
            ),
            predicted["projection_ratio"],
            results["projection_ratio"],
            1e-12 * predicted["projection_ratio"],
            Text("rounding of one division", "一次除法的舍入误差"),
        ),
        Check(
            "multi-head-size",
            Text(
                "GiB with a key-value head for each of 64 query heads",
                "64 个 query 头各有 key-value 头时的 GiB",
            ),
            predicted["multi_head_gib"],
            results["multi_head_gib"],
            1e-12 * predicted["multi_head_gib"],
            Text("rounding of one division", "一次除法的舍入误差"),
        ),
    )


def figures(p: Params, predicted: Results, results: Results) -> tuple[Figure, ...]:
    tokens: Array = np.geomspace(1, 1e6, 31)
    steps: Array = np.arange(1.0, p.n + 1)

    def size(kv_heads: int) -> Array:
        return np.asarray(cache_bytes(p.L, kv_heads, p.d_h, tokens, int(p.b), p.B) / GIB, dtype=float)

    return (
        Plot(
            Text("Size of the cache against tokens", "缓存大小随词元数的变化"),
            Text(
                "the cache grows in proportion to the tokens; sharing heads moves the line down, never bends it",
                "缓存与词元数成正比；共享头只是把直线往下移，并不改变走势",
            ),
            Axis(Text("tokens", "词元数"), "log"),
            Axis(same("GiB"), "log"),
            (
                Line(
                    Text("one key-value head per query head", "每个 query 头各一份"),
                    tokens,
                    size(64),
                    "popular",
                ),
                Line(Text("KV heads as set", "当前的 KV 头数"), tokens, size(p.n_kv), "predicted"),
                Line(Text("multi-query, 1 KV head", "多查询，1 个 KV 头"), tokens, size(1), "context"),
                Points(
                    Text("measured, now", "当前实测"),
                    np.array([float(p.s)]),
                    np.array([results["gib"]]),
                    "measured",
                ),
                Rule(Text("80 GiB", "80 GiB"), 80.0, "y", "bound"),
            ),
        ),
        Plot(
            Text("Scores computed so far", "累计计算的分数个数"),
            Text(
                "with the cache the total still bends upwards: quadratic instead of cubic, not linear",
                "有缓存时总量仍然向上弯：从三次方降为二次方，并非线性",
            ),
            Axis(Text("tokens decoded", "已解码的词元数")),
            Axis(Text("scores", "分数个数"), "log"),
            (
                Points(Text("with a cache", "有缓存"), steps, results["counts"][:, 0], "measured"),
                Points(Text("without", "无缓存"), steps, results["counts"][:, 1], "other"),
                Line(
                    Text("n (n + 1) / 2", "n (n + 1) / 2"),
                    steps,
                    np.asarray(cached_scores(steps)),
                    "predicted",
                ),
                Line(Text("if it were linear", "若是线性"), steps, steps, "popular"),
            ),
        ),
    )


DEMO = Demonstration(
    id="D55",
    name="kv-cache",
    title=Text("The KV cache", "KV 缓存"),
    shows=Text(
        "the cache leaves every output as it was and saves a factor $(2n + 1) / 3$ of the scores; it costs memory that grows "
        "with every token, and attention stays quadratic",
        "缓存不改变任何输出，分数计算量省下 $(2n + 1) / 3$ 倍；代价是随每个词元增长的内存，而注意力仍是二次的",
    ),
    kills=Text(
        "“the KV cache lowers memory”, “the KV cache makes attention linear”",
        "“KV 缓存能省内存”“KV 缓存让注意力变成线性”",
    ),
    parameters=(
        Parameter("L", "L", Text("layers", "层数"), 80, 1, 128, 1.0, "int"),
        Parameter("n_kv", "n_{kv}", Text("key-value heads", "key-value 头数"), 8, 1, 64, 1.0, "int", "log"),
        Parameter("d_h", "d_h", Text("width of one head", "单个头的维度"), 128, 1, 256, 1.0, "int", "log"),
        Parameter(
            "s",
            "s",
            Text("tokens in the cache", "缓存中的词元数"),
            131072,
            1,
            1_000_000,
            1.0,
            "int",
            "log",
        ),
        Parameter(
            "b",
            "b",
            Text("bytes per number", "每个数的字节数"),
            "2",
            kind="choice",
            choices=(
                Choice("1", Text("1 (int8)", "1（int8）")),
                Choice("2", Text("2 (16 bits)", "2（16 位）")),
                Choice("4", Text("4 (32 bits)", "4（32 位）")),
            ),
        ),
        Parameter("B", "B", Text("sequences at once", "同时处理的序列数"), 1, 1, 32, 1.0, "int", "log"),
        Parameter("n", "n", Text("tokens decoded here", "此处解码的词元数"), 24, 1, 64, 1.0, "int"),
    ),
    derive=derive,
    predict=predict,
    measure=measure,
    check=check,
    figures=figures,
    headline=Headline("gib", Text("size of the cache", "缓存的大小"), same("GiB"), 1e-6, 1e6, "log"),
)
