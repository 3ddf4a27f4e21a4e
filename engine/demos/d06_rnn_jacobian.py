"""D06: the step Jacobian of a recurrent network, where its slope is taken, and in which order steps multiply.

Pascanu, Mikolov and Bengio 2013, equations 3 to 5; Werbos 1990 (backpropagation through time).
"""

from __future__ import annotations

import math
from functools import reduce

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
from engine.figure import Axis, Bar, Bars, Figure, Line, Plot, Points, Rule
from engine.nn.initialization import recurrent_matrix
from engine.nn.recurrent import (
    TINY,
    RNNTrace,
    RNNWeights,
    rnn_backward,
    rnn_driven,
    state_perturbation,
    step_jacobian,
)
from engine.proof.step import Expr, Step, defined, equal, let, ordered, popular_error
from engine.text import Text, same

CROWD = 64
"""Sequences whose states make the distribution of slopes."""
ROUNDING = float(np.finfo(float).eps)


# The formulas: the proof checks them with SymPy symbols, the measurement's candidates evaluate them with arrays.
def slope_from_state(h: Expr) -> Expr:
    """tanh'(a) from the state h = tanh(a) that the step left."""
    return 1 - h**2


def lowest_slope_at_a_state(tanh_of_one: Expr) -> Expr:
    """What tanh'(h) cannot fall below, h being a state; the argument is tanh(1)."""
    return 1 - tanh_of_one**2


def derive() -> tuple[Step, ...]:
    return (*_one_step(), *_the_wrong_slope(), *_many_steps())


def _one_step() -> tuple[Step, ...]:
    import sympy as sp

    H, D = sp.symbols("H D", integer=True, positive=True)
    W_h, W_x = sp.MatrixSymbol("W_h", H, H), sp.MatrixSymbol("W_x", H, D)
    h_before, x, b = sp.MatrixSymbol("h", H, 1), sp.MatrixSymbol("x", D, 1), sp.MatrixSymbol("b", H, 1)
    W = sp.ImmutableMatrix(2, 2, sp.symbols("w_11 w_12 w_21 w_22", real=True))
    before, drive = sp.symbols("h'_1:3", real=True), sp.symbols("u_1:3", real=True)
    after = sp.symbols("h_1:3", real=True)
    states = [sp.tanh(W[i, 0] * before[0] + W[i, 1] * before[1] + drive[i]) for i in range(2)]
    lemmas = tuple(zip(after, states, strict=True))
    jacobian = sp.ImmutableMatrix(2, 2, lambda i, j: sp.Derivative(after[i], before[j]))
    slopes = sp.ImmutableMatrix(sp.diag(*map(slope_from_state, after)))
    a = sp.Symbol("a", real=True)
    # the other parametrisation: the state is what enters tanh
    inner = sp.symbols("x'_1:3", real=True)
    outer = [W[i, 0] * sp.tanh(inner[0]) + W[i, 1] * sp.tanh(inner[1]) + drive[i] for i in range(2)]
    return (
        defined(
            "network",
            r"h_t = \tanh(a_t), \qquad a_t = W h_{t-1} + u_t, \qquad u_t = U x_t + b",
            Text(
                "state $h_t$, pre-activation $a_t$; $u_t$ is what the input brings",
                "隐藏状态 $h_t$、预激活 $a_t$；$u_t$ 是输入带来的部分",
            ),
        ),
        equal(
            "rows-or-columns",
            sp.Transpose(W_h * h_before + W_x * x + b),
            h_before.T * W_h.T + x.T * W_x.T + b.T,
            Text(
                "papers write columns and code writes rows: one model, each matrix transposed",
                "论文用列向量，代码用行向量：模型相同，矩阵各转置一次",
            ),
        ),
        equal(
            "slope-from-state",
            sp.Derivative(sp.tanh(a), a),
            slope_from_state(sp.tanh(a)),
            Text(
                "the slope at the pre-activation, written with the state that the step leaves",
                "预激活处的导数，可用这一步得到的状态写出",
            ),
        ),
        *(
            let(
                f"state-{i + 1}",
                after[i],
                states[i],
                Text(
                    f"unit {i + 1} of a network of two; a prime marks the step before",
                    f"两个单元的网络，第 {i + 1} 个单元；撇号表示上一步",
                ),
            )
            for i in range(2)
        ),
        equal(
            "numerator-layout",
            jacobian,
            sp.MatMul(slopes, W),
            Text(
                r"row $i$, column $j$ is $\partial h_{t,i} / \partial h_{t-1,j}$: the slopes stand to the left of $W$",
                r"第 $i$ 行第 $j$ 列是 $\partial h_{t,i} / \partial h_{t-1,j}$：导数对角阵在 $W$ 的左边",
            ),
            bound="H=2",
            using=lemmas,
        ),
        equal(
            "denominator-layout",
            jacobian.T,
            sp.MatMul(W.T, slopes),
            Text(
                "its transpose is what carries a gradient back",
                "它的转置用来把梯度往回传",
            ),
            bound="H=2",
            using=lemmas,
        ),
        equal(
            "other-parametrisation",
            sp.ImmutableMatrix(2, 2, lambda i, j: sp.Derivative(outer[i], inner[j])),
            sp.MatMul(W, sp.ImmutableMatrix(sp.diag(*(slope_from_state(sp.tanh(x)) for x in inner)))),
            Text(
                r"Pascanu et al. write $x_t = W \tanh(x_{t-1}) + u_t$: there the slope is taken at the state, "
                "that of the step before",
                r"Pascanu 等人写的是 $x_t = W \tanh(x_{t-1}) + u_t$：那里的导数取在状态上，而且是上一步的状态",
            ),
            bound="H=2",
        ),
    )


