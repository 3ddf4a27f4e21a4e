"""D08: eigenvalues and singular values of freshly initialised recurrent matrices.

Tao and Vu 2010 (circular law), Bai and Yin 1988 (spectral norm), Johnstone 2001 (its law at finite width),
Edelman, Kostlan and Shub 1994 and Kostlan 1992 (largest eigenvalue at finite width); Pascanu et al. 2013,
section 2.1, for what either says about gradients.
"""

from __future__ import annotations

import math

import numpy as np

from engine.demonstration import (
    Array,
    Check,
    Choice,
    Demonstration,
    Headline,
    Parameter,
    Params,
    Results,
)
from engine.deviation import ALARM, HIGHEST_ORDER, cumulants_from_moments, variance_band
from engine.figure import Axis, Figure, Line, Plot, Points, Role, Rule
from engine.nn.initialization import initial_recurrent
from engine.proof.step import Expr, Step, cited, equal, let, ordered, popular_error
from engine.text import Text, same
from engine.tolerance import FALSE_ALARM, chi_square_limit, proportion

ROUNDING = float(np.finfo(float).eps)
SMALL_WIDTHS = (16, 24, 36)
"""Widths cheap enough to be measured beside the one that is asked for."""
TRACY_WIDOM_MEAN, TRACY_WIDOM_REACH = -1.2065, 9.0
"""Mean of the Tracy-Widom law of order 1, and how far from it a norm may lie: it lies further with probability 1e-8."""


# The formulas: the proof checks them with SymPy symbols, the prediction evaluates them with numbers.
def uniform_variance(bound_squared: Expr) -> Expr:
    """Variance of a uniform law on [-a, a]; the argument is a²."""
    return bound_squared / 3


def radius_squared(variance: Expr, hidden: Expr) -> Expr:
    """Square of the spectral radius of independent entries, as the width grows (circular law)."""
    return hidden * variance


def norm_squared(variance: Expr, hidden: Expr) -> Expr:
    """Square of their spectral norm, as the width grows."""
    return 4 * hidden * variance


def derive() -> tuple[Step, ...]:
    return (*_entries(), *_wide(), *_what_follows())


def _entries() -> tuple[Step, ...]:
    import sympy as sp

    H = sp.Symbol("H", integer=True, positive=True)
    w = sp.Symbol("w", real=True)

    def uniform(name: str, bound: Expr, rule: Text) -> Step:
        second_moment = sp.Integral(w**2 / (2 * bound), (w, -bound, bound))
        return equal(name, second_moment, uniform_variance(bound**2), rule)

    return (
        uniform(
            "pytorch-entries",
            1 / sp.sqrt(H),
            Text(
                r"PyTorch draws an RNN's weights uniformly below $1/\sqrt H$: their variance",
                r"PyTorch 的 RNN 权重在 $1/\sqrt H$ 以内均匀抽取，其方差为",
            ),
        ),
        uniform(
            "glorot-entries",
            sp.sqrt(6 / (H + H)),
            Text(
                r"Glorot's bound $\sqrt{6/(n_{in} + n_{out})}$ gives three times that",
                r"Glorot 的界 $\sqrt{6/(n_{in} + n_{out})}$ 给出三倍于此的方差",
            ),
        ),
    )


