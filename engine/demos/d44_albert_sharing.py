"""D44: ALBERT's two ways to fewer parameters, and what they do not save.

Lan et al. 2020, section 3.1: the embedding table is factorised, and all layers share their weights.
"""

from __future__ import annotations

import numpy as np

from engine.demonstration import Array, Check, Demonstration, Headline, Parameter, Params, Results
from engine.figure import Axis, Bar, Bars, Figure, Line, Plot, Rule
from engine.nn.embedding import embed, factorised_embed
from engine.proof.step import Expr, Step, cited, equal, ordered, popular_error
from engine.text import Text

WIDTH, TOKENS = 8, 6
"""Of the small stack that really runs; weights and multiplications are counted in it, layer by layer."""
ROUNDING = float(np.finfo(float).eps)


# The formulas: the proof checks them with SymPy symbols, the prediction evaluates them with numbers.
def whole_table(V: Expr, H: Expr) -> Expr:
    return V * H


def factorised_table(V: Expr, E: Expr, H: Expr) -> Expr:
    return V * E + E * H


def break_even(V: Expr, H: Expr) -> Expr:
    """The inner width at which factorising saves nothing."""
    return V * H / (V + H)


def layer_weights(H: Expr) -> Expr:
    """Attention (4 H²) and feed-forward network of inner width 4H (8 H²), biases aside."""
    return 12 * H**2


def layer_products(H: Expr, T: Expr) -> Expr:
    """Multiplications of a layer's weights for T tokens; those between tokens are the same either way."""
    return layer_weights(H) * T


def derive() -> tuple[Step, ...]:
    import sympy as sp

    V, E, H, T = sp.symbols("V E H T", positive=True)
    L = sp.Symbol("L", integer=True, positive=True)
    a, b = (sp.symbols(f"{letter}_1:4", real=True) for letter in "ab")
    i = sp.Symbol("i", integer=True, positive=True)
    narrow = sp.ImmutableMatrix(3, 1, a) * sp.ImmutableMatrix(1, 3, b)
    return (
        equal(
            "saving",
            whole_table(V, H) - factorised_table(V, E, H),
            (V + H) * (break_even(V, H) - E),
            Text(
                r"factorising $V \times H$ into $V \times E$ and $E \times H$ saves in proportion to what $E$ stays below",
                r"把 $V \times H$ 分解为 $V \times E$ 与 $E \times H$，节省量正比于 $E$ 低于门槛的部分",
            ),
        ),
        equal(
            "break-even",
            factorised_table(V, break_even(V, H), H),
            whole_table(V, H),
            Text(r"at $E = VH/(V + H)$ it saves nothing", r"$E = VH/(V + H)$ 时毫无节省"),
        ),
        ordered(
            "break-even-below-width",
            break_even(V, H),
            "<",
            H,
            Text(
                r"the threshold lies below $H$: a factorisation with $E = H$ costs more than the table",
                r"门槛低于 $H$：取 $E = H$ 的分解比原表更大",
            ),
            witness=H**2 / (V + H),
        ),
        equal(
            "rank",
            sp.Determinant(narrow),
            sp.Integer(0),
            Text(
                r"the price is the rank: with $E = 1$ any three tokens' vectors are dependent",
                r"代价是秩：$E = 1$ 时任意三个词元的向量线性相关",
            ),
            bound="E=1, V=H=3",
        ),
        equal(
            "shared-weights",
            sp.Sum(layer_weights(H), (i, 1, L)) / layer_weights(H),
            L,
            Text(
                r"sharing one layer's weights among $L$ layers divides the layer parameters by $L$",
                r"$L$ 层共享一套权重，层参数就除以 $L$",
            ),
        ),
        equal(
            "same-work",
            sp.Sum(layer_products(H, T), (i, 1, L)),
            L * layer_weights(H) * T,
            Text(
                r"but every layer still runs: the multiplications per token are the same",
                r"但每一层照样要算：每个词元的乘法次数不变",
            ),
        ),
        popular_error(
            "fewer-parameters-faster",
            L * layer_products(H, T),
            layer_products(H, T),
            Text("‘fewer parameters, so less computation’: not by sharing", "“参数少了，所以算得快”：共享并不如此"),
        ),
        cited(
            "reported",
            r"\text{ALBERT-xxlarge}: 0.3\times",
            Text(
                "ALBERT-xxlarge has fewer parameters than BERT-large and processes data at about a third of its speed",
                "ALBERT-xxlarge 的参数少于 BERT-large，处理数据的速度却只有它的约三分之一",
            ),
            "Lan et al. 2020, table 2",
        ),
    )  # fmt: skip


def predict(p: Params) -> Results:
    whole, factorised = whole_table(p.V, p.H), factorised_table(p.V, p.E, p.H)
    return {
        "whole": whole,
        "factorised": factorised,
        "embedding_saving": whole / factorised,
        "break_even": break_even(p.V, p.H),
        "weight_ratio": float(p.L),
        "product_ratio": 1.0,
    }


class Stack:
    """A stack of feed-forward layers that counts its distinct weights and its multiplications."""

    def __init__(self, layers: int, shared: bool, rng: np.random.Generator) -> None:
        def layer() -> tuple[Array, Array]:
            return rng.standard_normal((WIDTH, 4 * WIDTH)), rng.standard_normal((4 * WIDTH, WIDTH))

        self.layers = [layer()] * layers if shared else [layer() for _ in range(layers)]
        self.products = 0

    @property
    def weights(self) -> int:
        distinct = {id(weight): weight.size for layer in self.layers for weight in layer}
        return sum(distinct.values())

    def run(self, x: Array) -> Array:
        for into, out in self.layers:
            x = x + np.tanh(self._times(np.maximum(self._times(x, into), 0.0), out))
        return x

    def _times(self, x: Array, weight: Array) -> Array:
        self.products += x.shape[0] * weight.size
        product: Array = x @ weight
        return product