def _the_wrong_slope() -> tuple[Step, ...]:
    import sympy as sp

    W = sp.ImmutableMatrix(2, 2, sp.symbols("w_11 w_12 w_21 w_22", real=True))
    h = sp.symbols("h_1:3", real=True)
    a = sp.Symbol("a", real=True)
    state, m = sp.symbols("h m", nonnegative=True)
    right = sp.ImmutableMatrix(sp.diag(*map(slope_from_state, h)))
    wrong = sp.ImmutableMatrix(sp.diag(*(1 - sp.tanh(x) ** 2 for x in h)))
    return (
        popular_error(
            "slope-at-the-state",
            sp.MatMul(W.T, right),
            sp.MatMul(W.T, wrong),
            Text(
                r"'each step contributes $W^\top \operatorname{diag}(\tanh'(h_t))$': that passes the state through tanh "
                "a second time",
                r"“每一步贡献 $W^\top \operatorname{diag}(\tanh'(h_t))$”：这等于让状态又过了一次 tanh",
            ),
            bound="H=2",
        ),
        ordered(
            "a-state-is-below-one",
            sp.tanh(a),
            "<",
            sp.Integer(1),
            Text("a state lies between minus one and one", "状态落在 −1 与 1 之间"),
            witness=2 / (sp.exp(2 * a) + 1),
        ),
        ordered(
            "slope-falls-with-size",
            1 - sp.tanh(state) ** 2,
            ">=",
            1 - sp.tanh(state + m) ** 2,
            Text(
                r"and $\tanh'$ falls as its argument grows: it is even, and for $h, m \geq 0$",
                r"而 $\tanh'$ 随自变量增大而减小：它是偶函数，且对 $h, m \geq 0$ 有",
            ),
            witness=sp.sinh(m) * sp.sinh(2 * state + m) / (sp.cosh(state) ** 2 * sp.cosh(state + m) ** 2),
        ),
        equal(
            "wall",
            sp.Subs(sp.Derivative(sp.tanh(state), state), state, 1),
            lowest_slope_at_a_state(sp.tanh(1)),
            Text(
                "so the misread slope stays above its value at one, about 0.42, where no state arrives: by that formula "
                "tanh could not saturate",
                "所以误写的导数始终大于它在 1 处的值（约 0.42），而状态到不了 1：照那个公式，tanh 永远不会饱和",
            ),
        ),
        equal(
            "true-slope-vanishes",
            slope_from_state(sp.tanh(a)),
            4 * sp.exp(-2 * a) / (1 + sp.exp(-2 * a)) ** 2,
            Text(
                "while the true slope goes to zero, exponentially in the pre-activation",
                "而真正的导数随预激活指数趋于零",
            ),
        ),
    )


