"""D11: what an LSTM's cell passes back through time: not one, and not the product of its forget gates either.

Hochreiter and Schmidhuber 1997 (the cell whose error flow is constant, with truncated gradients); Gers, Schmidhuber and
Cummins 2000, section 3 (the forget gate); Jozefowicz, Zaremba and Sutskever 2015, section 2.2 (its bias).
"""

from __future__ import annotations

import math

import numpy as np

from engine import tolerance
from engine.demonstration import Array, Check, Demonstration, Headline, Parameter, Params, Results, Samples
from engine.figure import Axis, Figure, Line, Plot, Role, Rule
from engine.nn.lstm import (
    LSTMPerturbation,
    LSTMStateGradients,
    LSTMTrace,
    lstm_cell_perturbation,
    lstm_driven,
    lstm_state_gradients,
)
from engine.nn.recurrent import hidden_gradients, rnn_driven
from engine.proof.step import Expr, Step, cited, equal, let, ordered, popular_error
from engine.text import Text

BURN_IN = 12
"""Steps before the gradient is looked at, so that cell and gates have forgotten their start."""
ROUNDING = float(np.finfo(float).eps)
RECURRENT = 0.1
"""From this weight scale on, the paths through the gates are far above rounding."""
# a gradient too small for a float is 0: the right value, and nothing to warn of
UNDERFLOW_IS_ZERO = np.errstate(under="ignore")


# The formulas: the proof checks them with SymPy symbols, the prediction evaluates them with numbers.
def total_step(
    f: Expr, i: Expr, g: Expr, c: Expr, o: Expr, squashed: Expr, u_f: Expr, u_i: Expr, u_g: Expr
) -> tuple[Expr, Expr]:
    """dc_t/dc_{t-1} in two parts, direct and through the gates; c, o and squashed = tanh(c) are those of step t-1.

    With columns for f, i, g, c, rows for o and squashed, and matrices u, the second holds all pairs of units.
    """
    return f, o * (1 - squashed**2) * (
        u_f * (f * (1 - f) * c) + u_i * (i * (1 - i) * g) + u_g * ((1 - g**2) * i)
    )


def half_life(log_half: Expr, mean_log_gate: Expr) -> Expr:
    """Steps after which half is left, at this mean of ln f."""
    return log_half / mean_log_gate


def half_life_odds(root_of_two: Expr) -> Expr:
    """f / (1 - f) of the gate that leaves half after n steps; ``root_of_two`` is 2^(1/n), and b the odds' logarithm."""
    return 1 / (root_of_two - 1)


def derive() -> tuple[Step, ...]:
    return (*_direct_path(), *_through_the_gates(), *_forgetting())


def _direct_path() -> tuple[Step, ...]:
    import sympy as sp

    c, c_0, f, i, g, h, w, u = sp.symbols("c c_0 f i g h w u", real=True)
    F, S = sp.symbols("F S", real=True)
    steps = range(4)
    gates, inputs, contents = (sp.symbols(f"{letter}_1:5", real=True) for letter in "fig")
    state = c_0
    for t in steps:
        state = gates[t] * state + inputs[t] * contents[t]
    weights = [sp.prod(gates[t + 1 :]) for t in steps]
    unrolled = sp.prod(gates) * c_0 + sum(weights[t] * inputs[t] * contents[t] for t in steps)
    return (
        equal(
            "direct-factor",
            sp.Derivative(f * c + i * g, c),
            f,
            Text(
                "the cell's own path, gates held fixed: $c_t = f_t c_{t-1} + i_t g_t$ passes on $f_t$, whatever the "
                "weights are",
                "细胞状态自己的通路（门视为常数）：$c_t = f_t c_{t-1} + i_t g_t$ 传回的因子是 $f_t$，与权重无关",
            ),
        ),
        popular_error(
            "constant-one",
            sp.Derivative(f * c + i * g, c),
            sp.Integer(1),
            Text(
                "'the update is additive, so the gradient is constantly 1': only with $f = 1$, the cell of 1997",
                "“细胞状态是加法更新，所以梯度恒为 1”：只有 $f = 1$，也就是 1997 年没有遗忘门的版本才如此",
            ),
        ),
        equal(
            "plain-rnn",
            sp.Derivative(sp.tanh(w * h + u), h),
            w * (1 - sp.tanh(w * h + u) ** 2),
            Text(
                "a plain RNN has no such factor to set: its step is the weight times a slope that the state decides",
                "普通 RNN 没有这样可调的因子：每一步是权重乘以由状态决定的导数",
            ),
        ),
        equal(
            "unrolled",
            state,
            unrolled,
            Text(
                "the cell is a weighted sum of everything ever written: content of step $k$ counts with the gates "
                "after it",
                "细胞状态是历次写入内容的加权和：第 $k$ 步的内容乘以其后所有的遗忘门",
            ),
            bound="T=4",
        ),
        equal(
            "one-more-step",
            f * (F * c_0 + S) + i * g,
            (f * F) * c_0 + (f * S + i * g),
            Text(
                "induction: one more step multiplies every earlier weight by its forget gate, so the direct path over "
                "any number of steps is the product of the gates",
                "归纳：每多一步，此前的权重都乘上新的遗忘门；所以任意多步的直接通路就是各遗忘门之积",
            ),
        ),
    )


