"""D34: what a residual connection guarantees, and where a norm takes it back.

He et al. 2016; Veit et al. 2016; Xiong et al. 2020, section 3; Takase et al. 2022. The branch of each layer is one random
matrix of its own, so that the law of every norm is known exactly; the layers around it are those of a Transformer.
"""

from __future__ import annotations

import itertools
import math

import numpy as np

from engine.demonstration import Array, Check, Demonstration, Headline, Parameter, Params, Results
from engine.deviation import ALARM
from engine.figure import Axis, Bar, Bars, Figure, Line, Plot, Rule
from engine.nn.normalization import layer_norm
from engine.nn.softmax import Floats
from engine.nn.transformer import (
    Placement,
    Residual,
    new_encoder_layer,
    parameters,
    residual,
    residual_backward,
)
from engine.nn.transformer_layer import encoder_layer
from engine.product_band import HIGHEST_ORDER, log_moments, log_moments_of_each, product_band
from engine.proof.step import Expr, Step, cited, defined, equal, ordered, popular_error
from engine.text import Text, same

PATH_LAYERS, PATH_WIDTH = 5, 8
"""Of the small stack whose paths are walked one by one."""
PRE_ORDERS = 10
"""Of the moments that bound the pre-LN gradient, one law a layer."""
WIDTH, HEADS, TOKENS = 32, 4, 4
"""Of the encoder layer whose output is normalised once more."""
BASE = 768
EPS = 1e-5
ROUNDING = float(np.finfo(float).eps)


# The formulas: the proof checks them with SymPy symbols, the prediction evaluates them with numbers.
def plain_square(s: Expr, L: Expr) -> Expr:
    """Mean squared growth of a gradient through L layers without a skip."""
    return s ** (2 * L)


def residual_square(s: Expr, L: Expr) -> Expr:
    """The same with a skip and no norm."""
    return (1 + s**2) ** L


def post_identity_square(s: Expr, L: Expr) -> Expr:
    """Square of what post-LN leaves of a gradient on the path through the skips alone."""
    return (1 + s**2) ** (-L)


def pre_square(s: Expr, L: Expr) -> Expr:
    """Mean square of the stream after L pre-LN layers, 1 at the input; so grows its gradient backwards."""
    return 1 + L * s**2


def pre_gradient_step(s: Expr, v: Expr, kept: Expr = 1) -> Expr:
    """Mean squared growth of a gradient through a pre-LN layer whose stream has variance v.

    ``kept`` is the part of the width that the norm's Jacobian passes: (d - 2) / d, for it removes two directions.
    """
    return 1 + kept * s**2 / v


def renormalised_square(v: Expr, eps: Expr) -> Expr:
    """Square of what a second LayerNorm multiplies a first one's output by, whose input had variance v."""
    return 1 / (v / (v + eps) + eps)


def layer_parameters(d: Expr) -> Expr:
    """Of an encoder layer of inner width 4d: attention 4d²+4d, network 8d²+5d, two norms 4d."""
    return 12 * d**2 + 13 * d


def derive() -> tuple[Step, ...]:
    return (*_paths(), *_growth(), *_second_norm())


def _paths() -> tuple[Step, ...]:
    import sympy as sp

    x = sp.Symbol("x", real=True)
    F = sp.Function("F")
    j = sp.symbols("j_1:4", real=True)
    slope = sp.Symbol("j", positive=True)
    L, layer, k = (sp.Symbol(name, integer=True, positive=True) for name in ("L", "l", "k"))
    subsets = [c for size in range(4) for c in itertools.combinations(j, size)]
    return (
        equal(
            "identity-plus-jacobian",
            sp.Derivative(x + F(x), x),
            1 + sp.Derivative(F(x), x),
            Text("a skip adds the identity to the Jacobian", "残差连接给雅可比矩阵加上单位阵"),
        ),
        equal(
            "paths",
            sp.Mul(*(1 + slope_l for slope_l in j)),
            sp.Add(*(sp.Mul(*subset) for subset in subsets)),
            Text(
                "multiplied out, every subset of layers is one path: eight for three layers; with all branches off one path is left",
                "展开后，每个层的子集对应一条路径：三层共八条；所有分支关闭时仍剩一条",
            ),
            bound="L=3",
        ),
        equal(
            "monomials",
            sp.Product(1 + slope, (layer, 1, L)).subs(slope, 1),
            2**L,
            Text(r"with every $j$ set to one, the monomials count themselves", r"令每个 $j$ 为一，单项式的个数自然得出"),
        ),
        equal(
            "vanishing-without",
            sp.Limit(slope**k, k, sp.oo).subs(slope, sp.Rational(1, 2)),
            sp.Integer(0),
            Text("without skips the one path through all branches is left, and it vanishes", "没有残差，只剩穿过全部分支的一条路径，它会消失"),
        ),
    )  # fmt: skip


