"""D35: where the parameters of real models are: feed-forward networks first, then attention, then embeddings.

Vaswani et al. 2017, section 3; Devlin et al. 2019, section 3; Radford et al. 2019, section 2.3; Dosovitskiy et al. 2021, table 1.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.demonstration import Check, Choice, Demonstration, Headline, Parameter, Params, Results
from engine.figure import Axis, Bar, Bars, Figure, Line, Plot, Points
from engine.nn.counted import Tally, counted
from engine.nn.softmax import Floats
from engine.nn.transformer import (
    AttentionWeights,
    FeedForwardWeights,
    feed_forward,
    new_decoder_layer,
    new_encoder_layer,
    new_feed_forward,
    new_linear,
    new_norm,
    parameters,
)
from engine.nn.transformer_layer import encoder_layer
from engine.nn.vision_transformer import new_vision_transformer
from engine.proof.step import Expr, Step, cited, equal, exhausted, popular_error
from engine.text import Text, same

PARTS = ("embeddings", "attention", "feed_forward", "rest")
NETWORK, POSITIONS = 16, 6
"""Of the network that really runs, and the positions it runs at."""


# The formulas: the proof checks them with SymPy symbols, the prediction evaluates them with numbers.
def attention_parameters(d: Expr) -> Expr:
    """Four square projections with a bias each; the number of heads does not matter."""
    return 4 * d**2 + 4 * d


def network_parameters(d: Expr, ratio: Expr) -> Expr:
    """Two maps between d and ratio · d, with their biases."""
    return 2 * ratio * d**2 + (ratio + 1) * d


def matrix_entries(d: Expr, ratio: Expr) -> Expr:
    """Of one encoder layer; each is multiplied once a token. Biases and norms enter no matrix product."""
    return 4 * d**2 + 2 * ratio * d**2


def norm_parameters(d: Expr) -> Expr:
    return 2 * d


def encoder_parameters(d: Expr, ratio: Expr) -> Expr:
    return attention_parameters(d) + network_parameters(d, ratio) + 2 * norm_parameters(d)


def decoder_parameters(d: Expr, ratio: Expr) -> Expr:
    """With a second attention, over the encoder's output, and a third norm."""
    return 2 * attention_parameters(d) + network_parameters(d, ratio) + 3 * norm_parameters(d)


@dataclass(frozen=True)
class Shape:
    """A model's sizes: ``rows`` of all embedding tables, layers of both kinds, and the entries of what stands beside them."""

    d: int
    ratio: int
    rows: int
    encoders: int
    decoders: int
    rest: int


def shape_of(p: Params) -> Shape:
    match p.preset:
        case "transformer":
            # one table for source, target and output; sinusoidal positions have no parameters
            return Shape(512, 4, 37_000, 6, 6, 0)
        case "bert":
            # words, positions, segments; a norm on them; the pooler
            return Shape(768, 4, 30_522 + 512 + 2, 12, 0, 2 * 768 + 768 * 768 + 768)
        case "gpt2":
            return Shape(768, 4, 50_257 + 1024, 12, 0, 2 * 768)
        case "vit":
            # class token and positions; patch map, final norm, head
            return Shape(768, 4, 1 + 197, 12, 0, 768 * 768 + 768 + 2 * 768 + 768 * 1000 + 1000)
        case _:
            return Shape(p.d, p.ratio, p.V + 1024, p.layers, 0, 2 * p.d)


def parts_of(shape: Shape) -> dict[str, float]:
    layers = shape.encoders + shape.decoders
    attention = attention_parameters(shape.d) * (shape.encoders + 2 * shape.decoders)
    norms = norm_parameters(shape.d) * (2 * shape.encoders + 3 * shape.decoders)
    return {
        "embeddings": shape.rows * shape.d,
        "attention": attention,
        "feed_forward": network_parameters(shape.d, shape.ratio) * layers,
        "rest": norms + shape.rest,
    }


def derive() -> tuple[Step, ...]:
    return (*_layers(), *_models(), *_positions())