def _through_the_gates() -> tuple[Step, ...]:
    import sympy as sp

    a, c, h, o = sp.symbols("a c h o", real=True)
    u_f, u_i, u_g, a_f, a_i, a_g = sp.symbols("u_f u_i u_g a_f a_i a_g", real=True)
    f, i, g = (sp.Function(name, real=True)(c) for name in "fig")
    seen = (h, o * sp.tanh(c))
    half = sp.Rational(1, 2)
    laws = {
        "forget": (f, (1 + sp.tanh((u_f * h + a_f) / 2)) * half),
        "input": (i, (1 + sp.tanh((u_i * h + a_i) / 2)) * half),
        "candidate": (g, sp.tanh(u_g * h + a_g)),
    }
    read = o * (1 - sp.tanh(c) ** 2)
    slopes = {
        "forget": (sp.Derivative(f, c), read * u_f * f * (1 - f)),
        "input": (sp.Derivative(i, c), read * u_i * i * (1 - i)),
        "candidate": (sp.Derivative(g, c), read * u_g * (1 - g**2)),
    }
    rules = {
        "forget": Text(
            r"yet the gates read $h_{t-1} = o_{t-1} \tanh c_{t-1}$, which is the cell again: so they move with it",
            r"但门读取的是 $h_{t-1} = o_{t-1} \tanh c_{t-1}$，它又取决于细胞状态：所以门也随之变化",
        ),
        "input": Text("the input gate likewise", "输入门同理"),
        "candidate": Text("and the candidate", "候选值也一样"),
    }
    direct, through = total_step(f, i, g, c, o, sp.tanh(c), u_f, u_i, u_g)
    k, p, q, c_0 = sp.symbols("f_1 p q c_0", real=True)
    opened = p + q * c_0
    return (
        equal(
            "sigmoid-by-tanh",
            1 / (1 + sp.exp(-a)),
            (1 + sp.tanh(a / 2)) / 2,
            Text("a sigmoid is a tanh, shifted and halved", "sigmoid 就是平移并缩放的 tanh"),
        ),
        let("read-out", *seen, Text("what the gates see of the cell", "门所看到的细胞状态")),
        *(
            let(
                f"{name}-law",
                *laws[name],
                Text("with one unit; $a$ is its input's part", "取一个单元；$a$ 是输入的贡献"),
            )
            for name in laws
        ),
        *(equal(f"{name}-moves", *slopes[name], rules[name], using=(laws[name], seen)) for name in laws),
        equal(
            "total",
            sp.Derivative(f * c + i * g, c),
            direct + through,
            Text(
                "the whole derivative of one step: the gate, and a term through the weights that may have either sign "
                "and any size",
                "一步的完整导数：遗忘门，再加一项经过权重的贡献，它可正可负，大小不限",
            ),
            using=tuple(slopes.values()),
        ),
        popular_error(
            "product-of-gates",
            sp.Derivative(k * c + sp.tanh(sp.tanh(c)), c),
            k,
            Text(
                "'the gradient is exactly the product of the forget gates': not even where the candidate alone reads the "
                "state, with weight 1 and open gates",
                "“梯度恰好等于遗忘门之积”：哪怕只有候选值读取状态（权重取 1，门全开），也不成立",
            ),
        ),
        popular_error(
            "product-of-steps",
            sp.Derivative(opened * sp.tanh(k * c_0), c_0),
            opened * (1 - sp.tanh(k * c_0) ** 2) * k,
            Text(
                "'then multiply the whole derivatives of the steps': what the second step reads, $h_1 = o_1 \\tanh(c_1)$, "
                "holds $c_0$ in the output gate too, here $p + q c_0$; the chain is one of cell and hidden state together",
                "“那就把各步的完整导数乘起来”：第二步读取的 $h_1 = o_1 \\tanh(c_1)$ 中，输出门（这里取 $p + q c_0$）"
                "也含有 $c_0$；链式法则须对细胞与隐藏状态一起用",
            ),
        ),
    )