def _growth() -> tuple[Step, ...]:
    import sympy as sp

    from engine.proof.moments import Expectation, Variance

    s, g = sp.symbols("s g", positive=True)
    z, x = sp.symbols("z x", real=True)
    L, layer = (sp.Symbol(name, integer=True, positive=True) for name in ("L", "l"))
    standard = {z: (0, 1)}
    both = {z: (0, 1), x: (0, 1)}
    return (
        defined(
            "post-ln",
            r"y = \operatorname{LN}(x + F(x))",
            Text("Add & Norm of 2017: the norm stands after the addition, in encoder and decoder sublayers alike", "2017 年的 Add & Norm：归一化在相加之后，编码器与解码器的子层都如此"),
        ),
        defined(
            "pre-ln",
            r"y = x + F(\operatorname{LN}(x))",
            Text("GPT-2, ViT and most since: the norm stands inside the branch", "GPT-2、ViT 及之后的多数模型：归一化放在分支里"),
        ),
        equal(
            "residual-step",
            Expectation((g + s * g * z) ** 2, standard) / g**2,
            residual_square(s, 1),
            Text(
                "no norm: a random branch of standard deviation $s$ adds its square, forward and backward",
                "无归一化：标准差为 $s$ 的随机分支给平方范数加上其方差，前向与反向皆然",
            ),
        ),
        equal(
            "residual-explodes",
            sp.Product(residual_square(s, 1), (layer, 1, L)),
            residual_square(s, L),
            Text("so the norms explode with depth: not vanishing is not the same as being stable", "于是范数随深度爆炸：不消失并不等于稳定"),
        ),
        equal(
            "post-variance",
            Variance(x + s * z, both),
            1 + s**2,
            Text("post-LN: what the norm divides by", "post-LN：归一化要除掉的方差"),
        ),
        equal(
            "post-identity",
            sp.Product(post_identity_square(s, 1), (layer, 1, L)),
            post_identity_square(s, L),
            Text("the skip runs through every norm, and each takes its share", "恒等支路穿过每一个归一化层，每层都要打折"),
        ),
        equal(
            "post-at-one",
            sp.sqrt(post_identity_square(sp.UnevaluatedExpr(sp.Integer(1)), L)),
            2 ** (-L / 2),
            Text("with a branch as strong as the stream", "分支与主干一样强时"),
        ),
        popular_error(
            "skips-guarantee-flow",
            post_identity_square(s, L),
            sp.Integer(1),
            Text("'the identity branch passes gradients unchanged': not in post-LN", "“恒等支路让梯度原样通过”：post-LN 中并非如此"),
        ),
        equal(
            "pre-step",
            Expectation((x + s * z) ** 2, {z: (0, 1), x: (0, pre_square(s, L))}),
            pre_square(s, L + 1),
            Text(
                "pre-LN: each branch reads a normalised stream, so each layer adds the same variance",
                "pre-LN：每个分支读入的是归一化后的主干，所以每层加上相同的方差",
            ),
        ),
        equal(
            "pre-gradient",
            pre_square(s, L) * pre_gradient_step(s, pre_square(s, L)),
            pre_square(s, L + 1),
            Text(
                "and a branch's Jacobian shrinks by the stream's deviation: the gradient telescopes to the same polynomial growth",
                "分支的雅可比矩阵按主干标准差缩小：逐层相乘后相消，梯度同样只按多项式增长",
            ),
        ),
        ordered(
            "pre-below-none",
            pre_square(s, 3),
            "<",
            residual_square(s, 3),
            Text("far below the exponential growth without a norm (three layers)", "远低于无归一化时的指数增长（三层）"),
            witness=3 * s**4 + s**6,
        ),
        cited(
            "warm-up",
            r"\left\lVert \frac{\partial \mathcal{L}}{\partial W_L} \right\rVert \leq O(d \sqrt{\ln d})\ \text{(post)}, \qquad "
            r"O\left(d \sqrt{\ln d / L}\right)\ \text{(pre)}",
            Text(
                "at initialisation post-LN's gradients are large near the output, hence warm-up; GPT-2 and ViT use pre-LN with a final norm",
                "初始化时 post-LN 靠近输出的梯度偏大，因此需要预热；GPT-2 与 ViT 用 pre-LN 并在末尾加一个归一化",
            ),
            "Xiong et al. 2020, theorem 1",
        ),
    )  # fmt: skip


