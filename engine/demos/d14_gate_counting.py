"""D14: what an LSTM and a GRU cost: maps counted, not gates.

Cho et al. 2014 and Hochreiter and Schmidhuber 1997 for the cells; the two bias schemes are PyTorch's and Keras's.
"""

from __future__ import annotations

import numpy as np

from engine.demonstration import Check, Choice, Demonstration, Headline, Parameter, Params, Results
from engine.figure import Axis, Bar, Bars, Figure, Line, Plot, Points, Role
from engine.nn.counted import Tally, counted
from engine.nn.gru import GRUWeights, Reset, gru_forward
from engine.nn.stacked import Kind, Layers, StackTrace, new_layers, parameters, stack_backward, stack_forward
from engine.proof.step import Expr, Step, cited, equal, exhausted, let, ordered, popular_error
from engine.text import Text, same


# The formulas: the proof checks them with SymPy symbols, the prediction evaluates them with numbers.
def cell_parameters(maps: Expr, D: Expr, H: Expr, biases: Expr) -> Expr:
    """Affine maps of state (H) and input (D), ``biases`` bias vectors each."""
    return maps * (H * (H + D) + biases * H)


def stack_total(first: Expr, upper: Expr, layers: Expr, directions: Expr) -> Expr:
    """Over all layers and directions: the first layer reads the input, the others the layer below."""
    return directions * (first + (layers - 1) * upper)


def map_multiplications(maps: Expr, D: Expr, H: Expr) -> Expr:
    """Scalar multiplications in the matrix products of one cell and step."""
    return maps * H * (H + D)


def gate_multiplications(H: Expr) -> Expr:
    """Between vectors, a step: f*c, i*g, o*tanh(c) in the LSTM; r*(U h), z*h, (1-z)*n in the GRU."""
    return 3 * H


def training_factor() -> int:
    """Multiplications of matrix products in forward and backward pass over those of the forward pass alone."""
    return 3


BIASES = {"one": (1, 1), "two": (2, 2), "keras": (1, 2)}
"""Bias vectors a map, in the LSTM and in the GRU."""
MAPS = {"lstm": 4, "gru": 3}


def derive() -> tuple[Step, ...]:
    return (*_parameters(), *_stack(), *_work())


def _parameters() -> tuple[Step, ...]:
    import sympy as sp

    D, H = sp.symbols("D H", integer=True, positive=True)
    b = sp.Symbol("b", integer=True, nonnegative=True)
    w, u, r, b_x, b_h = sp.symbols("w u r b_x b_h", real=True)
    keras = cell_parameters(3, D, H, 2) / cell_parameters(4, D, H, 1)
    return (
        equal(
            "ratio",
            cell_parameters(3, D, H, b) / cell_parameters(4, D, H, b),
            sp.Rational(3, 4),
            Text(
                "three maps against four, $b$ biases each: exactly three quarters, whatever the sizes",
                "三个映射对四个映射，每个映射 $b$ 个偏置：无论尺寸如何，恰为四分之三",
            ),
        ),
        popular_error(
            "two-thirds",
            cell_parameters(3, D, H, b) / cell_parameters(4, D, H, b),
            sp.Rational(2, 3),
            Text(
                "'three gates against two, so two thirds': each cell has a candidate too, and it is a map like the gates",
                "“三个门对两个门，所以是三分之二”：每个单元还有一个候选值，它和门一样也是一个映射",
            ),
        ),
        equal(
            "keras-ratio",
            keras,
            3 * (D + H + 2) / (4 * (D + H + 1)),
            Text(
                "Keras: one bias in the LSTM, two in the GRU, whose reset gate acts after the matrix",
                "Keras：LSTM 每个映射一个偏置；GRU 的复位门作用在矩阵之后，每个映射两个偏置",
            ),
        ),
        ordered(
            "keras-above",
            keras,
            ">",
            sp.Rational(3, 4),
            Text("so a little above three quarters", "因此略大于四分之三"),
        ),
        equal(
            "keras-limit",
            sp.Limit(3 * (D + H + 2) / (4 * (D + H + 1)), H, sp.oo),
            sp.Rational(3, 4),
            Text("and as near to it as the layer is wide", "层越宽越接近"),
        ),
        equal(
            "second-bias-of-an-lstm",
            sp.Derivative(sp.tanh(w + u + b_x + b_h), b_h),
            sp.Derivative(sp.tanh(w + u + b_x + b_h), b_x),
            Text(
                "an LSTM's second bias adds nothing: both act through their sum (here the candidate's)",
                "LSTM 的第二个偏置没有增加表达能力：两个偏置只以和的形式起作用（以候选值为例）",
            ),
        ),
        equal(
            "second-bias-of-a-gru",
            sp.Derivative(sp.tanh(w + b_x + r * (u + b_h)), b_h),
            r * sp.Derivative(sp.tanh(w + b_x + r * (u + b_h)), b_x),
            Text(
                "in a GRU the candidate's does: the reset gate weighs it",
                "GRU 候选值的第二个偏置则不同：它要经过复位门加权",
            ),
        ),
    )