def _forgetting() -> tuple[Step, ...]:
    import sympy as sp

    b = sp.Symbol("b", real=True)
    f, n = sp.symbols("f n", positive=True)
    gate = 1 / (1 + sp.exp(-b))
    solved = sp.log(half_life_odds(2 ** (1 / n)))
    return (
        ordered(
            "gate-below-one",
            gate,
            "<",
            sp.Integer(1),
            Text(
                "a gate never reaches one, so the direct path does vanish in the end",
                "门取不到 1，所以直接通路最终还是会消失",
            ),
        ),
        equal(
            "half-life",
            sp.Pow(f, half_life(-sp.log(2), sp.log(f)), evaluate=False),
            sp.Rational(1, 2),
            Text(
                "half is left after $-\\ln 2 / \\ln f$ steps; where gates vary, the mean of $\\ln f$ takes its place",
                "经过 $-\\ln 2 / \\ln f$ 步剩下一半；门随时间变化时，以 $\\ln f$ 的均值代入",
            ),
        ),
        let(
            "needed-bias",
            b,
            solved,
            Text("the bias that keeps half over $n$ steps", "经过 $n$ 步保留一半所需的偏置"),
        ),
        equal(
            "keeps-half",
            gate**n,
            sp.Rational(1, 2),
            Text(
                "indeed: for $n = 100$ it is 4.968, far above the usual 1",
                "验证；$n = 100$ 时为 4.968，远大于常用的 1",
            ),
            using=((b, solved),),
        ),
        ordered(
            "bias-one",
            gate.subs(b, 1) ** 100,
            "<",
            sp.Rational(1, 10**13),
            Text(
                "with a bias of 1 a hundred steps leave nothing: gates mitigate vanishing, they do not solve it",
                "偏置取 1 时，一百步之后几乎什么都不剩：门缓解了梯度消失，并没有解决它",
            ),
        ),
        cited(
            "explosion",
            r"\left\|\frac{\partial c_T}{\partial c_0}\right\| \text{ is not bounded by } 1",
            Text(
                "and nothing in the cell prevents explosion: clip",
                "细胞结构也防不住梯度爆炸：仍需裁剪",
            ),
            "Pascanu, Mikolov and Bengio 2013, section 3.2; Greff et al. 2017",
        ),
    )