def _second_norm() -> tuple[Step, ...]:
    import sympy as sp

    x_1, x_2 = sp.symbols("x_1 x_2", real=True)
    v, d = sp.symbols("v d", positive=True)
    eps = sp.Symbol("epsilon", nonnegative=True)
    # the deviations from the mean, which add up to zero
    x = (x_1, x_2, -x_1 - x_2)
    variance = sp.expand(sum(a**2 for a in x) / 3)
    normed = [a / sp.sqrt(variance + eps) for a in x]
    return (
        equal(
            "normed-mean",
            sp.Add(*normed),
            sp.Integer(0),
            Text("LN(LN(x)) by two lemmas, from the deviations $x_i$ from the mean: the mean of LN(x) is zero", "用两条引理求 LN(LN(x))，$x_i$ 为与均值之差：LN(x) 的均值为零"),
            bound="d=3",
        ),
        equal(
            "normed-variance",
            sp.Add(*(a**2 for a in normed)) / 3,
            variance / (variance + eps),
            Text("and its variance is next to one", "其方差几乎为一"),
            bound="d=3",
        ),
        equal(
            "second-norm",
            sp.Limit(renormalised_square(v, eps), eps, 0),
            sp.Integer(1),
            Text(
                "so but for $\\epsilon$ a second LayerNorm changes nothing: a final norm after post-LN layers is redundant",
                "所以除 $\\epsilon$ 之外，第二个 LayerNorm 什么也不改变：post-LN 之后的末层归一化是多余的",
            ),
        ),
        equal(
            "layer-parameters",
            sum(map(sp.UnevaluatedExpr, (4 * d**2 + 4 * d, 8 * d**2 + 5 * d, 4 * d)), sp.Integer(0)),
            layer_parameters(d),
            Text(
                "attention, network and two norms of one encoder layer: where the norms stand changes no count",
                "一个编码器层的注意力、前馈网络与两个归一化：归一化放在哪里不影响参数个数",
            ),
        ),
    )  # fmt: skip


def predict(p: Params) -> Results:
    s, L = p.s, p.layers
    return {
        "plain": math.sqrt(plain_square(s, L)),
        "residual": math.sqrt(residual_square(s, L)),
        "post_identity": math.sqrt(post_identity_square(s, L)),
        "pre_stream": math.sqrt(pre_square(s, L)),
        "paths": 2 ** min(L, PATH_LAYERS),
        "layer_parameters": layer_parameters(BASE),
    }


def stack(x: Floats, branches: Array, placement: Placement) -> list[Residual]:
    """The stream (1, d) through all layers; branch l is ``u @ branches[l]``."""
    done: list[Residual] = []
    for W in branches:
        # without eps the stream has variance 1 exactly, as the law assumes
        done.append(residual(x, lambda u, W=W: u @ W, placement, eps=0.0))  # type: ignore[misc]
        x = done[-1].y
    return done


def gradient_norms(
    done: list[Residual], branches: Array, d_y: Floats, placement: Placement, scales: tuple[float, ...]
) -> list[Array]:
    """‖dL/dx_l‖ for l = L, …, 0, once for each of ``scales``; 0 cuts every branch and leaves the path through the skips."""
    factors = np.array(scales)[:, None]
    gradients = [np.repeat(d_y, len(scales), axis=0)]  # L + 1 times (scales, d)
    for layer, W in zip(reversed(done), branches[::-1], strict=True):
        d_x, _ = residual_backward(layer, gradients[-1], lambda d, W=W: factors * (d @ W.T), placement)  # type: ignore[misc]
        gradients.append(d_x)
    return list(np.linalg.norm(gradients, axis=2).T)


def walked_paths(branches: Array) -> tuple[Array, int, float]:
    """The sum over all subsets of layers of the products of their branches, how many, and the sum of their sizes."""
    layers, d, _ = branches.shape
    total, count, size = np.zeros((d, d)), 0, 0.0
    sizes = np.linalg.norm(branches, axis=(1, 2))
    for taken in itertools.product((False, True), repeat=layers):
        path = np.eye(d)
        for used, W in zip(taken, branches, strict=True):
            path = path @ W if used else path
        total += path
        count += 1
        size += math.sqrt(d) * float(np.prod(sizes[list(taken)]))
    return total, count, size