def _wide() -> tuple[Step, ...]:
    import sympy as sp

    from engine.proof.moments import Expectation

    H, k = sp.symbols("H k", integer=True, positive=True)
    v = sp.Symbol("v", positive=True)
    W = sp.Matrix(2, 2, sp.symbols("w_11 w_12 w_21 w_22", real=True))
    law = dict.fromkeys(W, (0, v))
    # C_k by factorials, and the two recurrences that take k to k + 1
    catalan = sp.factorial(2 * k) / (sp.factorial(k) ** 2 * (k + 1))
    recurrences = (
        (sp.factorial(2 * k + 2), (2 * k + 2) * (2 * k + 1) * sp.factorial(2 * k)),
        (sp.factorial(k + 1), (k + 1) * sp.factorial(k)),
    )
    ratio = 2 * (2 * k + 1) / (k + 2)
    return (
        cited(
            "circular-law",
            r"\max_i |\lambda_i(W)| \to \sqrt{H v}, \qquad \operatorname{Var}(w_{ij}) = v",
            Text(
                "independent entries of mean zero: the eigenvalues fill a disc evenly; this is its radius",
                "元素独立、均值为零：特征值均匀填满一个圆盘，这是它的半径",
            ),
            "Girko 1984; Tao and Vu 2010 (whole disc); Geman 1986 (no eigenvalue outside)",
        ),
        equal(
            "mean-square-singular-value",
            Expectation((W.T * W).trace() / 2, law),
            radius_squared(v, 2),
            Text(
                r"the singular values' mean square $\operatorname{tr}(W^\top W)/H$ is $H v$, so their maximum is at "
                "least the disc's radius",
                r"奇异值的均方 $\operatorname{tr}(W^\top W)/H$ 等于 $H v$，所以最大奇异值至少是圆盘半径",
            ),
            bound="H=2",
        ),
        cited(
            "marchenko-pastur",
            r"\frac{1}{H} \operatorname{tr} (W^\top W)^k \to C_k (H v)^k, \qquad C_k = \frac{1}{k+1} \binom{2k}{k}",
            Text(
                "all their even moments: Catalan numbers",
                "它们的各阶偶次矩：卡特兰数",
            ),
            "Marchenko and Pastur 1967; Yin, Bai and Krishnaiah 1988 (no singular value outside)",
        ),
        *(
            let(
                f"factorial-{index + 1}",
                left,
                right,
                Text("by the definition of the factorial", "由阶乘的定义"),
            )
            for index, (left, right) in enumerate(recurrences)
        ),
        equal(
            "catalan-ratio",
            catalan.subs(k, k + 1),
            ratio * catalan,
            Text("one moment from the one before it", "由前一个矩得到后一个"),
            using=recurrences,
        ),
        equal(
            "edge",
            sp.Limit(ratio, k, sp.oo) * H * v,
            norm_squared(v, H),
            Text(
                "the ratio of moments in a row tends to the square of the largest singular value: four times the "
                "radius squared",
                "相邻两矩之比趋于最大奇异值的平方：半径平方的四倍",
            ),
        ),
    )


def _what_follows() -> tuple[Step, ...]:
    import sympy as sp

    H = sp.Symbol("H", integer=True, positive=True)
    W, x = sp.MatrixSymbol("W", H, H), sp.MatrixSymbol("x", H, 1)
    v = sp.Symbol("v", positive=True)
    c = sp.Symbol("c", positive=True)
    torch, glorot = uniform_variance(1 / H), uniform_variance(sp.Integer(6) / (2 * H))
    small = sp.Rational(1, 10) ** 2
    shear = sp.ImmutableMatrix([[sp.Rational(1, 2), c], [0, sp.Rational(1, 2)]])
    e_2 = sp.ImmutableMatrix([0, 1])
    return (
        equal(
            "pytorch-radius",
            radius_squared(sp.UnevaluatedExpr(torch), H),
            sp.Rational(1, 3),
            Text(
                r"PyTorch: radius $1/\sqrt 3 = 0.577$ at any width (its square is stated)",
                r"PyTorch：任何宽度下半径都是 $1/\sqrt 3 = 0.577$（式中为其平方）",
            ),
        ),
        ordered(
            "pytorch-norm",
            norm_squared(torch, H),
            ">",
            sp.Integer(1),
            Text(
                r"but the norm $2/\sqrt 3 = 1.155$ exceeds one",
                r"而范数 $2/\sqrt 3 = 1.155$ 大于 1",
            ),
        ),
        equal(
            "glorot-radius",
            radius_squared(sp.UnevaluatedExpr(glorot), H),
            sp.Integer(1),
            Text(
                "Glorot: radius one, norm two",
                "Glorot：半径 1，范数 2",
            ),
        ),
        equal(
            "tutorial-radius",
            radius_squared(sp.UnevaluatedExpr(small), sp.UnevaluatedExpr(sp.Integer(100))),
            sp.Integer(1),
            Text(
                "$0.1$ times standard normal: the radius grows with the width and reaches one at $H = 100$",
                "标准正态乘以 $0.1$：半径随宽度增大，到 $H = 100$ 时等于 1",
            ),
        ),
        let(
            "orthogonal",
            W.T,
            W.I,
            Text("an orthogonal matrix", "正交矩阵"),
        ),
        equal(
            "orthogonal-norm",
            (W * x).T * (W * x),
            x.T * x,
            Text(
                "keeps every length, so all its singular values and the moduli of its eigenvalues are one",
                "保持一切长度，所以奇异值和特征值的模全是 1",
            ),
            using=((W.T, W.I),),
        ),
        ordered(
            "radius-says-nothing-about-the-norm",
            (shear * e_2).dot(shear * e_2),
            ">",
            c**2,
            Text(
                "both eigenvalues are one half, and a unit vector is stretched by more than any $c$: radius below one "
                "does not bound the norm",
                "两个特征值都是二分之一，而一个单位向量被拉长到超过任意的 $c$：半径小于 1 并不能限制范数",
            ),
        ),
        popular_error(
            "norm-below-one",
            norm_squared(torch, H),
            sp.Integer(1),
            Text(
                "'the recurrent matrix's spectral norm is usually below one': not as PyTorch draws it",
                "“循环矩阵的谱范数通常小于 1”：PyTorch 的初始化就不是这样",
            ),
            op="<",
        ),
        popular_error(
            "norm-is-the-radius",
            norm_squared(v, H),
            radius_squared(v, H),
            Text(
                "'norm and radius are one thing': only for normal matrices; here the norm is twice the radius",
                "“范数就是谱半径”：只对正规矩阵成立；这里范数是半径的两倍",
            ),
        ),
    )