def _stack() -> tuple[Step, ...]:
    import sympy as sp

    D, H, L, K = sp.symbols("D H L K", integer=True, positive=True)
    layer = sp.Symbol("l", integer=True, positive=True)
    b = sp.Symbol("b", integer=True, nonnegative=True)
    first, upper = (lambda m, width=width: cell_parameters(m, width, H, b) for width in (D, K * H))
    usual = {D: 128, H: 256, L: 2, K: 2, b: 2}
    totals = [stack_total(first(m), upper(m), L, K) for m in (3, 4)]
    return (
        equal(
            "stack",
            K * (first(4) + sp.Sum(upper(4), (layer, 2, L))),
            totals[1],
            Text(
                "$L$ layers in $K$ directions: every layer but the first reads $K H$ features",
                "$L$ 层、$K$ 个方向：除第一层外，每层读入 $K H$ 个特征",
            ),
        ),
        equal(
            "ratio-of-stacks",
            totals[0] / totals[1],
            sp.Rational(3, 4),
            Text("depth and directions leave the ratio alone", "层数与方向数都不影响这个比值"),
        ),
        *(
            exhausted(
                f"usual-{kind}",
                total,
                "=",
                sp.Integer(count),
                text,
                over=(usual,),
                bound="D=128, H=256, L=K=b=2",
            )
            for kind, total, count, text in (
                (
                    "lstm",
                    totals[1],
                    2_367_488,
                    Text("a usual size, with PyTorch's two biases", "一个常见的尺寸，按 PyTorch 取两个偏置"),
                ),
                ("gru", totals[0], 1_775_616, Text("the same as a GRU", "同样尺寸的 GRU")),
            )
        ),
    )


def _work() -> tuple[Step, ...]:
    import sympy as sp

    D, H = sp.symbols("D H", integer=True, positive=True)
    maps, gates = sp.symbols("M_map M_gate", positive=True)
    work = [map_multiplications(m, D, H) + gate_multiplications(H) for m in (3, 4)]
    first = (maps, map_multiplications(4, D, H))
    second = (gates, gate_multiplications(H))
    return (
        let(
            "map-work",
            *first,
            Text("an LSTM's multiplications per step: in its maps", "LSTM 每步的乘法：映射部分"),
        ),
        let("gate-work", *second, Text("and of its gates with what they gate", "门与被门控量之间的部分")),
        equal(
            "gate-share",
            gates / maps,
            sp.Rational(3, 4) / (H + D),
            Text("the gates themselves cost next to nothing", "门本身的乘法几乎可以忽略"),
            using=(first, second),
        ),
        ordered(
            "work-above",
            work[0] / work[1],
            ">",
            sp.Rational(3, 4),
            Text(
                "and a GRU has as many of them, so its work is a little above three quarters",
                "GRU 的门乘法与 LSTM 一样多，所以总计算量略大于四分之三",
            ),
        ),
        equal(
            "work-limit",
            sp.Limit(work[0] / work[1], H, sp.oo),
            sp.Rational(3, 4),
            Text("three quarters for wide layers", "宽层趋于四分之三"),
        ),
        cited(
            "speed",
            r"\text{time} \neq \text{multiplications}",
            Text(
                "a quarter fewer multiplications is no promise of time: kernels, memory traffic and steps to converge decide",
                "乘法少四分之一不等于时间少四分之一：算子实现、访存与收敛步数才是决定因素",
            ),
            "Appleyard, Kočiský and Blunsom 2016; Greff et al. 2017",
        ),
    )