def measure(p: Params, rng: np.random.Generator) -> Results:
    d, L = p.d, p.layers
    branches: Array = rng.standard_normal((L, d, d)) * (p.s / math.sqrt(d))
    x = layer_norm(rng.standard_normal((1, d)), eps=0.0).y
    # in the space that the norms keep; a part along 1 would be lost at the first one
    d_y = layer_norm(rng.standard_normal((1, d)), eps=0.0).y / math.sqrt(d)
    plain = [1.0]
    through = d_y
    for W in branches[::-1]:
        through = through @ W.T
        plain.append(float(np.linalg.norm(through)))
    placements: tuple[Placement, ...] = ("none", "post", "pre")
    stacks = {placement: stack(x, branches, placement) for placement in placements}
    whole, identity = {}, {}
    for placement, done in stacks.items():
        whole[placement], identity[placement] = gradient_norms(done, branches, d_y, placement, (1.0, 0.0))
    deviations = [float(np.sqrt(layer.normalized.var.item())) for layer in stacks["post"] if layer.normalized]
    last = stacks["pre"][-1].y
    return {
        "plain": plain[-1],
        "residual": float(whole["none"][-1]),
        "post_identity": float(identity["post"][-1]),
        "pre_identity": float(identity["pre"][-1]),
        "post_whole": float(whole["post"][-1]),
        "pre_whole": float(whole["pre"][-1]),
        "pre_variances": np.array(
            [layer.normalized.var.item() for layer in stacks["pre"] if layer.normalized]
        ),
        "pre_stream": float(np.linalg.norm(last)) / math.sqrt(d),
        "post_ceiling": float(np.prod(1 / np.array(deviations))),
        "profile_plain": np.array(plain),
        "profile_residual": whole["none"],
        "profile_post": whole["post"],
        "profile_post_identity": identity["post"],
        "profile_pre": whole["pre"],
        **small_stack(p, rng),
        **second_norm(rng),
        "layer_parameters": parameters(new_encoder_layer(BASE, 4 * BASE, np.empty)),
    }


def small_stack(p: Params, rng: np.random.Generator) -> Results:
    """A stack small enough to walk its paths one by one, against one pass through its layers."""
    shape = (min(p.layers, PATH_LAYERS), PATH_WIDTH, PATH_WIDTH)
    branches: Array = rng.standard_normal(shape) * (p.s / math.sqrt(PATH_WIDTH))
    summed, count, size = walked_paths(branches)
    through = stack(np.eye(PATH_WIDTH), branches, "none")[-1].y
    return {"paths": count, "path_gap": float(np.linalg.norm(summed - through)) / size}


def second_norm(rng: np.random.Generator) -> Results:
    """One row of an encoder layer's output, normalised once more: the factor, and the variance before the first norm."""
    weights = new_encoder_layer(
        WIDTH, 4 * WIDTH, lambda shape: rng.standard_normal(shape) / math.sqrt(WIDTH), "gelu"
    )
    weights = weights._replace(
        feed_forward_norm=weights.feed_forward_norm._replace(gamma=np.ones(WIDTH), beta=np.zeros(WIDTH))
    )
    x = rng.standard_normal((TOKENS, WIDTH))
    results: Results = {}
    placements: tuple[Placement, Placement] = ("post", "pre")
    for placement in placements:
        done = encoder_layer(x, weights, HEADS, placement=placement, activation="gelu", eps=EPS)
        again = layer_norm(done.y, eps=EPS).y
        results[f"change_{placement}"] = float(np.abs(again - done.y).max())
        if placement == "post" and done.fed.normalized:
            results["factor"] = float(np.linalg.norm(again[0]) / np.linalg.norm(done.y[0]))
            results["row_variance"] = float(done.fed.normalized.var[0, 0])
    return results