def entry_variance(scheme: str, hidden: int) -> float:
    """Var(w_ij) before the gain; an orthogonal matrix's rows have length one."""
    match scheme:
        case "torch":
            return float(uniform_variance(1 / hidden))
        case "glorot":
            return float(uniform_variance(6 / (2 * hidden)))
        case "small_normal":
            return 0.1**2
    return 1 / hidden


def edge(hidden: int, position: float) -> float:
    """Largest singular value over σ√H at ``position`` on the Tracy-Widom scale (Johnstone 2001; Ma 2012).

    Its square is mu + s·position, mu = (2√(H-1/2))², s = 2√(H-1/2) (2/√(H-1/2))^{1/3}, over H.
    """
    root = math.sqrt(hidden - 0.5)
    return math.sqrt(max(0.0, 4 * root**2 + 2 * root * (2 / root) ** (1 / 3) * position) / hidden)


def predict(p: Params) -> Results:
    variance = p.gain**2 * entry_variance(p.scheme, p.hidden)
    radius = math.sqrt(radius_squared(variance, p.hidden))
    wide_norm = math.sqrt(norm_squared(variance, p.hidden))
    orthogonal = p.scheme == "orthogonal"
    return {
        "entry_variance": variance,
        "spectral_radius": radius,
        "wide_norm": radius if orthogonal else wide_norm,
        "spectral_norm": radius if orthogonal else wide_norm / 2 * edge(p.hidden, TRACY_WIDOM_MEAN),
    }


def draw(p: Params, hidden: int, rng: np.random.Generator) -> Array:
    return p.gain * initial_recurrent(rng, hidden, p.scheme)


def spectral_radius(matrix: Array) -> float:
    """Largest modulus of an eigenvalue."""
    return float(np.abs(np.linalg.eigvals(matrix)).max())


def spectral_norm(matrix: Array) -> float:
    """Largest singular value."""
    return float(np.linalg.norm(matrix, ord=2))


def measure(p: Params, rng: np.random.Generator) -> Results:
    W = draw(p, p.hidden, rng)
    eigenvalues = np.linalg.eigvals(W)
    singular_values = np.linalg.svd(W, compute_uv=False)
    moduli = np.abs(eigenvalues)
    others = [draw(p, hidden, rng) for hidden in SMALL_WIDTHS if hidden != p.hidden]
    widths = [len(other) for other in others]
    radii = [spectral_radius(other) for other in others]
    norms = [spectral_norm(other) for other in others]
    return {
        "spectral_radius": float(moduli.max()),
        "spectral_norm": float(singular_values[0]),
        "smallest_modulus": float(moduli.min()),
        "smallest_singular_value": float(singular_values[-1]),
        # the variance of the entries, about zero: the mean of the drawn law is known
        "entry_variance": float((W**2).mean()),
        "mean_square_singular_value": float((singular_values**2).mean()),
        "real": eigenvalues.real,
        "imaginary": eigenvalues.imag,
        "inner_share": float((moduli < moduli_limit(p)).mean()),
        "singular_values": singular_values,
        "widths": np.array([*widths, p.hidden], dtype=float),
        "radii": np.array([*radii, moduli.max()]),
        "norms": np.array([*norms, singular_values[0]]),
    }