def measure(p: Params, rng: np.random.Generator) -> Results:
    # arrays of the full shapes: allocated, never filled, their entries counted
    whole = np.empty((p.V, p.H), dtype=np.float16)
    table, projection = np.empty((p.V, p.E), dtype=np.float16), np.empty((p.E, p.H), dtype=np.float16)
    factorised = table.size + projection.size
    own, shared = Stack(p.L, False, rng), Stack(p.L, True, rng)
    x = rng.standard_normal((TOKENS, WIDTH))
    own.run(x)
    shared.run(x)
    inner = min(p.E, 4)
    small, step = rng.standard_normal((12, inner)), rng.standard_normal((inner, 12))
    ids = rng.integers(0, 12, 20)
    gap = np.abs(factorised_embed(ids, small, step) - embed(ids, small @ step)).max()
    return {
        "whole": whole.size,
        "factorised": factorised,
        "embedding_saving": whole.size / factorised,
        "weight_ratio": own.weights / shared.weights,
        "product_ratio": own.products / shared.products,
        "lookup_gap": float(gap),
        "rank": int(np.linalg.matrix_rank(small @ step)),
        "inner": inner,
    }


def check(p: Params, predicted: Results, results: Results) -> tuple[Check, ...]:
    counted = Text("entries of arrays, counted", "清点数组的元素")
    exact = Text("rounding of one small product", "一次小乘法的舍入")

    def same_count(name: str, claim: Text, key: str) -> Check:
        return Check(name, claim, float(predicted[key]), float(results[key]), None, counted)

    return (
        same_count("whole-table", Text("entries of the whole table", "完整词表的元素数"), "whole"),
        same_count("factorised-table", Text("entries of the two factors", "两个因子的元素数"), "factorised"),
        same_count(
            "weights-by-sharing",
            Text("weights without sharing over weights with it", "不共享与共享的权重数之比"),
            "weight_ratio",
        ),
        same_count(
            "products-by-sharing",
            Text("multiplications without sharing over those with it", "不共享与共享的乘法次数之比"),
            "product_ratio",
        ),
        Check(
            "factor-then-look-up",
            Text(
                "looking up and projecting gives the row of the product table",
                "先查表再投影，等于在乘积表中查表",
            ),
            0.0,
            results["lookup_gap"],
            64 * ROUNDING * 12,
            exact,
        ),
        Check(
            "rank-at-most-inner-width",
            Text("the product table has rank at most E", "乘积表的秩至多为 E"),
            float(results["inner"]),
            float(results["rank"]),
            None,
            Text("numerical rank of a 12 × 12 table", "12 × 12 词表的数值秩"),
            "<=",
        ),
    )


def figures(p: Params, predicted: Results, results: Results) -> tuple[Figure, ...]:
    widths = np.unique(np.geomspace(1, 2 * predicted["break_even"], 60))
    return (
        Bars(
            Text("Embedding parameters", "词嵌入参数"),
            Text("the two factors against the whole table", "两个因子与完整词表的比较"),
            Axis(Text("parameters", "参数个数"), low=0.0),
            (
                Bar(Text("whole table", "完整词表"), float(results["whole"])),
                Bar(Text("two factors", "两个因子"), float(results["factorised"]), "other"),
            ),
        ),
        Plot(
            Text("Factors against the inner width", "因子大小随内部宽度的变化"),
            Text(
                "factorising saves only left of the crossing, which lies below H",
                "只有在交点左侧才有节省，交点小于 H",
            ),
            Axis(Text("inner width E", "内部宽度 E"), "log"),
            Axis(Text("parameters", "参数个数"), "log"),
            (
                Line(
                    Text("two factors", "两个因子"), widths, factorised_table(p.V, widths, p.H), "predicted"
                ),
                Rule(Text("whole table", "完整词表"), float(predicted["whole"]), "y", "bound"),
                Rule(Text("chosen E", "所选 E"), float(p.E), "x", "context"),
            ),
        ),
    )


DEMO = Demonstration(
    id="D44",
    name="albert-sharing",
    title=Text("ALBERT: fewer parameters, the same work", "ALBERT：参数少了，计算没少"),
    shows=Text(
        r"factorising the embeddings costs $VE + EH$ instead of $VH$; sharing layers divides weights by $L$, not work",
        r"分解词嵌入只需 $VE + EH$ 而非 $VH$；层间共享使权重除以 $L$，计算量不变",
    ),
    kills=Text("“fewer parameters means faster”", "“参数少就更快”"),
    parameters=(
        Parameter("V", "V", Text("vocabulary size", "词表大小"), 30000, 1000, 100000, 0.25, "int", "log"),
        Parameter(
            "E",
            "E",
            Text("inner width of the embedding", "词嵌入的内部宽度"),
            128,
            8,
            1024,
            1.0,
            "int",
            "log",
        ),
        Parameter("H", "H", Text("width of the model", "模型宽度"), 768, 64, 2048, 1.0, "int", "log"),
        Parameter("L", "L", Text("layers", "层数"), 12, 1, 48, 1, "int"),
    ),
    derive=derive,
    predict=predict,
    measure=measure,
    check=check,
    figures=figures,
    headline=Headline(
        "embedding_saving",
        Text("whole table over factorised table", "完整词表与分解后大小之比"),
        Text("times", "倍"),
        0.1,
        100.0,
        "log",
    ),
)