def _layers() -> tuple[Step, ...]:
    import sympy as sp

    d, r = sp.symbols("d r", integer=True, positive=True)
    weights = matrix_entries(d, r)
    attention, network, norm = map(sp.UnevaluatedExpr, (4 * d**2 + 4 * d, 8 * d**2 + 5 * d, 2 * d))
    return (
        equal(
            "encoder-layer",
            attention + network + 2 * norm,
            encoder_parameters(d, 4),
            Text("an encoder layer: attention $4d^2$, network $8d^2$, and the biases and norms", "编码器层：注意力 $4d^2$、前馈网络 $8d^2$，外加偏置与归一化"),
        ),
        equal(
            "decoder-layer",
            2 * attention + network + 3 * norm,
            decoder_parameters(d, 4),
            Text("a decoder layer has a second attention, over the encoder", "解码器层多一个对编码器输出的交叉注意力"),
        ),
        equal(
            "attention-share",
            4 * d**2 / weights,
            2 / (2 + r),
            Text("attention's share of a layer's matrices, at inner width $r d$", "内部宽度为 $r d$ 时，注意力占一层矩阵参数的比例"),
        ),
        equal(
            "network-share",
            sp.UnevaluatedExpr(2 * 4 * d**2) / matrix_entries(d, 4),
            sp.Rational(2, 3),
            Text("the usual $r = 4$: two thirds in the network, one third in attention", "通常取 $r = 4$：前馈网络占三分之二，注意力占三分之一"),
        ),
        equal(
            "biases-and-norms",
            sp.Limit(matrix_entries(d, 4) / encoder_parameters(d, 4), d, sp.oo),
            sp.Integer(1),
            Text("biases and norms vanish beside the matrices in a wide layer", "层越宽，偏置与归一化的参数相对矩阵越可忽略"),
        ),
        popular_error(
            "attention-holds-most",
            4 * d**2,
            8 * d**2,
            Text("'attention holds most of the parameters': half as many as the network", "“参数大多在注意力里”：只有前馈网络的一半"),
            op=">",
        ),
        equal(
            "gated",
            3 * sp.UnevaluatedExpr(8 * d / 3) * d,
            8 * d**2,
            Text("SwiGLU has three matrices, so its inner width is $8d/3$ for the same budget", "SwiGLU 有三个矩阵，要同样的参数量，内部宽度取 $8d/3$"),
        ),
    )  # fmt: skip


def _models() -> tuple[Step, ...]:
    import sympy as sp

    d, V, n = sp.symbols("d V n", integer=True, positive=True)
    bert = {d: 768, V: 30_522, n: 512}
    gpt2 = {d: 768, V: 50_257, n: 1024}
    return (
        exhausted(
            "bert-base",
            (V + n + 2) * d + 2 * d + 12 * encoder_parameters(d, 4) + d**2 + d,
            "=",
            sp.Integer(109_482_240),
            Text("BERT-base: words, positions and two segments, a norm, twelve layers, the pooler", "BERT-base：词、位置与两个句段的嵌入，一个归一化，十二层，池化层"),
            over=(bert,),
            bound="d=768, V=30522, n=512",
        ),
        exhausted(
            "bert-positions",
            n * d,
            "=",
            sp.Integer(393_216),
            Text("its learned positions; beyond 512 there is none to look up", "其中可学习的位置嵌入；超过 512 就无行可查"),
            over=(bert,),
            bound="d=768, n=512",
        ),
        exhausted(
            "gpt2",
            (V + n) * d + 12 * encoder_parameters(d, 4) + 2 * d,
            "=",
            sp.Integer(124_439_808),
            Text("GPT-2 (small): the same layers under a causal mask, no cross-attention, output tied to the embedding", "GPT-2（small）：同样的层加因果掩码，没有交叉注意力，输出层与词嵌入共享"),
            over=(gpt2,),
            bound="d=768, V=50257, n=1024",
        ),
        exhausted(
            "transformer-base",
            V * d + 6 * 12 * d**2 + 6 * 16 * d**2,
            "=",
            sp.Integer(62_984_192),
            Text("Transformer-base, matrices only: one shared table, six layers of each kind", "Transformer-base，只计矩阵：一张共享词表，编码器与解码器各六层"),
            over=({d: 512, V: 37_000},),
            bound="d=512, V=37000",
        ),
        cited(
            "transformer-base-reported",
            r"65 \times 10^6",
            Text("the paper's rounded figure, with a vocabulary of about 37,000", "论文给出的约数，词表约 37,000"),
            "Vaswani et al. 2017, table 3 and section 5.1",
        ),
    )  # fmt: skip


def _positions() -> tuple[Step, ...]:
    import sympy as sp

    x = sp.ImmutableMatrix(3, 2, sp.symbols("x_1:7", real=True))
    W = sp.ImmutableMatrix(2, 2, sp.symbols("w_1:5", real=True))
    U = sp.ImmutableMatrix(2, 2, sp.symbols("u_1:5", real=True))
    P = sp.ImmutableMatrix([[0, 1, 0], [0, 0, 1], [1, 0, 0]])

    def network(rows: Expr) -> Expr:
        return (rows * W).applyfunc(lambda z: sp.Max(0, z)) * U

    return (
        equal(
            "position-wise",
            network(P * x),
            sp.MatMul(P, network(x)),
            Text(
                "the network treats every position alike: moving the rows moves its outputs, nothing else",
                "前馈网络对每个位置一视同仁：打乱行只会同样打乱输出",
            ),
            bound="n=3, d=2",
        ),
    )