def moduli_limit(p: Params) -> float:
    """Half of the disc's radius, from the deviation of the entries that is asked for."""
    return p.gain * math.sqrt(entry_variance(p.scheme, p.hidden) * p.hidden) / 2


def entry_cumulants(p: Params, variance: float) -> list[float]:
    """Of one entry: uniform or normal."""
    if p.scheme == "small_normal":
        return [0.0, variance] + [0.0] * (2 * HIGHEST_ORDER - 2)
    bound = math.sqrt(3 * variance)
    # E[w^r] of a uniform law on [-a, a]: a^r / (r + 1) for even r
    return cumulants_from_moments(
        [0.0 if r % 2 else bound**r / (r + 1) for r in range(1, 2 * HIGHEST_ORDER + 1)]
    )


def smallest_radius(hidden: int) -> float:
    """r with P(every eigenvalue lies within r of 0) = 1e-7, in units of the disc's radius.

    The squared moduli of a complex normal matrix are independent Gamma(k) laws, k = 1 … H (Kostlan 1992); a real one
    has its eigenvalues in conjugate pairs, each pair counting once: half the exponent.
    """
    log_factorials = np.concatenate(([0.0], np.cumsum(np.log(np.arange(1.0, hidden)))))
    counts = np.arange(hidden)

    def log_probability(square: float) -> float:
        x = hidden * square
        # P(Gamma(k) > x) = P(Poisson(x) < k), for k = 1 … H at once
        beyond = np.cumsum(np.exp(counts * math.log(x) - x - log_factorials))
        return 0.5 * float(np.log1p(-np.minimum(beyond, 1 - ROUNDING)).sum())

    low, high = 0.1, 1.5
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if log_probability(middle) < math.log(ALARM) else (low, middle)
    return math.sqrt(low)


def largest_radius(hidden: int) -> float:
    """r beyond which an eigenvalue is expected 1e-7 times, in units of the disc's radius.

    The outermost are real: at most P(chi² of H degrees > H r²) of them on average (Edelman, Kostlan, Shub 1994, corollary 4.3).
    """
    return math.sqrt(chi_square_limit(hidden, ALARM) / hidden)