def _many_steps() -> tuple[Step, ...]:
    import sympy as sp

    w, u1, u2, u3, h0 = sp.symbols("w u_1 u_2 u_3 h_0", real=True)
    h = sp.symbols("h_1:4", real=True)
    nested = [sp.tanh(w * before + u) for before, u in zip((h0, *h[:2]), (u1, u2, u3), strict=True)]
    # the last first: its own argument holds the state before
    lemmas = tuple(zip(h[::-1], nested[::-1], strict=True))
    step = [w * slope_from_state(x) for x in h]
    local = [slope_from_state(x) * before for x, before in zip(h, (h0, *h[:2]), strict=True)]
    W = sp.ImmutableMatrix(2, 2, sp.symbols("w_11 w_12 w_21 w_22", real=True))
    v = sp.symbols("h_{0\\,1} h_{0\\,2}", real=True)
    first = [sp.tanh(W[i, 0] * v[0] + W[i, 1] * v[1]) for i in range(2)]
    h11, h12, h21 = sp.symbols("h_{1\\,1} h_{1\\,2} h_{2\\,1}", real=True)
    two = (
        (h21, sp.tanh(W[0, 0] * h11 + W[0, 1] * h12)),
        (h11, first[0]),
        (h12, first[1]),
    )
    s1 = sp.ImmutableMatrix(sp.diag(*sp.symbols("s_11 s_12", positive=True)))
    s2 = sp.ImmutableMatrix(sp.diag(*sp.symbols("s_21 s_22", positive=True)))
    return (
        *(
            let(
                f"scalar-state-{t + 1}",
                h[t],
                nested[t],
                Text(f"one unit, step {t + 1} of three", f"单个单元，三步中的第 {t + 1} 步"),
            )
            for t in range(3)
        ),
        equal(
            "chain",
            sp.Derivative(h[2], h0),
            sp.Mul(*step),
            Text(
                r"three steps of one unit: the product of the three slopes and weights",
                r"单个单元走三步：三步的导数与权重之积",
            ),
            bound="H=1, T=3",
            using=lemmas,
        ),
        equal(
            "shared-weight",
            sp.Derivative(h[2], w),
            local[2] + step[2] * local[1] + step[2] * step[1] * local[0],
            Text(
                "one weight serves every step, so its gradient is a sum over steps, each passed on by the later ones",
                "同一个权重用在每一步，所以它的梯度是各步贡献之和，每一份再经后面的步传到末尾",
            ),
            bound="H=1, T=3",
            using=lemmas,
        ),
        *(
            let(
                f"two-step-state-{index + 1}",
                *two[index],
                Text("two units, two steps", "两个单元，两步"),
            )
            for index in range(3)
        ),
        equal(
            "order",
            sp.Derivative(h21, v[1]),
            slope_from_state(h21)
            * (W[0, 0] * slope_from_state(h11) * W[0, 1] + W[0, 1] * slope_from_state(h12) * W[1, 1]),
            Text(
                r"with more units the factors are matrices: row 1, column 2 of $J_2 J_1$, the later step to the left",
                r"单元多于一个时因子是矩阵：这是 $J_2 J_1$ 的第 1 行第 2 列，后面的步在左边",
            ),
            bound="H=2, T=2",
            using=two,
        ),
        popular_error(
            "order-does-not-matter",
            sp.MatMul(s2, W, s1, W),
            sp.MatMul(s1, W, s2, W),
            Text(
                r"'$\prod_{t=1}^{T} J_t$ in whichever order': for matrices, only $J_T \cdots J_1$; read upwards "
                "they must be transposed",
                r"“$\prod_{t=1}^{T} J_t$ 顺序随意”：矩阵只能是 $J_T \cdots J_1$；若按下标升序写，每个都要转置",
            ),
            bound="H=2",
        ),
    )