def predict(p: Params) -> Results:
    K = 2 if p.directions == "both" else 1
    widths = p.inputs, K * p.hidden
    results: Results = {}
    for kind, biases in zip(("lstm", "gru"), BIASES[p.biases], strict=True):
        maps = MAPS[kind]
        first, upper = (cell_parameters(maps, width, p.hidden, biases) for width in widths)
        results[f"parameters_{kind}"] = stack_total(first, upper, p.layers, K)
        first, upper = (map_multiplications(maps, width, p.hidden) for width in widths)
        results[f"multiplications_{kind}"] = stack_total(first, upper, p.layers, K)
    gate = gate_multiplications(p.hidden)
    return {
        **results,
        "ratio": results["parameters_gru"] / results["parameters_lstm"],
        "work_ratio": results["multiplications_gru"] / results["multiplications_lstm"],
        "gate_multiplications": stack_total(gate, gate, p.layers, K),
        "training_factor": training_factor(),
    }


def counting_layers(kind: Kind, p: Params, layers: int, K: int, biases: int, tally: Tally) -> Layers:
    """Weights of the sizes asked for, which enter every multiplication in ``tally``; what they are does not matter."""
    return new_layers(
        kind,
        p.inputs,
        p.hidden,
        layers,
        K,
        lambda shape: counted(np.zeros(shape, dtype=np.float32), tally),
        biases,
    )


def one_step(p: Params, layers: Layers) -> StackTrace:
    """The network on one position of one sequence, in the precision of its weights."""
    state = np.zeros((len(layers) * len(layers[0]), 1, p.hidden), dtype=np.float32)
    return stack_forward(np.zeros((1, 1, p.inputs), dtype=np.float32), layers, h_0=state, c_0=state)


def counted_run(kind: Kind, p: Params, K: int, biases: int) -> Results:
    """One step of the whole network on arrays that count, and the arrays' sizes."""
    tally = Tally()
    layers = counting_layers(kind, p, p.layers, K, biases, tally)
    trace = one_step(p, layers)
    cells = [cell for layer in layers for cell in layer]
    states = [trace.h_n] if trace.c_n is None else [trace.h_n, trace.c_n]
    return {
        "parameters": parameters(layers),
        "of_inputs": sum(cell.inputs.size for cell in cells),
        "of_state": sum(cell.recurrent.size for cell in cells),
        "of_biases": sum(cell.bias.size for cell in cells),
        "multiplications": tally.in_products,
        "gate_multiplications": tally.between_entries,
        "carried": sum(state.size for state in states),
    }


def counted_training(kind: Kind, p: Params) -> float:
    """Multiplications of one cell's matrix products, forward and backward, over those of its forward pass."""
    tally = Tally()
    layers = counting_layers(kind, p, 1, 1, 1, tally)
    trace = one_step(p, layers)
    forward = tally.in_products
    stack_backward(trace, layers, np.zeros_like(trace.output))
    return tally.in_products / forward


def chained_products(reset: Reset) -> int:
    """Matrix products with the state that one step of a GRU waits for: those of two steps, less those of one."""
    done = []
    for steps in (1, 2):
        tally = Tally()
        weights = GRUWeights(*(counted(np.zeros(shape), tally) for shape in ((6, 2), (6, 3), (6,))))
        gru_forward(np.zeros((steps, 3)), np.zeros(2), weights, reset=reset)
        done.append(tally.products)
    return done[1] - done[0]