def check(p: Params, predicted: Results, results: Results) -> tuple[Check, ...]:
    radius, norm = predicted["spectral_radius"], results["spectral_norm"]
    size = p.hidden * ROUNDING * norm
    exact = Text("exact relation, up to rounding", "精确关系，只容许舍入误差")
    shared = (
        Check(
            "radius-at-most-norm",
            Text("no eigenvalue exceeds the norm", "没有特征值的模超过范数"),
            predicted=norm,
            measured=results["spectral_radius"],
            tolerance=10 * size,
            law=exact,
            relation="<=",
        ),
        Check(
            "mean-square",
            Text(
                "the singular values' mean square is H times the entries' mean square",
                "奇异值的均方等于元素均方的 H 倍",
            ),
            predicted=p.hidden * results["entry_variance"],
            measured=results["mean_square_singular_value"],
            tolerance=10 * size * norm,
            law=exact,
        ),
    )
    if p.scheme == "orthogonal":
        return shared + tuple(
            Check(
                f"orthogonal-{name.replace('_', '-')}",
                Text("every eigenvalue and singular value has this size", "所有特征值与奇异值的大小都是它"),
                predicted=radius,
                measured=results[name],
                tolerance=10 * size,
                law=exact,
            )
            for name in ("spectral_radius", "smallest_modulus", "spectral_norm", "smallest_singular_value")
        )
    variance = predicted["entry_variance"]
    return (
        *shared,
        Check(
            "entry-variance",
            Text("the entries have the predicted variance", "元素的方差等于预测值"),
            predicted=variance,
            measured=results["entry_variance"],
            tolerance=variance_band(entry_cumulants(p, variance), p.hidden**2),
            law=Text(
                "Markov's inequality on the exact moments of the mean square",
                "对均方的精确高阶矩用马尔可夫不等式",
            ),
            false_alarm=2e-7,
        ),
        Check(
            "spectral-norm",
            Text("the spectral norm lies at the predicted edge", "谱范数落在预测的边缘处"),
            predicted=predicted["spectral_norm"],
            measured=norm,
            tolerance=radius * (edge(p.hidden, TRACY_WIDOM_REACH) - edge(p.hidden, -TRACY_WIDOM_REACH)) / 2,
            law=Text(
                "the law of the edge (Tracy-Widom, order 1) at nine of its units: exact as H grows, and 40,000 draws "
                "at H=16 stay within six",
                "边缘的分布（一阶 Tracy-Widom），取九个单位：H 增大时精确，H=16 的 40,000 次抽取都在六个单位以内",
            ),
            false_alarm=1e-7,
        ),
        Check(
            "radius-not-above-the-disc",
            Text(
                "the spectral radius exceeds the disc's by its finite-width fringe at most",
                "谱半径超出圆盘不超过有限宽度的边缘",
            ),
            predicted=radius,
            measured=results["spectral_radius"],
            tolerance=radius * (largest_radius(p.hidden) - 1),
            law=Text(
                "expected number of real eigenvalues further out is 1e-7 (Edelman, Kostlan, Shub 1994; normal entries, "
                "uniform ones scatter less)",
                "更外面的实特征值的期望个数为 1e-7（Edelman、Kostlan、Shub 1994；正态元素，均匀元素涨落更小）",
            ),
            relation="<=",
            false_alarm=2e-7,
        ),
        Check(
            "radius-not-below-the-disc",
            Text("and falls short of it by no more", "也不会小太多"),
            predicted=radius,
            measured=results["spectral_radius"],
            tolerance=radius * (1 - smallest_radius(p.hidden)),
            law=Text(
                "Kostlan's law of the moduli, conjugate pairs counted once, at probability 1e-7",
                "Kostlan 的模分布，共轭对只计一次，取概率 1e-7",
            ),
            relation=">=",
            false_alarm=2e-7,
        ),
        Check(
            "disc-filled-evenly",
            Text(
                "a quarter of the eigenvalues lies within half the radius",
                "四分之一的特征值落在半径一半以内",
            ),
            predicted=0.25,
            measured=results["inner_share"],
            tolerance=proportion(0.25, p.hidden),
            law=Text(
                "5 binomial standard errors: eigenvalues repel, so their counts scatter less than independent ones",
                "5 个二项标准误：特征值相互排斥，计数的涨落小于独立情形",
            ),
            false_alarm=FALSE_ALARM,
        ),
    )


def figures(p: Params, predicted: Results, results: Results) -> tuple[Figure, ...]:
    return _disc(p, predicted, results), _values(p, predicted, results), _widths(p, results)


def _disc(p: Params, predicted: Results, results: Results) -> Plot:
    angle = np.linspace(0, 2 * math.pi, 97)
    radius = predicted["spectral_radius"]
    reach = 1.15 * max(1.0, radius, results["spectral_radius"])

    def circle(name: Text, r: float, role: Role) -> Line:
        return Line(name, r * np.cos(angle), r * np.sin(angle), role)

    evenly = Text(
        "the eigenvalues fill the predicted disc; the unit circle parts decay from growth",
        "特征值填满预测的圆盘；单位圆区分衰减与增长",
    )
    ring = Text(
        "an orthogonal matrix has its eigenvalues on a circle, none inside",
        "正交矩阵的特征值都在一个圆上，里面没有",
    )
    return Plot(
        Text("Eigenvalues in the complex plane", "复平面上的特征值"),
        ring if p.scheme == "orthogonal" else evenly,
        Axis(Text("real part", "实部"), low=-reach, high=reach),
        Axis(Text("imaginary part", "虚部"), low=-reach, high=reach),
        (
            circle(Text("unit circle", "单位圆"), 1.0, "context"),
            circle(Text("predicted disc", "预测的圆盘"), radius, "predicted"),
            Points(Text("eigenvalues", "特征值"), results["real"], results["imaginary"]),
        ),
    )


def quarter_circle(levels: Array) -> Array:
    """Quantiles of singular values over σ√H: density √(4 - s²)/π on [0, 2] (Marchenko and Pastur 1967)."""
    s = np.linspace(0, 2, 401)
    share = (s * np.sqrt(4 - s**2) / 2 + 2 * np.arcsin(s / 2)) / math.pi
    quantiles: Array = np.interp(levels, share, s)
    return quantiles


