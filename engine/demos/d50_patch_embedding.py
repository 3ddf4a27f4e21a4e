"""D50: a ViT's patches: one linear map of each flattened patch, written as a convolution.

Dosovitskiy et al. 2021, section 3.1, equations 1 to 4, and table 1.
"""

from __future__ import annotations

import numpy as np

from engine.demonstration import Array, Check, Demonstration, Headline, Parameter, Params, Results
from engine.figure import Axis, Figure, HeatMap, Line, Plot, Points, Rule
from engine.nn.convolution import correlate_backward
from engine.nn.softmax import Floats
from engine.nn.transformer import Placement, parameters
from engine.nn.vision_transformer import (
    PatchWeights,
    embed_by_convolution,
    embed_by_unfolding,
    encode,
    new_vision_transformer,
    with_class_token,
)
from engine.proof.step import Expr, Step, cited, equal, exhausted, ordered, popular_error
from engine.text import Text

KERNELS = 6
"""How many of the d kernels are run over the image; each is compared with its row of the linear map."""
DEPTH, CLASSES, MLP = 12, 1000, 4
SIDE, PATCH, WIDTH, HEADS, LAYERS = 6, 2, 16, 2, 2
"""Of the small ViT whose class token is read with the patches in two orders."""
ROUNDING = float(np.finfo(float).eps)
NUDGE = 1e-6
"""Relative change of the small ViT's tokens that tells how much its layers amplify a rounding error."""


# The formulas: the proof checks them with SymPy symbols, the prediction evaluates them with numbers.
def patch_count(across: Expr) -> Expr:
    """Of a square image with ``across`` whole patches on a side."""
    return across**2


def score_count(n: Expr) -> Expr:
    """Scores of one head over n patches and the class token."""
    return (n + 1) ** 2


def patch_parameters(P: Expr, C: Expr, d: Expr) -> Expr:
    return C * P**2 * d + d


def vit_parameters(n: Expr, P: Expr, C: Expr, d: Expr, depth: Expr, classes: Expr) -> Expr:
    """Patch map, class token, n + 1 positions, layers of inner width 4d, final norm, head."""
    layers = depth * (12 * d**2 + 13 * d)
    return patch_parameters(P, C, d) + d + (n + 1) * d + layers + 2 * d + d * classes + classes


def unused_pixels(H: Expr, P: Expr, across: Expr) -> Expr:
    """Of one channel: what lies beyond the last whole patch."""
    return H**2 - (across * P) ** 2


def derive() -> tuple[Step, ...]:
    return (*_patches(), *_counts(), *_class_token())


def _patches() -> tuple[Step, ...]:
    import sympy as sp

    side = range(4)
    x = sp.ImmutableMatrix(4, 4, lambda i, j: sp.Symbol(f"x_{i + 1}{j + 1}", real=True))
    w = sp.ImmutableMatrix(2, 2, lambda u, v: sp.Symbol(f"w_{u + 1}{v + 1}", real=True))

    def correlated(stride: int) -> Expr:
        """The kernel at every ``stride``-th place, row by row."""
        places = [place for place in side if place % stride == 0 and place + 2 <= 4]
        return sp.ImmutableMatrix(
            [sum(w[u, v] * x[i + u, j + v] for u in (0, 1) for v in (0, 1)) for i in places for j in places]
        )

    rows = sp.ImmutableMatrix(
        [list(x[i : i + 2, j : j + 2]) for i in (0, 2) for j in (0, 2)]
    )  # each patch flattened
    return (
        equal(
            "patches-times-kernel",
            sp.MatMul(rows, sp.ImmutableMatrix(list(w)), evaluate=False),
            correlated(2),
            Text(
                "flattened patches times the flattened kernel are the correlation at stride $P$",
                "展平的图块乘以展平的卷积核，就是步幅为 $P$ 的互相关",
            ),
            bound="H=4, P=2",
        ),
        popular_error(
            "like-any-convolution",
            correlated(1),
            correlated(2),
            Text(
                "'a convolution like any other': windows do not overlap, so there are fewer outputs and no two share a pixel",
                "“和普通卷积一样”：窗口不重叠，输出更少，任何两个输出都不共用像素",
            ),
            bound="H=4, P=2",
        ),
        equal(
            "no-overlap",
            sp.Derivative(correlated(2)[1], x[0, 1]),
            sp.Integer(0),
            Text("a token knows nothing of its neighbour's pixels; attention has to bring them together", "一个词元看不到相邻图块的像素，只能靠注意力汇合"),
            bound="H=4, P=2",
        ),
    )  # fmt: skip