FORMS = {
    "numerator": same("J(T) … J(1)"),
    "denominator": same("(J(1)ᵀ … J(T)ᵀ)ᵀ"),
    "ascending": same("J(1) … J(T)"),
    "common": Text("tanh′(hₜ) for tanh′(aₜ)", "误用 tanh′(hₜ)"),
}
"""How the product over the steps may be written; the first two are right."""


def predict(p: Params) -> Results:
    return {"wall": lowest_slope_at_a_state(math.tanh(1.0))}


def product_of(factors: Array) -> Array:
    """factors[0] @ factors[1] @ …, of (T, H, H)."""
    return reduce(np.matmul, factors)


def form_products(trace: RNNTrace, recurrent: Array) -> dict[str, Array]:
    """∂h_T/∂h_0 (H, H) as each form has it."""
    jacobians = step_jacobian(trace.pre_activations, recurrent)  # (T, H, H)
    upwards = np.swapaxes(jacobians, -1, -2)
    misread = step_jacobian(trace.hidden[1:], recurrent)
    return {
        "numerator": product_of(jacobians[::-1]),
        "denominator": product_of(upwards).T,
        "ascending": product_of(jacobians),
        # in the one order and layout in which nothing but the slope is wrong
        "common": product_of(misread[::-1]),
    }


def weight_contributions(drive: Array, h_0: Array, recurrent: Array, readout: Array) -> tuple[Array, float]:
    """How ``readout``·h_T moves as W grows by a factor: at one step alone, each in turn (T,), and at all of them."""
    grown = recurrent * (1 + 1j * TINY)
    steps = len(drive)
    alone = np.empty(steps)
    for t in range(steps):
        before = rnn_driven(drive[:t], h_0, recurrent.astype(complex)).hidden[-1]
        moved = rnn_driven(drive[t : t + 1], before, grown).hidden[-1]
        last = rnn_driven(drive[t + 1 :], moved, recurrent.astype(complex)).hidden[-1]
        alone[t] = float(readout @ last.imag) / TINY
    together = rnn_driven(drive, h_0, grown).hidden[-1]
    return alone, float(readout @ together.imag) / TINY


def running_bound(factors: Array, recurrent: Array, first: Array, added: Array | None = None) -> Array:
    """How far two ways to carry ``first`` through ``factors`` (T, H, H) may differ by rounding, entry by entry.

    Each factor is known to δ|W| only, its slope being 1 - tanh² to a rounding error of one; ``added`` (T, H) is
    what each step adds of its own.
    """
    hidden = recurrent.shape[0]
    delta = 8 * (hidden + 4) * ROUNDING
    size, bound = np.abs(first), np.zeros_like(first)
    weights = np.abs(recurrent)
    for t, factor in enumerate(np.abs(factors)):
        bound = factor @ bound + delta * (weights @ (size + bound))
        size = factor @ size
        if added is not None:
            bound, size = bound + delta * np.abs(added[t]), size + np.abs(added[t])
    return bound


def difference(candidate: Array, truth: Array) -> float:
    """‖candidate - truth‖ over the larger of their norms: 0 when equal, 2 at most."""
    scale = max(float(np.linalg.norm(candidate)), float(np.linalg.norm(truth)))
    return float(np.linalg.norm(candidate - truth)) / scale if scale else 0.0