def log_gate_moments(bias: float, noise: float) -> tuple[float, float, float]:
    """Mean, standard deviation and skewness of ln σ(b + noise ξ), ξ standard normal, by Gauss-Hermite quadrature."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(40)
    weights = weights / weights.sum()
    # ln sigma(a) = -ln(1 + e^{-a})
    logs = -np.logaddexp(0.0, -(bias + noise * nodes))
    mean = float(weights @ logs)
    variance = float(weights @ (logs - mean) ** 2)
    third = float(weights @ (logs - mean) ** 3)
    deviation = math.sqrt(variance)
    return mean, deviation, third / deviation**3 if noise else 0.0


def predict(p: Params) -> Results:
    mean, deviation, skewness = log_gate_moments(p.bias, p.noise)
    return {
        "half_life": half_life(-math.log(2), mean),
        "log_gate": mean,
        "log_gate_deviation": deviation,
        "log_gate_skewness": skewness,
        "needed_bias": math.log(half_life_odds(2 ** (1 / p.steps))),
    }


def gate_drive(p: Params, rng: np.random.Generator, shape: tuple[int, ...], width: int) -> Array:
    """Input's part of the pre-activations, gates in PyTorch's order, (…, 4 width): noise on every gate, the bias on
    the forget gate, content of variance one in the candidate."""
    drive: Array = rng.standard_normal((*shape, 4, width))
    drive[..., [0, 1, 3], :] *= p.noise
    drive[..., 1, :] += p.bias
    return drive.reshape(*shape, 4 * width)


def rms_gain(jacobians: Array) -> Array:
    """Root mean square over units of the gain of (…, H, H): the Frobenius norm over √H, 1 for the identity."""
    largest = np.abs(jacobians).max(axis=(-2, -1), keepdims=True)
    scaled = jacobians / np.where(largest > 0, largest, 1.0)
    gains: Array = largest[..., 0, 0] * np.sqrt((scaled**2).sum(axis=(-2, -1)) / jacobians.shape[-1])
    return gains


def step_jacobians(trace: LSTMTrace, recurrent: Array, first: int) -> Array:
    """The derived dc_t/dc_{t-1}, (T, H, H), for the steps after ``first``."""
    u_i, u_f, u_g, _ = np.split(recurrent, 4)
    f, i, g = (gate[first:, 0, :, None] for gate in (trace.forget_gate, trace.input_gate, trace.candidate))
    c = trace.cell[first:-1, 0, :, None]
    o, squashed = (value[first - 1 : -1, 0, None, :] for value in (trace.output_gate, trace.squashed))
    direct, through = total_step(f, i, g, c, o, squashed, u_f, u_i, u_g)
    return np.asarray(direct * np.eye(recurrent.shape[1]) + through, dtype=np.float64)


def plain_rnn_gains(p: Params, rng: np.random.Generator) -> Array:
    """The same for dh_T/dh_t of a plain tanh RNN with weights and drive of the same size."""
    edge = p.weights / math.sqrt(p.hidden)
    recurrent = rng.uniform(-edge, edge, size=(p.hidden, p.hidden))
    drive = rng.standard_normal((BURN_IN + p.steps, 1, p.hidden))
    trace = rnn_driven(drive, np.zeros((1, p.hidden)), recurrent)
    direct = np.zeros((BURN_IN + p.steps + 1, p.hidden, p.hidden))
    direct[-1] = np.eye(p.hidden)
    return rms_gain(hidden_gradients(trace, recurrent, direct)[BURN_IN:])


def searched_bias(steps: int) -> float:
    """The forget bias at which a cell that nothing is written to keeps half over ``steps`` steps, by ever finer grids."""
    low, high = -1.0, 12.0
    for _ in range(8):
        grid = np.linspace(low, high, 129)
        drive = np.zeros((1, len(grid), 4))
        drive[0, :, 1] = grid
        once = lstm_driven(drive, np.zeros((len(grid), 1)), np.ones((len(grid), 1)), np.zeros((4, 1))).cell[1]
        enough = int(np.argmax(np.prod(np.repeat(once, steps, axis=1), axis=1) >= 0.5))
        low, high = grid[enough - 1], grid[enough]
    return float(high)


def reading_rounding(back: LSTMStateGradients, moved: LSTMPerturbation, upstream: Array) -> float:
    """What rounding may do to one entry of the Jacobian: at each step a relative error of its inner products, carried
    on by what is still to come, and the growth of a disturbance of the states themselves."""
    sizes = [
        np.linalg.norm(upstream @ adjoint[BURN_IN:], axis=-1) * np.linalg.norm(tangent[:, 0], axis=-1)
        for adjoint, tangent in ((back.cell, moved.cell), (back.hidden, moved.hidden))
    ]
    norms = np.linalg.norm(np.concatenate([moved.cell, moved.hidden], axis=-1)[:, 0], axis=-1)
    growth = float((norms / np.minimum.accumulate(norms)).max())
    width = moved.cell.shape[-1]
    return ROUNDING * (2 * width + 40) * growth * float(np.sum(sizes))


@UNDERFLOW_IS_ZERO
def measure(p: Params, rng: np.random.Generator) -> Results:
    H, edge = p.hidden, p.weights / math.sqrt(p.hidden)
    recurrent = rng.uniform(-edge, edge, size=(4 * H, H))
    drive = gate_drive(p, rng, (BURN_IN + p.steps, 1), H)
    trace = lstm_driven(drive, np.zeros((1, H)), np.zeros((1, H)), recurrent)

    # every entry of dc_T/dc_t at once: one loss for each unit of the last cell
    d_cell = np.zeros((BURN_IN + p.steps + 1, H, H))
    d_cell[-1] = np.eye(H)
    back = lstm_state_gradients(trace, recurrent, np.zeros_like(d_cell), d_cell)
    full = back.cell[BURN_IN:]  # (T+1, H, H)

    # the same cell moved forward, with the gates free and with the gates as they were
    start = (trace.hidden[BURN_IN], trace.cell[BURN_IN])
    upstream, direction = rng.standard_normal((2, H))
    read = trace.output_gate[BURN_IN - 1]
    moved = lstm_cell_perturbation(drive[BURN_IN:], *start, recurrent, direction[None], read)
    frozen = lstm_cell_perturbation(
        trace.pre_activations[BURN_IN:], *start, np.zeros_like(recurrent), np.ones((1, H)), np.zeros((1, H))
    )
    f = trace.forget_gate[BURN_IN:, 0]  # (T, H)
    # product of the gates after step t, t = 0 ... T
    after = np.concatenate([np.cumprod(f[::-1], axis=0)[::-1], np.ones((1, H))])  # (T+1, H)
    written = (trace.input_gate * trace.candidate)[BURN_IN:, 0]
    parts = np.concatenate([(after[0] * start[1][0])[None], after[1:] * written])  # (T+1, H)

    steps = step_jacobians(trace, recurrent, BURN_IN)
    chained = np.empty_like(full)
    chained[-1] = np.eye(H)
    for t in range(p.steps - 1, -1, -1):
        chained[t] = chained[t + 1] @ steps[t]

    free_gates = lstm_driven(
        gate_drive(p, rng, (1, p.samples), 1),
        np.zeros((p.samples, 1)),
        np.zeros((p.samples, 1)),
        np.zeros((4, 1)),
    ).forget_gate
    mean_log = float(np.log(free_gates).mean())
    gains = rms_gain(full)
    return {
        "gradient_norm": float(gains[0]),
        "gains": gains,
        "direct_gains": rms_gain(after[:, None, :]),
        "chained_gains": rms_gain(chained),
        "rnn_gains": plain_rnn_gains(p, rng),
        "direct": frozen.cell[-1, 0],
        "direct_product": after[0],
        "largest_product": float(after[0].max()),
        "cell": trace.cell[-1, 0],
        "unrolled_parts": parts,
        "weights_of_content": (after[1:] * trace.input_gate[BURN_IN:, 0]).mean(axis=1),
        "one_step_gap": float(np.abs(full[-2] - steps[-1]).max()),
        "one_step_cell": float(np.abs(trace.cell[-2]).max()),
        "forward_reading": float(upstream @ moved.cell[-1, 0]),
        "backward_reading": float(upstream @ full[0] @ direction),
        "reading_rounding": reading_rounding(back, moved, upstream),
        "log_gate": mean_log,
        "samples": p.samples,
        "needed_bias": searched_bias(p.steps),
    }


def check(p: Params, predicted: Results, results: Results) -> tuple[Check, ...]:
    products = Text("rounding of T products", "T 次乘法的舍入误差")
    ratio = results["direct"] / results["direct_product"]
    parts = results["unrolled_parts"]
    gain = results["gradient_norm"] / results["direct_gains"][0]
    checks = [
        Check(
            "direct-path",
            Text(
                "with the gates held as they were, the last cell moves by the product of the forget gates (largest "
                "relative gap over units)",
                "把各门固定为原值，末态细胞的变化等于遗忘门之积（各单元的最大相对差）",
            ),
            predicted=0.0,
            measured=float(np.abs(ratio - 1).max()),
            tolerance=8 * p.steps * ROUNDING,
            law=products,
        ),
        Check(
            "unrolled-cell",
            Text(
                "the cell equals the weighted sum of everything written (largest gap)",
                "细胞状态等于历次写入内容的加权和（最大差）",
            ),
            predicted=0.0,
            measured=float(np.abs(parts.sum(axis=0) - results["cell"]).max()),
            tolerance=float(4 * (p.steps + 1) * ROUNDING * np.abs(parts).sum(axis=0).max()),
            law=Text("rounding of T products and a sum of T terms", "T 次乘法与 T 项求和的舍入误差"),
        ),
        Check(
            "one-step",
            Text(
                "the derived Jacobian of one step is that of the backward pass (largest gap)",
                "推导出的单步雅可比矩阵等于反向传播的结果（最大差）",
            ),
            predicted=0.0,
            measured=results["one_step_gap"],
            tolerance=64 * ROUNDING * max(1.0, p.weights) * max(1.0, results["one_step_cell"]),
            law=Text("rounding of a dozen operations per entry", "每个元素十余次运算的舍入误差"),
        ),
        Check(
            "one-derivative-two-readings",
            Text(
                "moving the first cell forward and sending the gradient back give one number",
                "把初始细胞的扰动向前推，与把梯度向后传，得到同一个数",
            ),
            predicted=results["forward_reading"],
            measured=results["backward_reading"],
            tolerance=results["reading_rounding"],
            law=Text(
                "rounding of every step's inner products, times what is still to come and the growth of a disturbance",
                "每一步内积的舍入误差，乘以其后的传播与扰动的放大倍数",
            ),
        ),
        Check(
            "mean-log-gate",
            Text(
                r"mean of $\ln f$ over gates driven by noise alone",
                r"仅由噪声驱动的遗忘门，$\ln f$ 的均值",
            ),
            predicted=predicted["log_gate"],
            measured=results["log_gate"],
            tolerance=tolerance.mean(
                predicted["log_gate_deviation"], predicted["log_gate_skewness"], results["samples"]
            )
            # ln f of an f near 1 has the absolute rounding of f
            + 16 * ROUNDING * (1 + abs(predicted["log_gate"])),
            law=Text(
                "5 standard errors of independent gates, with the skewness term, and rounding",
                "独立门的 5 个标准误，含偏度项与舍入误差",
            ),
            false_alarm=tolerance.FALSE_ALARM,
        ),
        Check(
            "bias-for-half-life",
            Text(
                "the forget bias that keeps half over T steps, found by halving",
                "经过 T 步保留一半所需的遗忘门偏置，用二分法找到",
            ),
            predicted=predicted["needed_bias"],
            measured=results["needed_bias"],
            tolerance=32 * p.steps * ROUNDING,
            law=products,
        ),
    ]
    if p.weights >= RECURRENT:
        checks.append(
            Check(
                "gates-carry-gradient-too",
                Text(
                    "the whole gradient over the direct path's alone is not 1",
                    "完整梯度与直接通路之比不等于 1",
                ),
                predicted=1.0,
                measured=gain,
                tolerance=1e-9,
                law=Text("far above rounding at these weights", "在这样的权重下远大于舍入误差"),
                relation="!=",
            )
        )
    if p.weights == 0:
        checks.append(
            Check(
                "no-recurrence-no-detour",
                Text(
                    "without recurrent weights the direct path is the whole gradient (ratio)",
                    "没有循环权重时，直接通路就是全部梯度（比值）",
                ),
                predicted=1.0,
                measured=gain,
                tolerance=8 * p.steps * ROUNDING,
                law=products,
            )
        )
    return tuple(checks)


def figures(p: Params, predicted: Results, results: Results) -> tuple[Figure, ...]:
    lag = np.arange(p.steps + 1.0)
    floor = 1e-30

    def line(name: Text, values: Array, role: Role) -> Line:
        shown = values[::-1]
        return Line(name, lag, np.where(shown > floor, shown, np.nan), role)

    age = np.arange(0.0, p.steps)
    weights = results["weights_of_content"][::-1]
    decay = np.exp(age * predicted["log_gate"]) * weights[0]
    return (
        Plot(
            Text("Gradient of the last cell against lag", "末态细胞的梯度随滞后的变化"),
            Text(
                "neither the constant one nor the product of the gates is the gradient: the way through the gates "
                "carries the rest",
                "梯度既不恒为 1，也不等于遗忘门之积：经过门的通路传递了其余部分",
            )
            if p.weights
            else Text(
                "without recurrent weights there is no way through the gates: their product is the gradient",
                "没有循环权重，就没有经过门的通路：遗忘门之积就是梯度",
            ),
            Axis(Text("lag, steps", "滞后（步）")),
            Axis(Text("root mean square gain", "均方根增益"), "log"),
            (
                line(Text("whole gradient", "完整梯度"), results["gains"], "measured"),
                line(Text("product of gates", "遗忘门之积"), results["direct_gains"], "predicted"),
                line(Text("product of single steps", "单步导数之积"), results["chained_gains"], "context"),
                line(Text("plain RNN", "普通 RNN"), results["rnn_gains"], "other"),
                Line(Text("constant 1", "恒为 1"), lag, np.ones_like(lag), "popular"),
            ),
        ),
        Plot(
            Text("What the cell still holds of each past step", "细胞状态中各历史步所占的权重"),
            Text(
                "a leaky conveyor, not a highway: the weight of old content falls by the gates' geometric mean per step",
                "这是会漏的传送带，不是高速公路：旧内容的权重每步乘以遗忘门的几何平均",
            ),
            Axis(Text("steps ago", "距今步数")),
            Axis(Text("mean weight", "平均权重"), "log"),
            (
                Line(Text("measured", "实测"), age, np.where(weights > floor, weights, np.nan), "measured"),
                Line(
                    Text("exponential at E[ln f]", "按 E[ln f] 的指数衰减"),
                    age,
                    np.where(decay > floor, decay, np.nan),
                    "predicted",
                ),
                Rule(Text("half-life", "半衰期"), predicted["half_life"], "x", "context"),
            ),
        ),
    )


DEMO = Demonstration(
    id="D11",
    name="lstm-cell-gradient",
    title=Text("The gradient along an LSTM's cell", "沿 LSTM 细胞状态的梯度"),
    shows=Text(
        "along the cell the gradient shrinks by the forget gates, and more of it takes the way through the gates; neither "
        "1 nor the product of the gates is the gradient",
        "沿细胞状态，梯度每步乘以遗忘门，另有一部分经过各个门传回；梯度既不是 1，也不是遗忘门之积",
    ),
    kills=Text(
        "the cell is updated by addition, so its gradient is constantly 1 and LSTM solves vanishing gradients",
        "细胞状态是加法更新，梯度恒为 1，所以 LSTM 解决了梯度消失",
    ),
    parameters=(
        Parameter("bias", "b", Text("bias of the forget gate", "遗忘门的偏置"), 1.0, -2.0, 6.0, 0.25),
        Parameter("steps", "T", Text("steps followed", "跟踪的步数"), 60, 1, 128, 1.0, "int"),
        Parameter("hidden", "H", Text("hidden width", "隐藏层宽度"), 16, 4, 48, 1.0, "int", "log"),
        Parameter(
            "noise",
            r"\sigma",
            Text("deviation of the input's part in each gate", "输入在各门预激活中的标准差"),
            0.5,
            0.0,
            1.0,
            0.1,
        ),
        Parameter(
            "weights",
            r"\kappa",
            Text(
                r"recurrent weights, uniform up to this over $\sqrt{H}$ (PyTorch: 1)",
                r"循环权重的范围：在此值除以 $\sqrt{H}$ 之内均匀分布（PyTorch 取 1）",
            ),
            1.0,
            0.0,
            3.0,
            0.25,
        ),
    ),
    derive=derive,
    predict=predict,
    measure=measure,
    check=check,
    figures=figures,
    headline=Headline(
        "gradient_norm",
        Text(
            "gradient of the last cell by the first, as a gain (1: unchanged)",
            "末态细胞对初态细胞的梯度，以增益计（1 为不变）",
        ),
        Text("", ""),
        1e-12,
        1e3,
        "log",
    ),
    samples=Samples(rest=8_000),
)