def predict(p: Params) -> Results:
    parts = parts_of(shape_of(p))
    total = sum(parts.values())
    return {
        **parts,
        "total": total,
        "network_share": parts["feed_forward"] / total,
        "products_a_token": matrix_entries(NETWORK, 4),
    }


def allocated(shape: tuple[int, ...]) -> Floats:
    """Memory of this size, never written."""
    return np.empty(shape, dtype=np.float16)


def built(p: Params) -> tuple[object, ...]:
    """The whole model as nested tuples of arrays of its true shapes, the embedding tables first."""
    match p.preset:
        case "transformer":
            table = allocated((37_000, 512))
            encoders = tuple(new_encoder_layer(512, 2048, allocated) for _ in range(6))
            return (table, encoders, tuple(new_decoder_layer(512, 2048, allocated) for _ in range(6)))
        case "bert":
            tables = tuple(allocated((rows, 768)) for rows in (30_522, 512, 2))
            layers = tuple(new_encoder_layer(768, 3072, allocated) for _ in range(12))
            return (tables, new_norm(768, allocated), layers, new_linear(768, 768, allocated))
        case "gpt2":
            tables = tuple(allocated((rows, 768)) for rows in (50_257, 1024))
            layers = tuple(new_encoder_layer(768, 3072, allocated) for _ in range(12))
            return (tables, layers, new_norm(768, allocated))
        case "vit":
            vit = new_vision_transformer(224, 16, 3, 768, 3072, 12, 1000, allocated)
            return ((vit.class_token, vit.positions), vit.patch, vit.layers, vit.norm, vit.head)
        case _:
            tables = tuple(allocated((rows, p.d)) for rows in (p.V, 1024))
            layers = tuple(new_encoder_layer(p.d, p.ratio * p.d, allocated) for _ in range(p.layers))
            return (tables, layers, new_norm(p.d, allocated))


def entries(model: object, kind: type) -> int:
    """Entries of all weights of one kind anywhere in the model."""
    if isinstance(model, kind):
        return parameters(model)
    return sum(entries(part, kind) for part in model) if isinstance(model, tuple) else 0


def measure(p: Params, rng: np.random.Generator) -> Results:
    model = built(p)
    total = parameters(model)
    parts = {
        "embeddings": parameters(model[0]),
        "attention": entries(model, AttentionWeights),
        "feed_forward": entries(model, FeedForwardWeights),
    }
    parts["rest"] = total - sum(parts.values())
    network = new_feed_forward(NETWORK, 4 * NETWORK, lambda shape: rng.standard_normal(shape))
    x = rng.standard_normal((POSITIONS, NETWORK))
    order = rng.permutation(POSITIONS)
    moved, still = feed_forward(x[order], network).output, feed_forward(x, network).output[order]
    return {
        **parts,
        "total": total,
        "network_share": parts["feed_forward"] / total,
        "move_gap": float(np.abs(moved - still).max() / np.abs(still).max()),
        **products(),
    }


def products() -> Results:
    """Multiplications of one encoder layer's matrix products for one token, less those between query, key and value."""
    tally = Tally()
    layer = new_encoder_layer(NETWORK, 4 * NETWORK, lambda shape: counted(np.zeros(shape), tally))
    encoder_layer(np.zeros((1, NETWORK)), layer, 1)
    # one query times one key, and one weight times one value: NETWORK each
    return {"products_a_token": tally.in_products - 2 * NETWORK}


def check(p: Params, predicted: Results, results: Results) -> tuple[Check, ...]:
    count = Text("entries of arrays, counted", "清点数组的元素")
    words = {
        "embeddings": Text("embeddings", "嵌入表"),
        "attention": Text("attention", "注意力"),
        "feed_forward": Text("feed-forward networks", "前馈网络"),
        "rest": Text("norms, and maps outside the layers", "归一化与层外的映射"),
        "total": Text("all parameters", "全部参数"),
    }
    return (
        *(
            Check(name.replace("_", "-"), claim, float(predicted[name]), float(results[name]), None, count)
            for name, claim in words.items()
        ),
        Check(
            "products-a-token",
            Text("multiplications per token in a layer's matrices: one for each entry", "一层的矩阵对每个词元做的乘法：每个元素一次"),
            float(predicted["products_a_token"]),
            float(results["products_a_token"]),
            None,
            Text("multiplications, counted", "清点乘法次数"),
        ),
        Check(
            "moved-positions",
            Text("network on moved rows against its rows moved, relative", "先打乱再过网络与先过网络再打乱之差（相对）"),
            0.0,
            results["move_gap"],
            # two products of inner sizes NETWORK and 4 NETWORK, each way
            2 * 5 * NETWORK * float(np.finfo(float).eps) * NETWORK,
            Text("rounding of two products", "两次乘法的舍入"),
        ),
    )  # fmt: skip