def measure(p: Params, rng: np.random.Generator) -> Results:
    recurrent = recurrent_matrix(rng, p.hidden, p.gain, "normal")
    drive = rng.standard_normal((p.steps, p.hidden))
    h_0 = np.tanh(rng.standard_normal(p.hidden))
    readout = rng.standard_normal(p.hidden)
    # the derivative itself, with no Jacobian in it: each direction moved by an imaginary amount
    columns = [state_perturbation(drive, h_0, recurrent, direction)[-1] for direction in np.eye(p.hidden)]
    jacobian = np.stack(columns, axis=1)
    # the states of those very runs: real and complex products may round differently
    run = rnn_driven(drive.astype(complex), h_0.astype(complex), recurrent.astype(complex))
    trace = RNNTrace(run.pre_activations.real, run.hidden.real)
    products = form_products(trace, recurrent)

    # the same network seen where it enters tanh is Pascanu's: x_t = W tanh(x_{t-1}) + u_t, started at x_0 = a_1
    moved = [
        rnn_driven(drive[1:], np.tanh(run.pre_activations[0].real + 1j * TINY * direction), recurrent + 0j)
        for direction in np.eye(p.hidden)
    ]
    inner = np.stack([m.pre_activations[-1].imag / TINY for m in moved], axis=1)
    slopes = 1 - np.tanh(trace.pre_activations[:-1]) ** 2
    inner_factors = recurrent * slopes[:, None, :]
    inner_product = product_of(inner_factors[::-1])

    direct = np.zeros_like(trace.hidden)
    direct[-1] = readout
    weights = RNNWeights(recurrent, np.eye(p.hidden), np.zeros(p.hidden))
    gradient = rnn_backward(trace, drive, weights, direct)
    alone, together = weight_contributions(drive, h_0, recurrent, readout)

    crowd = rnn_driven(
        rng.standard_normal((p.steps, CROWD, p.hidden)), np.zeros((CROWD, p.hidden)), recurrent
    )
    levels = np.linspace(0, 1, 101)
    true_slopes = 1 - np.tanh(crowd.pre_activations) ** 2
    misread_slopes = 1 - np.tanh(crowd.hidden[1:]) ** 2
    jacobians = step_jacobian(trace.pre_activations, recurrent)
    eye, none = np.eye(p.hidden), np.zeros(p.hidden)
    jacobian_bound = running_bound(jacobians, recurrent, eye)
    inner_bound = running_bound(inner_factors, recurrent, eye)
    own = np.abs(trace.hidden[:-1]) @ np.abs(recurrent).T
    weight_bound = running_bound(jacobians, recurrent, none, own)
    return {
        "difference": difference(products[p.form], jacobian),
        **{f"difference_{form}": difference(product, jacobian) for form, product in products.items()},
        **{
            f"distance_{form}": float(np.linalg.norm(product - jacobian))
            for form, product in products.items()
        },
        "jacobian_bound": float(np.linalg.norm(jacobian_bound)),
        "inner_distance": float(np.linalg.norm(inner_product - inner)),
        "inner_bound": float(np.linalg.norm(inner_bound)),
        "contributions": alone,
        "weight_derivative": together,
        "sum_of_contributions": float(alone.sum()),
        "backward_derivative": float((gradient.weights.recurrent * recurrent).sum()),
        "weight_bound": float(np.abs(readout) @ weight_bound),
        "levels": levels,
        "slopes": np.quantile(true_slopes, levels),
        "misread_slopes": np.quantile(misread_slopes, levels),
        "smallest_slope": float(true_slopes.min()),
        "smallest_misread_slope": float(misread_slopes.min()),
    }