def _counts() -> tuple[Step, ...]:
    import sympy as sp

    H, P, C, d = sp.symbols("H P C d", integer=True, positive=True)
    n = sp.Symbol("n", integer=True, nonnegative=True)
    k = sp.Symbol("k", integer=True, positive=True)
    usual = {H: 224, P: 16, C: 3, d: 768}
    across = sp.floor(H / P)
    vit_b = vit_parameters(patch_count(across), P, C, d, 12, 1000)
    return (
        exhausted(
            "usual-count",
            patch_count(across),
            "=",
            sp.Integer(196),
            Text("the usual image: 196 patches, 197 tokens with the class token", "常见尺寸：196 个图块，加上 class 词元共 197 个词元"),
            over=(usual,),
            bound="H=224, P=16",
        ),
        exhausted(
            "one-pixel-more",
            patch_count(across),
            "=",
            sp.Integer(196),
            Text("one pixel more is dropped in silence: the count is a floor", "多一个像素会被悄悄丢弃：个数向下取整"),
            over=({H: 225, P: 16},),
            bound="H=225, P=16",
        ),
        equal(
            "dropped",
            unused_pixels(sp.UnevaluatedExpr(k * P), P, k),
            sp.Integer(0),
            Text("nothing is dropped where $P$ divides the side", "边长能被 $P$ 整除时不丢像素"),
        ),
        equal(
            "halved-patch",
            sp.UnevaluatedExpr(patch_count(2 * k)) ** 2 / patch_count(k) ** 2,
            sp.Integer(16),
            Text("half the patch side: four times the patches, sixteen times the scores among them", "图块边长减半：图块数变四倍，图块间的注意力分数变十六倍"),
        ),
        ordered(
            "class-token-dilutes",
            score_count(4 * (n + 1)) / score_count(n + 1),
            "<",
            sp.Integer(16),
            Text("with the class token a little less", "算上 class 词元则略小于十六"),
        ),
        exhausted(
            "patch-map",
            patch_parameters(P, C, d),
            "=",
            sp.Integer(590_592),
            Text("weights and bias of ViT-B/16's patch map", "ViT-B/16 图块映射的权重与偏置"),
            over=(usual,),
            bound="P=16, C=3, d=768",
        ),
        exhausted(
            "vit-b",
            vit_b,
            "=",
            sp.Integer(86_567_656),
            Text("and of the whole model with its head of 1000 classes", "整个模型的参数，含 1000 类的分类头"),
            over=(usual,),
            bound="H=224, P=16, C=3, d=768",
        ),
    )  # fmt: skip


def _class_token() -> tuple[Step, ...]:
    import sympy as sp

    from engine.proof.row_softmax import RowSoftmax

    scores = sp.ImmutableMatrix([sp.symbols("a_1:4", real=True)])
    values = sp.ImmutableMatrix(sp.symbols("v_1:4", real=True))
    P = sp.ImmutableMatrix([[0, 1, 0], [0, 0, 1], [1, 0, 0]])

    return (
        equal(
            "class-token-reads-a-set",
            sp.MatMul(RowSoftmax(scores * P), P.T, values),
            sp.MatMul(RowSoftmax(scores), values),
            Text(
                "without positions the class token reads a set: any order of the patches gives the same",
                "没有位置编码时，class 词元读到的是一个集合：图块怎么排都一样",
            ),
            bound="n=3",
        ),
        cited(
            "pre-norm",
            r"z'_l = \operatorname{MSA}(\operatorname{LN}(z_{l-1})) + z_{l-1}",
            Text("ViT's layers are pre-LN, with a final norm on the class token; copied code is often post-LN", "ViT 的层是 pre-LN，末尾对 class 词元再做归一化；网上代码常写成 post-LN"),
            "Dosovitskiy et al. 2021, equations 2 to 4",
        ),
    )  # fmt: skip


def predict(p: Params) -> Results:
    across = p.side // p.patch
    n = patch_count(across)
    return {
        "patches": n,
        "scores": score_count(n),
        "patch_parameters": patch_parameters(p.patch, p.channels, p.d),
        "vit_parameters": vit_parameters(n, p.patch, p.channels, p.d, DEPTH, CLASSES),
        "unused": unused_pixels(p.side, p.patch, across),
    }


def allocated(shape: tuple[int, ...]) -> Floats:
    """Memory of this size, never written."""
    return np.empty(shape, dtype=np.float16)