def figures(p: Params, predicted: Results, results: Results) -> tuple[Figure, ...]:
    labels = (
        Text("embeddings", "嵌入表"),
        Text("attention", "注意力"),
        Text("feed-forward", "前馈网络"),
        Text("rest", "其余"),
    )
    shape = shape_of(p)
    layers = np.arange(1.0, 49.0)
    outside = predicted["embeddings"] + shape.rest
    depth = shape.encoders + shape.decoders
    per_layer = (predicted["total"] - outside) / depth
    network = predicted["feed_forward"] / depth
    attention = predicted["attention"] / depth
    over = float(results["feed_forward"]) / float(results["attention"])
    return (
        Bars(
            Text("Parameters by part", "各部分的参数"),
            Text(
                f"the feed-forward networks hold {over:.2f} times what attention does",
                f"前馈网络的参数是注意力的 {over:.2f} 倍",
            ),
            Axis(Text("parameters", "参数个数"), low=0.0),
            tuple(
                Bar(label, float(results[part]), "popular" if part == "attention" else "measured")
                for label, part in zip(labels, PARTS, strict=True)
            ),
        ),
        Plot(
            Text("Shares against depth, at this width", "此宽度下各部分占比随层数的变化"),
            Text(
                "the fewer the layers, the larger the share of the embeddings; with depth the other two settle",
                "层数越少，嵌入表的占比越大；层数增加后，另外两项的占比趋于稳定",
            ),
            Axis(Text("layers", "层数")),
            Axis(Text("share of all parameters", "占全部参数的比例"), low=0.0, high=1.0),
            (
                Line(Text("feed-forward", "前馈网络"), layers, network * layers / (outside + per_layer * layers), "predicted"),
                Line(Text("attention", "注意力"), layers, attention * layers / (outside + per_layer * layers), "popular"),
                Line(Text("embeddings", "嵌入表"), layers, predicted["embeddings"] / (outside + per_layer * layers), "context"),
                Points(Text("this model, counted", "此模型，实测计数"), np.array([float(depth)]), np.array([results["network_share"]])),
            ),
        ),
    )  # fmt: skip


DEMO = Demonstration(
    id="D35",
    name="parameter-budget",
    title=Text("Where a model's parameters are", "模型的参数在哪里"),
    shows=Text(
        "per layer attention has $4d^2$ and the feed-forward network $8d^2$; embeddings weigh most in small models",
        "每层注意力 $4d^2$、前馈网络 $8d^2$；模型越小，嵌入表占比越高",
    ),
    kills=Text("“attention holds most of the parameters”", "“参数大多在注意力里”"),
    parameters=(
        Parameter(
            "preset",
            r"\text{model}",
            Text("model", "模型"),
            "bert",
            kind="choice",
            choices=(
                Choice("transformer", same("Transformer-base")),
                Choice("bert", same("BERT-base")),
                Choice("vit", same("ViT-B/16")),
                Choice("gpt2", same("GPT-2")),
                Choice("custom", Text("custom decoder-only", "自定义（仅解码器）")),
            ),
        ),
        Parameter("d", "d", Text("width (custom)", "宽度（自定义）"), 768, 64, 1024, 1.0, "int", "log"),
        Parameter("layers", "L", Text("layers (custom)", "层数（自定义）"), 12, 1, 48, 1.0, "int"),
        Parameter(
            "V",
            "V",
            Text("vocabulary size (custom)", "词表大小（自定义）"),
            50257,
            1000,
            200000,
            1.0,
            "int",
            "log",
        ),
        Parameter(
            "ratio",
            "r",
            Text("inner over outer width (custom)", "内部宽度与宽度之比（自定义）"),
            4,
            1,
            8,
            1.0,
            "int",
        ),
    ),
    derive=derive,
    predict=predict,
    measure=measure,
    check=check,
    figures=figures,
    headline=Headline(
        "network_share",
        Text("share of all parameters in feed-forward networks", "前馈网络占全部参数的比例"),
        Text("", ""),
        0.0,
        1.0,
    ),
)