def check(p: Params, predicted: Results, results: Results) -> tuple[Check, ...]:
    rounding = Text(
        "rounding, followed through the steps: T products of H terms, and slopes 1 - tanh² known to one rounding of 1",
        "逐步累计的舍入误差：T 次 H 项乘积，以及精度为 1 的一次舍入的导数 1 - tanh²",
    )
    bound = results["jacobian_bound"]
    checks = [
        Check(
            "descending-product",
            Text(
                "the product from the last step to the first is the derivative (distance of matrices)",
                "从末步乘到首步的乘积就是导数（矩阵之差的范数）",
            ),
            predicted=0.0,
            measured=results["distance_numerator"],
            tolerance=bound,
            law=rounding,
        ),
        Check(
            "transposed-ascending-product",
            Text(
                "transposed factors from the first step to the last give the transposed derivative",
                "各因子转置后从首步乘到末步，得到导数的转置",
            ),
            predicted=0.0,
            measured=results["distance_denominator"],
            tolerance=bound,
            law=rounding,
        ),
        Check(
            "pascanus-network",
            Text(
                "slopes at the state of the step before are right where that state enters tanh",
                "若状态本身进入 tanh，则导数取在上一步的状态上，结果正确",
            ),
            predicted=0.0,
            measured=results["inner_distance"],
            tolerance=results["inner_bound"],
            law=rounding,
        ),
        Check(
            "sum-over-steps",
            Text(
                "moving the weights at one step at a time, and adding up, is moving them at all steps",
                "逐步单独改动权重再相加，等于同时改动所有步的权重",
            ),
            predicted=results["weight_derivative"],
            measured=results["sum_of_contributions"],
            tolerance=results["weight_bound"],
            law=rounding,
        ),
        Check(
            "backpropagation-through-time",
            Text(
                "and the backward pass finds that derivative",
                "反向传播得到的也是这个导数",
            ),
            predicted=results["weight_derivative"],
            measured=results["backward_derivative"],
            tolerance=results["weight_bound"],
            law=rounding,
        ),
        Check(
            "misread-slope-stays-above-its-wall",
            Text(
                "the smallest tanh'(h) of the crowd of states stays above the wall",
                "所有状态中最小的 tanh'(h) 也高于下限",
            ),
            predicted=predicted["wall"],
            measured=results["smallest_misread_slope"],
            tolerance=4 * ROUNDING,
            law=Text("exact inequality, up to rounding", "精确不等式，只容许舍入误差"),
            relation=">=",
        ),
    ]
    generic = Text(
        "equal only for weights of measure zero: the difference lies far above what rounding could make",
        "只有零测度的权重会相等：差异远大于舍入误差",
    )
    wrong = {
        "common": Text("slopes at the state give another matrix", "导数取在状态上会得到另一个矩阵"),
        "ascending": Text(
            "the factors in ascending order give another matrix", "因子按升序相乘会得到另一个矩阵"
        ),
    }
    checks += [
        Check(
            f"{form}-form-is-wrong",
            claim,
            predicted=0.0,
            measured=results[f"distance_{form}"],
            tolerance=bound,
            law=generic,
            relation="!=",
            false_alarm=1e-7,
        )
        for form, claim in wrong.items()
        if form == "common" or p.hidden > 1
    ]
    return tuple(checks)