def _values(p: Params, predicted: Results, results: Results) -> Plot:
    levels = (np.arange(p.hidden) + 0.5) / p.hidden
    radius = predicted["spectral_radius"]
    orthogonal = p.scheme == "orthogonal"
    return Plot(
        Text("Singular values in order", "按大小排列的奇异值"),
        Text("all singular values are equal", "所有奇异值都相等")
        if orthogonal
        else Text(
            "some directions are crushed and others stretched to twice the radius",
            "有的方向几乎被压扁，有的方向被拉长到半径的两倍",
        ),
        Axis(Text("share of directions below", "小于它的方向比例"), low=0.0, high=1.0),
        Axis(Text("singular value", "奇异值"), low=0.0),
        (
            Points(Text("measured", "实测"), levels, results["singular_values"][::-1]),
            Line(
                Text("wide limit", "宽度极限"),
                levels,
                radius * (np.ones_like(levels) if orthogonal else quarter_circle(levels)),
                "predicted",
            ),
            Rule(Text("one", "1"), 1.0, "y", "bound"),
            Rule(Text("spectral radius", "谱半径"), results["spectral_radius"], "y", "other"),
        ),
    )


def _widths(p: Params, results: Results) -> Plot:
    widths: Array = np.geomspace(16, 1024, 25)
    variances = [p.gain**2 * entry_variance(p.scheme, width) for width in widths]
    radii = np.sqrt(
        [radius_squared(variance, width) for variance, width in zip(variances, widths, strict=True)]
    )
    norms = np.sqrt(
        [norm_squared(variance, width) for variance, width in zip(variances, widths, strict=True)]
    )
    grows = Text(
        "with a fixed deviation both grow with the square root of the width",
        "标准差固定时，两者都随宽度的平方根增大",
    )
    level = Text(
        "scaled by the width, both stay where they are at any width",
        "按宽度缩放后，两者在任何宽度下都不变",
    )
    return Plot(
        Text("Radius and norm against width", "谱半径与谱范数随宽度的变化"),
        grows if p.scheme == "small_normal" else level,
        Axis(same("H"), "log"),
        Axis(Text("size", "大小"), "log"),
        (
            Line(Text("radius, wide limit", "半径，宽度极限"), widths, radii, "predicted"),
            Points(Text("radius", "半径"), results["widths"], results["radii"]),
            *(
                ()
                if p.scheme == "orthogonal"
                else (
                    Line(Text("norm, wide limit", "范数，宽度极限"), widths, norms, "context"),
                    Points(Text("norm", "范数"), results["widths"], results["norms"], "other"),
                )
            ),
            Rule(Text("one", "1"), 1.0, "y", "bound"),
        ),
    )


DEMO = Demonstration(
    id="D08",
    name="recurrent-spectra",
    title=Text("Spectra of initial recurrent matrices", "循环矩阵初始化的谱"),
    shows=Text(
        r"PyTorch's recurrent matrix starts with spectral radius $1/\sqrt 3$ and spectral norm $2/\sqrt 3 > 1$; "
        "Glorot's with one and two; an orthogonal one with one and one",
        r"PyTorch 的循环矩阵初始谱半径为 $1/\sqrt 3$，谱范数为 $2/\sqrt 3 > 1$；Glorot 为 1 与 2；正交矩阵为 1 与 1",
    ),
    kills=Text(
        "“the recurrent matrix's spectral norm is below one”, “radius and norm are the same”",
        "“循环矩阵的谱范数小于 1”“谱半径和谱范数是一回事”",
    ),
    parameters=(
        Parameter(
            "scheme",
            r"\text{init}",
            Text("initialisation", "初始化方式"),
            "torch",
            kind="choice",
            choices=(
                Choice("torch", Text("PyTorch's uniform", "PyTorch 均匀分布")),
                Choice("glorot", Text("Glorot uniform", "Glorot 均匀分布")),
                Choice("small_normal", Text("0.1 · normal", "0.1 · 正态")),
                Choice("orthogonal", Text("orthogonal", "正交")),
            ),
        ),
        Parameter("hidden", "H", Text("hidden width", "隐藏层宽度"), 100, 16, 192, 1.0, "int", "log"),
        Parameter("gain", "g", Text("factor on all weights", "所有权重的倍数"), 1.0, 0.1, 3.0, 0.1),
    ),
    derive=derive,
    predict=predict,
    measure=measure,
    check=check,
    figures=figures,
    headline=Headline(
        "spectral_norm",
        Text("spectral norm of the initial recurrent matrix", "初始循环矩阵的谱范数"),
        Text("", ""),
        0.0,
        4.0,
    ),
)