def measure(p: Params, rng: np.random.Generator) -> Results:
    K = 2 if p.directions == "both" else 1
    kinds: tuple[Kind, Kind] = ("lstm", "gru")
    results: Results = {}
    for kind, biases in zip(kinds, BIASES[p.biases], strict=True):
        results |= {f"{name}_{kind}": value for name, value in counted_run(kind, p, K, biases).items()}
        results[f"training_factor_{kind}"] = counted_training(kind, p)
    return {
        **results,
        "ratio": results["parameters_gru"] / results["parameters_lstm"],
        "work_ratio": results["multiplications_gru"] / results["multiplications_lstm"],
        "carried_ratio": results["carried_gru"] / results["carried_lstm"],
        "chained_before": chained_products("before"),
        "chained_after": chained_products("after"),
    }


def check(p: Params, predicted: Results, results: Results) -> tuple[Check, ...]:
    count = Text("a count: no tolerance", "计数：不容许误差")

    def counts(name: str, wanted: float, result: str, claim: Text) -> Check:
        return Check(name, claim, float(wanted), float(results[result]), 0.0, count)

    checks = []
    for kind, word in (("lstm", "LSTM"), ("gru", "GRU")):
        checks += [
            counts(
                f"parameters-{kind}",
                predicted[f"parameters_{kind}"],
                f"parameters_{kind}",
                Text(f"entries of all arrays of the {word}", f"{word} 全部数组的元素个数"),
            ),
            counts(
                f"multiplications-{kind}",
                predicted[f"multiplications_{kind}"],
                f"multiplications_{kind}",
                Text(
                    f"multiplications in the {word}'s matrix products, a step",
                    f"{word} 每步矩阵乘积中的乘法次数",
                ),
            ),
            counts(
                f"gate-multiplications-{kind}",
                predicted["gate_multiplications"],
                f"gate_multiplications_{kind}",
                Text(f"multiplications by gates in the {word}, a step", f"{word} 每步中与门相乘的次数"),
            ),
            counts(
                f"training-{kind}",
                predicted["training_factor"],
                f"training_factor_{kind}",
                Text(
                    f"forward and backward over forward, matrix products of one {word} cell",
                    f"一个 {word} 单元的矩阵乘积：前向加反向，与前向之比",
                ),
            ),
        ]
    return (
        *checks,
        Check(
            "not-two-thirds",
            Text("GRU over LSTM, all entries", "GRU 与 LSTM 的参数个数之比"),
            predicted=2 / 3,
            measured=results["ratio"],
            tolerance=0.05,
            law=Text("the proved ratio is 3/4 or more", "已证明的比值不小于 3/4"),
            relation="!=",
        ),
        counts(
            "state-carried",
            0.5,
            "carried_ratio",
            Text("numbers carried from step to step, GRU over LSTM", "逐步传递的状态个数，GRU 与 LSTM 之比"),
        ),
        counts(
            "one-product-when-reset-is-after",
            1,
            "chained_after",
            Text(
                "products with the state in a GRU step, reset after",
                "后复位的 GRU 每步与状态做的矩阵乘积次数",
            ),
        ),
        counts(
            "two-in-a-row-when-before",
            2,
            "chained_before",
            Text(
                "the same with reset before: the candidate waits for the gates",
                "先复位时的次数：候选值必须等门算完",
            ),
        ),
    )