def figures(p: Params, predicted: Results, results: Results) -> tuple[Figure, ...]:
    return (
        Plot(
            Text("How flat the units are", "单元有多平"),
            Text(
                "misread at the state, no unit is flatter than the wall; read at the pre-activation, the share of flat "
                "units grows with the gain",
                "误取在状态上时，没有单元能平过下限；取在预激活上时，平坦单元的比例随增益增大",
            ),
            Axis(Text("slope", "导数"), low=0.0, high=1.0),
            Axis(Text("share of units flatter than this", "比它更平的单元比例"), low=0.0, high=1.0),
            (
                Line(
                    Text("tanh'(a), the slope", "tanh'(a)，真正的导数"), results["slopes"], results["levels"]
                ),
                Line(
                    Text("tanh'(h), misread", "tanh'(h)，误写"),
                    results["misread_slopes"],
                    results["levels"],
                    "popular",
                ),
                Rule(Text("the wall, 1 - tanh²(1)", "下限 1 - tanh²(1)"), predicted["wall"], "x"),
            ),
        ),
        Bars(
            Text("Four products against the derivative", "四种乘积与导数之差"),
            Text(
                "the two right forms differ from the derivative by rounding alone; the other two are different matrices",
                "两种正确写法与导数只差舍入误差；另外两种是不同的矩阵",
            )
            if p.hidden > 1
            else Text(
                "with one unit the order of the factors does not matter; slopes at the state still give another number",
                "只有一个单元时，因子的次序无所谓；导数取在状态上仍会得到另一个数",
            ),
            Axis(Text("relative difference", "相对差异"), low=0.0),
            tuple(
                Bar(
                    name,
                    results[f"difference_{form}"],
                    "popular" if form in ("ascending", "common") else "measured",
                )
                for form, name in FORMS.items()
            ),
        ),
        Plot(
            Text("What each step adds to the weights' gradient", "每一步对权重梯度的贡献"),
            Text(
                "the shares of all steps add up to the gradient; at a small gain the last steps supply nearly all of it",
                "各步的贡献相加就是梯度；增益小时，几乎全部来自最后几步",
            ),
            Axis(Text("step t", "步 t")),
            Axis(Text("contribution along W", "沿 W 方向的贡献")),
            (
                Points(
                    Text("one step's share", "单步贡献"),
                    np.arange(1.0, p.steps + 1),
                    results["contributions"],
                ),
                Line(
                    Text("sum so far, from the last step back", "从末步往回的累计"),
                    np.arange(1.0, p.steps + 1),
                    results["contributions"][::-1].cumsum()[::-1],
                    "other",
                ),
                Rule(Text("backward pass", "反向传播"), results["backward_derivative"], "y", "predicted"),
            ),
        ),
    )


DEMO = Demonstration(
    id="D06",
    name="rnn-jacobian",
    title=Text("The step Jacobian of an RNN", "RNN 的单步雅可比矩阵"),
    shows=Text(
        r"one step multiplies a gradient by $W^\top \operatorname{diag}(1 - h_t^2)$: the slope of tanh at the "
        "pre-activation; the steps multiply in order, and the gradient of the shared weights is a sum over them",
        r"一步使梯度乘以 $W^\top \operatorname{diag}(1 - h_t^2)$：tanh 的导数取在预激活处；各步按次序相乘，"
        "共享权重的梯度是各步贡献之和",
    ),
    kills=Text(
        r"“the slope is $\tanh'(h_t)$” and “the order of the product does not matter”",
        r"“导数是 $\tanh'(h_t)$”“连乘的次序无所谓”",
    ),
    parameters=(
        Parameter("hidden", "H", Text("hidden width", "隐藏层宽度"), 4, 1, 8, 1.0, "int"),
        Parameter("steps", "T", Text("steps", "步数"), 5, 2, 20, 1.0, "int"),
        Parameter(
            "gain",
            "g",
            Text("standard deviation of the weights, times √H", "权重的标准差乘以 √H"),
            0.8,
            0.1,
            4.0,
            0.1,
        ),
        Parameter(
            "form",
            r"\text{form}",
            Text("how the product is written", "连乘的写法"),
            "common",
            kind="choice",
            choices=tuple(Choice(form, name) for form, name in FORMS.items()),
        ),
    ),
    derive=derive,
    predict=predict,
    measure=measure,
    check=check,
    figures=figures,
    headline=Headline(
        "difference",
        Text(
            "relative difference between the chosen product and the derivative",
            "所选写法的乘积与导数的相对差异",
        ),
        Text("", ""),
        0.0,
        2.0,
    ),
)