def measure(p: Params, rng: np.random.Generator) -> Results:
    taps = p.channels * p.patch**2
    kernel = rng.standard_normal((KERNELS, p.channels, p.patch, p.patch)) / np.sqrt(taps)
    weights = PatchWeights(kernel, rng.standard_normal(KERNELS))
    image = rng.standard_normal((p.channels, p.side, p.side))
    by_unfolding, by_convolution = embed_by_unfolding(image, weights), embed_by_convolution(image, weights)
    n = by_convolution.shape[0]
    model = new_vision_transformer(p.side, p.patch, p.channels, p.d, MLP * p.d, DEPTH, CLASSES, allocated)
    reached = reached_pixels(p.side, p.patch)
    return {
        "patches": n,
        "scores": np.empty((n + 1, n + 1), dtype=np.int8).size,
        "patch_parameters": parameters(model.patch),
        "vit_parameters": parameters(model),
        "unused": int((~reached).sum()),
        "gap": float(np.abs(by_unfolding - by_convolution).max()),
        "size": float(np.abs(image).max() * np.abs(kernel).reshape(KERNELS, -1).sum(axis=1).max()),
        "norms": grid_of_norms(by_convolution, p.side // p.patch),
        **small_vit(rng),
    }


def reached_pixels(side: int, patch: int) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
    """Which pixels change some token: those with a gradient under a kernel of ones."""
    across = side // patch
    ones = np.ones((1, 1, patch, patch))
    gradient = correlate_backward(np.zeros((1, side, side)), ones, np.ones((1, across, across)), stride=patch)
    reached: np.ndarray[tuple[int, ...], np.dtype[np.bool_]] = gradient.x[0] > 0
    return reached


def grid_of_norms(tokens: Floats, across: int) -> Array:
    """Norms of the patches' embeddings where the patches lie, at most 32 on a side."""
    grid = np.linalg.norm(tokens, axis=-1).reshape(across, across)
    return grid[:32, :32].astype(np.float64)


def small_vit(rng: np.random.Generator) -> Results:
    """How far the class token's logits move when the patches are shuffled, with and without positions, pre- and post-LN."""
    weights = new_vision_transformer(
        SIDE, PATCH, 1, WIDTH, MLP * WIDTH, LAYERS, 4, lambda shape: rng.standard_normal(shape) * 0.3
    )
    image = rng.standard_normal((1, SIDE, SIDE))
    embedded = embed_by_convolution(image, weights.patch)
    order = np.roll(np.arange(len(embedded)), 1)
    nudged = embedded * (1 + NUDGE * rng.standard_normal(embedded.shape))
    without = np.zeros_like(weights.positions)
    cases = (
        (embedded, without),
        (embedded[order], without),
        (embedded, weights.positions),
        (embedded[order], weights.positions),
        (nudged, weights.positions),
    )
    # all cases in one batch
    tokens = np.stack([with_class_token(rows, weights.class_token, table) for rows, table in cases])
    placements: tuple[Placement, Placement] = ("pre", "post")
    results: Results = {}
    for placement in placements:
        bare, bare_moved, placed, placed_moved, placed_nudged = encode(
            tokens, weights, HEADS, placement=placement
        ).logits
        results |= {
            f"shift_{placement}_zero": _shift(bare, bare_moved),
            f"shift_{placement}_learned": _shift(placed, placed_moved),
            f"amplified_{placement}": _shift(placed, placed_nudged) / NUDGE,
        }
    return results


def _shift(before: Floats, after: Floats) -> float:
    """Largest change of a logit, relative to the largest logit."""
    return float(np.abs(before - after).max() / np.abs(before).max())


def check(p: Params, predicted: Results, results: Results) -> tuple[Check, ...]:
    count = Text("a count", "计数")
    taps = p.channels * p.patch**2
    # a shuffled sum of up to 4 WIDTH products is rounded in another order in each layer, and later layers amplify it
    shuffled = {
        placement: 16 * LAYERS * MLP * WIDTH * ROUNDING * (1 + results[f"amplified_{placement}"])
        for placement in ("pre", "post")
    }
    words = {
        "patches": Text("patches, as tokens of the convolution", "图块个数，即卷积输出的词元数"),
        "scores": Text("scores of one head, as entries", "单头注意力分数的元素个数"),
        "patch_parameters": Text("parameters of the patch map", "图块映射的参数"),
        "vit_parameters": Text("parameters of a 12-layer ViT of this width", "此宽度下 12 层 ViT 的参数"),
        "unused": Text(
            "pixels of a channel without a gradient from any token", "一个通道中得不到任何词元梯度的像素数"
        ),
    }
    orders = Text(
        "rounding of sums taken in another order, times the measured amplification of a nudge",
        "求和次序不同带来的舍入，乘以实测的扰动放大倍数",
    )
    return (
        *(
            Check(name.replace("_", "-"), claim, float(predicted[name]), float(results[name]), None, count)
            for name, claim in words.items()
        ),
        Check(
            "unfolding-equals-convolution",
            Text("largest gap between unfold-and-multiply and the convolution", "展开后相乘与卷积之间的最大差"),
            0.0,
            results["gap"],
            2 * (taps + 2) * ROUNDING * (results["size"] + 1),
            Text("rounding of sums of C P² products", "C P² 项乘积求和的舍入"),
        ),
        *(
            Check(
                f"set-without-positions-{placement}",
                Text(f"shift of the class logits when patches move, zero positions, {placement}-LN", f"位置编码为零时打乱图块，类别输出的变化（{placement}-LN）"),
                0.0,
                results[f"shift_{placement}_zero"],
                shuffled[placement],
                orders,
            )
            for placement in ("pre", "post")
        ),
        Check(
            "order-with-positions",
            Text("the same with drawn positions: not rounding any more", "位置编码随机取值时的变化：不再是舍入误差"),
            0.0,
            results["shift_pre_learned"],
            shuffled["pre"],
            orders,
            "!=",
        ),
    )  # fmt: skip


def figures(p: Params, predicted: Results, results: Results) -> tuple[Figure, ...]:
    sides = np.array([side for side in range(4, 33) if side <= p.side], dtype=float)
    counts = np.floor(p.side / sides) ** 2
    return (
        Plot(
            Text("Tokens and scores against the patch side", "词元数与分数个数随图块边长的变化"),
            Text(
                "halving the patch gives four times the tokens and sixteen times the scores",
                "图块边长减半，词元变四倍，分数变十六倍",
            ),
            Axis(Text("patch side P", "图块边长 P"), "log"),
            Axis(Text("number", "个数"), "log"),
            (
                Line(Text("tokens", "词元"), sides, counts + 1, "context"),
                Line(Text("scores per head", "每头分数"), sides, (counts + 1) ** 2, "predicted"),
                Points(
                    Text("this patch, counted", "当前图块，实测计数"),
                    np.array([float(p.patch)]),
                    np.array([float(results["scores"])]),
                ),
                Rule(Text("chosen P", "所选 P"), float(p.patch), "x", "context"),
            ),
        ),
        HeatMap(
            Text("Norm of each patch's embedding", "各图块嵌入的范数"),
            Text(
                "one cell per token (at most 32 per side): the image is now a sequence read row by row",
                "每格一个词元（每边至多 32 个）：图像已变成逐行读取的序列",
            ),
            results["norms"],
        ),
    )


DEMO = Demonstration(
    id="D50",
    name="patch-embedding",
    title=Text("ViT patches: a linear map written as a convolution", "ViT 图块：写成卷积的线性映射"),
    shows=Text(
        "a convolution with stride equal to its kernel is one linear map of each patch; half the patch side costs sixteen times the scores",
        "步幅等于核边长的卷积就是对每个图块做同一个线性映射；图块边长减半，注意力分数变十六倍",
    ),
    kills=Text("“patch embedding is a real convolution” and “ViT is post-LN”", "“图块嵌入是真正的卷积”与“ViT 是 post-LN”"),
    parameters=(
        Parameter("side", "H", Text("side of the image", "图像边长"), 224, 32, 384, 1.0, "int", "linear", Text("px", "像素")),
        Parameter("patch", "P", Text("side of a patch", "图块边长"), 16, 4, 32, 1.0, "int", "linear", Text("px", "像素")),
        Parameter("channels", "C", Text("channels", "通道数"), 3, 1, 4, 1.0, "int"),
        Parameter("d", "d", Text("width", "宽度"), 768, 64, 1024, 1.0, "int", "log"),
    ),
    derive=derive,
    predict=predict,
    measure=measure,
    check=check,
    figures=figures,
    headline=Headline(
        "patches",
        Text("patches of the image", "图像切出的图块数"),
        Text("patches", "个"),
        1.0,
        10_000.0,
        "log",
    ),
)  # fmt: skip