def figures(p: Params, predicted: Results, results: Results) -> tuple[Figure, ...]:
    roles: tuple[tuple[str, str, Role], ...] = (("lstm", "LSTM", "measured"), ("gru", "GRU", "other"))
    parts = (
        ("of_inputs", Text("input maps", "输入映射")),
        ("of_state", Text("state maps", "状态映射")),
        ("of_biases", Text("biases", "偏置")),
    )
    widths = 2.0 ** np.arange(0.0, 10.0, 0.25)
    biases = BIASES[p.biases]
    ratio = cell_parameters(3, p.inputs, widths, biases[1]) / cell_parameters(4, p.inputs, widths, biases[0])
    work = [map_multiplications(m, p.inputs, widths) + gate_multiplications(widths) for m in (3, 4)]
    here = np.array([float(p.hidden)])
    worked = [
        results[f"multiplications_{kind}"] + results[f"gate_multiplications_{kind}"]
        for kind in ("gru", "lstm")
    ]
    return (
        Bars(
            Text("Parameters by part", "各部分的参数个数"),
            Text(
                "each map of the GRU is three quarters of the LSTM's; beside wide maps the biases hardly show",
                "GRU 的每个映射都是 LSTM 的四分之三；映射一宽，偏置就几乎看不见",
            ),
            Axis(Text("entries", "元素个数")),
            tuple(
                Bar(Text(f"{word}, {part.en}", f"{word}：{part.zh}"), float(results[f"{name}_{kind}"]), role)
                for name, part in parts
                for kind, word, role in roles
            ),
        ),
        Plot(
            Text("GRU over LSTM against the hidden width", "GRU 与 LSTM 之比随隐藏层宽度的变化"),
            Text(
                "parameters and multiplications stand at three quarters or above, never at two thirds",
                "参数与乘法之比都不低于四分之三，从不是三分之二",
            ),
            Axis(Text("hidden width H", "隐藏层宽度 H"), "log"),
            Axis(Text("GRU / LSTM", "GRU / LSTM"), low=0.6, high=1.0),
            (
                Line(Text("parameters of a cell", "单元的参数"), widths, ratio, "predicted"),
                Line(Text("multiplications of a cell", "单元的乘法"), widths, work[0] / work[1], "bound"),
                Line(same("2/3"), widths, np.full_like(widths, 2 / 3), "popular"),
                Points(
                    Text("parameters, counted", "参数，实测计数"),
                    here,
                    np.array([results["ratio"]]),
                    "measured",
                ),
                Points(
                    Text("multiplications, counted", "乘法，实测计数"),
                    here,
                    np.array([worked[0] / worked[1]]),
                    "other",
                ),
            ),
        ),
    )


DEMO = Demonstration(
    id="D14",
    name="gate-counting",
    title=Text("What an LSTM and a GRU cost", "LSTM 与 GRU 的开销"),
    shows=Text(
        "a GRU has three maps where an LSTM has four, so three quarters of its parameters and multiplications, at any size, "
        "depth and number of directions",
        "GRU 有三个映射，LSTM 有四个，所以参数与乘法都是四分之三，与尺寸、层数、方向数无关",
    ),
    kills=Text("three gates against two means two thirds", "三个门对两个门，所以是三分之二"),
    parameters=(
        Parameter("inputs", "D", Text("input width", "输入维度"), 128, 1, 512, 1.0, "int", "log"),
        Parameter("hidden", "H", Text("hidden width", "隐藏层宽度"), 256, 1, 512, 1.0, "int", "log"),
        Parameter("layers", "L", Text("layers", "层数"), 2, 1, 4, 1.0, "int"),
        Parameter(
            "directions",
            "K",
            Text("directions", "方向"),
            "both",
            kind="choice",
            choices=(
                Choice("forward", Text("forward", "单向")),
                Choice("both", Text("bidirectional", "双向")),
            ),
        ),
        Parameter(
            "biases",
            r"\text{biases}",
            Text("biases per map", "每个映射的偏置"),
            "two",
            kind="choice",
            choices=(
                Choice("one", Text("one", "一个")),
                Choice("two", Text("two: PyTorch", "两个：PyTorch")),
                Choice("keras", Text("Keras: LSTM one, GRU two", "Keras：LSTM 一个，GRU 两个")),
            ),
        ),
    ),
    derive=derive,
    predict=predict,
    measure=measure,
    check=check,
    figures=figures,
    headline=Headline(
        "ratio",
        Text("parameters of the GRU over those of the LSTM", "GRU 与 LSTM 的参数个数之比"),
        Text("", ""),
        0.5,
        1.2,
    ),
)