def bands(p: Params) -> dict[str, tuple[float, float]]:
    """(low, high) around ln of each squared norm, exact for any width and depth; each side left with ``ALARM`` at most."""
    d, L, square = p.d, p.layers, p.s**2
    # |g W|² / |g|² of a fresh Gaussian W, of |g + g W|² / |g|², of the variance of x + x W, of |x|² + L draws
    plain = log_moments(d, 0.0, square / d)
    skipped = log_moments(d, d / square, square / d)
    varied = log_moments(d - 1, d / square, square / d)
    stream = log_moments(d, d / (square * L), square * L / d)
    # the norm also removes the part along its output: at most a Beta(1/2, (d-3)/2) of the squared length
    a = (d - 3) / 2
    path = {-r: value for r, value in varied.items() if r < 0}
    for r in range(1, min(HIGHEST_ORDER, math.ceil(a) - 1) + 1):
        kept = math.lgamma(a - r) + math.lgamma(a + 0.5) - math.lgamma(a) - math.lgamma(a + 0.5 - r)
        path[-r] = varied[r] + kept
    return {
        "plain": product_band(plain, L),
        "residual": product_band(skipped, L),
        "post_identity": product_band(path, L),
        "pre_stream": product_band(stream, 1),
    }


def pre_gradient_band(p: Params, variances: Array) -> tuple[float, float]:
    """(low, high) around ln of a gradient's squared growth through the pre-LN stack, given its stream's variances.

    Given the forward pass, a branch's matrix is known along the normalised stream only, and just this direction and the
    mean are what the norm's Jacobian removes: on the d - 2 others it is a fresh Gaussian. A gradient that lies partly in
    what is removed has smaller moments, of either sign.
    """
    scale = p.s**2 / (p.d * variances)
    moments = log_moments_of_each(p.d - 2, 1 / scale, scale, PRE_ORDERS)
    return product_band({r: float(of_layers.sum()) for r, of_layers in moments.items()}, 1)


def check(p: Params, predicted: Results, results: Results) -> tuple[Check, ...]:
    chi_squares = Text(
        "each layer's factor is a scaled noncentral chi-square; Markov's inequality on the exact moments of their product",
        "每层的因子是缩放的非中心卡方变量；对其乘积的精确矩用马尔可夫不等式",
    )
    rounding = Text("rounding only", "仅有舍入误差")
    claims = {
        "plain": Text("ln of the gradient's norm at the first layer, no skips", "无残差时首层梯度范数的对数"),
        "residual": Text("the same with skips and no norm", "有残差、无归一化时的对数"),
        "post_identity": Text("the same in post-LN, by the skips alone", "post-LN 中只走恒等支路时的对数"),
        "pre_stream": Text(
            "ln of the stream's root mean square after the last pre-LN layer", "pre-LN 末层主干均方根的对数"
        ),
    }
    ranges = bands(p)
    checks = []
    for name, claim in claims.items():
        expected = math.log(predicted[name])
        low, high = (end / 2 for end in ranges[name])
        # both the formula and a correct run lie inside
        tolerance = high - low
        checks.append(
            Check(
                name.replace("_", "-") + "-norm",
                claim,
                expected,
                math.log(results[name]),
                tolerance,
                chi_squares,
                "=",
                2 * ALARM,
            )
        )
    kept = (p.d - 2) / p.d
    growth = sum(math.log(pre_gradient_step(p.s, float(v), kept)) for v in results["pre_variances"]) / 2
    low, high = (end / 2 for end in pre_gradient_band(p, results["pre_variances"]))
    checks.append(
        Check(
            "pre-gradient-norm",
            Text(
                "ln of the gradient's norm at the first pre-LN layer, given the stream's variances",
                "给定主干方差，pre-LN 首层梯度范数的对数",
            ),
            growth,
            math.log(results["pre_whole"]),
            high - low,
            chi_squares,
            "=",
            2 * ALARM,
        )
    )
    factor = math.sqrt(renormalised_square(results["row_variance"], EPS))
    slack = 4 * (p.d + 8) * p.layers * ROUNDING
    return (
        *checks,
        Check(
            "post-identity-ceiling",
            Text("the post-LN path is at most the product of 1/σ of the norms it passes", "post-LN 恒等支路的范数不超过途经各层 1/σ 之积"),
            results["post_ceiling"],
            results["post_identity"],
            slack * results["post_ceiling"],
            rounding,
            "<=",
        ),
        Check(
            "pre-identity-untouched",
            Text("in pre-LN the path through the skips carries the gradient unchanged", "pre-LN 中恒等支路让梯度原样通过"),
            1.0,
            results["pre_identity"],
            slack,
            rounding,
        ),
        Check(
            "number-of-paths",
            Text("paths walked through a small stack", "在小网络中逐条走过的路径数"),
            float(predicted["paths"]),
            float(results["paths"]),
            None,
            Text("a count", "计数"),
        ),
        Check(
            "sum-of-paths",
            Text("the sum over all paths against one pass, relative to the paths' sizes", "全部路径之和与一次前向之差，相对各路径大小之和"),
            0.0,
            results["path_gap"],
            # PATH_LAYERS products of inner size PATH_WIDTH, then a sum over the paths
            (PATH_LAYERS * (PATH_WIDTH + 1) + 2**PATH_LAYERS) * ROUNDING,
            rounding,
        ),
        Check(
            "second-norm-factor",
            Text("a post-LN layer's output normalised once more: the factor", "post-LN 层的输出再归一化一次：所乘因子"),
            factor,
            results["factor"],
            16 * WIDTH * ROUNDING,
            rounding,
        ),
        Check(
            "encoder-layer-parameters",
            Text("parameters of an encoder layer of width 768, in its arrays", "宽度 768 的编码器层，按数组清点的参数"),
            float(predicted["layer_parameters"]),
            float(results["layer_parameters"]),
            None,
            Text("a count", "计数"),
        ),
    )  # fmt: skip


def figures(p: Params, predicted: Results, results: Results) -> tuple[Figure, ...]:
    back = np.arange(p.layers + 1.0)
    curves = (
        (Text("no skips", "无残差"), "profile_plain", "popular"),
        (Text("skips, no norm", "残差，无归一化"), "profile_residual", "other"),
        (Text("post-LN, skips alone", "post-LN，仅恒等支路"), "profile_post_identity", "measured"),
        (Text("post-LN, whole", "post-LN，全部"), "profile_post", "context"),
        (Text("pre-LN, whole", "pre-LN，全部"), "profile_pre", "bound"),
    )
    path = np.sqrt(np.array([post_identity_square(p.s, int(k)) for k in back]))
    return (
        Plot(
            Text("Gradient norm going back through the layers", "梯度范数随反向经过的层数"),
            Text(
                "pre-LN stays near flat; without a norm it grows at every layer, without skips it follows s alone; post-LN's skip path decays",
                "pre-LN 接近水平；无归一化时逐层增大；无残差时全看 s；post-LN 的恒等支路不断衰减",
            ),
            Axis(Text("layers passed", "经过的层数")),
            Axis(Text("gradient norm", "梯度范数"), "log"),
            (
                *(Line(name, back, results[key], role) for name, key, role in curves),  # type: ignore[arg-type]
                Line(Text("skip path, predicted", "恒等支路，预测"), back, path, "predicted"),
                Rule(same("1"), 1.0, "y", "context"),
            ),
        ),
        Bars(
            Text("How much one more LayerNorm changes the output", "输出再加一个 LayerNorm 会变多少"),
            Text(
                "after a post-LN layer nothing visible; after a pre-LN layer it is the final norm that the model needs",
                "post-LN 之后几乎看不出变化；pre-LN 之后它正是模型必需的末层归一化",
            ),
            Axis(Text("largest change", "最大变化"), low=0.0),
            (
                Bar(same("post-LN"), float(results["change_post"])),
                Bar(same("pre-LN"), float(results["change_pre"]), "other"),
            ),
        ),
    )  # fmt: skip


DEMO = Demonstration(
    id="D34",
    name="residual-paths",
    title=Text("Residual paths, post-LN and pre-LN", "残差路径：post-LN 与 pre-LN"),
    shows=Text(
        "a skip adds an identity path; pre-LN leaves it untouched, post-LN divides it at every norm",
        "残差连接加上一条恒等路径；pre-LN 让它原样通过，post-LN 在每个归一化处把它缩小",
    ),
    kills=Text(
        "“residual connections guarantee gradient flow, wherever the norm stands”",
        "“有残差就保证梯度畅通，归一化放哪里都一样”",
    ),
    parameters=(
        Parameter("layers", "L", Text("layers", "层数"), 24, 1, 50, 1.0, "int"),
        Parameter("s", "s", Text("standard deviation of a branch", "分支输出的标准差"), 1.0, 0.1, 2.0, 0.1),
        Parameter("d", "d", Text("width", "宽度"), 64, 32, 128, 1.0, "int", "log"),
    ),
    derive=derive,
    predict=predict,
    measure=measure,
    check=check,
    figures=figures,
    headline=Headline(
        "post_identity",
        Text(
            "part of a gradient that post-LN's skips alone bring to the first layer",
            "post-LN 仅靠恒等支路传到首层的梯度占比",
        ),
        Text("", ""),
        1e-6,
        1.0,
        "log",
    ),
)
