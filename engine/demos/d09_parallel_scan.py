"""D09: what of a recurrence must wait, and what can run at once.

Hillis and Steele 1986 and Blelloch 1990 (scans); Martin and Cundy 2018 (linear recurrent networks); Lim et al. 2024
and Danieli et al. 2025 (nonlinear ones by Newton's iteration); Graham 1969 (schedules on a given number of devices).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.demonstration import Array, Check, Choice, Demonstration, Headline, Parameter, Params, Results
from engine.figure import Axis, Figure, HeatMap, Line, Plot, Points, Rule
from engine.nn.scan import (
    NewtonSolution,
    Scan,
    compose,
    linear_recurrence,
    linear_scan,
    newton_recurrence,
    scan,
)
from engine.proof.step import Expr, Step, defined, equal, let, popular_error, unequal
from engine.text import Text, same

WIDTH = 8
"""Units of the recurrence, each with factors of its own."""
LARGEST_FACTOR = 0.9
"""Bound on the weight of a tanh unit: a step then contracts, and Newton's iteration has a law."""
SHOWN_STEPS = 16
"""Steps of the lattice that are drawn."""
ROUNDING = float(np.finfo(float).eps)


# The formulas: the proof checks them with SymPy symbols, the prediction evaluates them with numbers.
def scan_work(steps: Expr, rounds: Expr) -> Expr:
    """Combinations of a Hillis-Steele scan of ``steps`` elements in so many rounds."""
    return steps * rounds - (2**rounds - 1)


def odd_even_work(rounds: Expr) -> Expr:
    """Combinations of an odd-even scan of 2^rounds elements."""
    return 2 * 2**rounds - rounds - 2


def earliest_round(layer: Expr, step: Expr) -> Expr:
    """First round in which this layer's state of this step can be computed, all counted from 1."""
    return layer + step - 1


def derive() -> tuple[Step, ...]:
    return (*_composition(), *_scan(), *_lattice())


def _composition() -> tuple[Step, ...]:
    import sympy as sp

    a, b = sp.symbols("a_1:4", real=True), sp.symbols("b_1:4", real=True)
    h, w_1, w_2, u_1, u_2 = sp.symbols("h w_1 w_2 u_1 u_2", real=True)
    one, two, three = zip(a, b, strict=True)

    def row(pair: tuple[Expr, ...]) -> Expr:
        return sp.ImmutableMatrix([list(pair)])

    both = compose(one, two)
    two_steps = w_2 * sp.tanh(w_1 * h + u_1) + u_2
    return (
        defined(
            "recurrence",
            r"h_t = a_t h_{t-1} + b_t, \qquad (a_2, b_2) \circ (a_1, b_1) = (a_2 a_1,\ a_2 b_1 + b_2)",
            Text(
                "a linear recurrence; a step is the pair of its factor and its input, both known before any state",
                "线性循环；一步由系数和输入这一对数表示，二者在算出任何状态之前就已知",
            ),
        ),
        equal(
            "two-steps-are-one",
            a[1] * (a[0] * h + b[0]) + b[1],
            both[0] * h + both[1],
            Text("two steps are one step of the same form", "两步合起来仍是同样形式的一步"),
        ),
        equal(
            "associative",
            row(compose(compose(one, two), three)),
            row(compose(one, compose(two, three))),
            Text(
                "and where the brackets stand does not matter, so halves can be composed at the same time",
                "而括号放在哪里无所谓，所以前后两半可以同时复合",
            ),
        ),
        popular_error(
            "any-order",
            row(both),
            row(compose(two, one)),
            Text(
                "'so the order does not matter either': it does, a scan keeps it",
                "“那么次序也无所谓”：次序有关，扫描保持次序",
            ),
        ),
        popular_error(
            "tanh-composes-too",
            sp.Derivative(two_steps, (h, 2)),
            sp.Integer(0),
            Text(
                r"'a tanh recurrence composes likewise': if two steps were one, $\tanh(\alpha h + \beta)$, what enters "
                "the last tanh would be affine in $h$",
                r"“tanh 循环也能这样复合”：若两步等于一步 $\tanh(\alpha h + \beta)$，进入最后一个 tanh 的量就该是 $h$ 的仿射函数",
            ),
        ),
        unequal(
            "tanh-curvature",
            -2 * w_2 * w_1**2 * sp.tanh(w_1 * h + u_1) * (1 - sp.tanh(w_1 * h + u_1) ** 2),
            sp.Integer(0),
            Text(
                "its second derivative in full: zero only without weights; composed tanh steps are no family of fixed size",
                "完整的二阶导数：只有权重为零时才恒为零；复合 tanh 得不到参数个数固定的函数族",
            ),
        ),
    )


def _scan() -> tuple[Step, ...]:
    import sympy as sp

    T, r = sp.symbols("T r", integer=True, positive=True)
    k = sp.Symbol("k", integer=True, nonnegative=True)
    j = sp.Symbol("j", integer=True, nonnegative=True)
    f, a, h, g, b = sp.symbols("f a h h' b", real=True)
    return (
        equal(
            "covered-doubles",
            2**k + 2**k,
            2 ** (k + 1),
            Text(
                "in each round every entry takes in its neighbour $2^k$ places back: the steps it covers double, so "
                r"$\lceil \log_2 T \rceil$ rounds suffice",
                "每一轮，每个位置并入它前面第 $2^k$ 个位置的结果：覆盖的步数翻倍，所以 "
                r"$\lceil \log_2 T \rceil$ 轮就够",
            ),
        ),
        equal(
            "work",
            sp.Sum(T - 2**k, (k, 0, r - 1)),
            scan_work(T, r),
            Text(
                "its price: the combinations of $r$ rounds add up to about $T \\log_2 T$, where the loop takes $T$",
                "代价：$r$ 轮的复合次数合计约 $T \\log_2 T$，而逐步循环只要 $T$ 次",
            ),
        ),
        equal(
            "work-of-odd-even",
            sp.Sum(2 ** (r - j) - 1, (j, 0, r - 1)),
            odd_even_work(r),
            Text(
                "combining pairs first and filling in afterwards: $T = 2^r$ elements cost less than $2T$, in twice the rounds",
                "先合并相邻对再回填：$T = 2^r$ 个元素不到 $2T$ 次，轮数加倍",
            ),
        ),
        let(
            "linearised",
            b,
            f - a * g,
            Text(
                "a nonlinear step about a guess $h'$: value $f$, slope $a$",
                "在猜测 $h'$ 处线性化的非线性步：值 $f$，导数 $a$",
            ),
        ),
        equal(
            "newton",
            a * h + b,
            f + a * (h - g),
            Text(
                "is a linear recurrence too, so Newton's iteration solves a nonlinear one by a few scans",
                "仍是线性循环，所以牛顿迭代用几次扫描就能解非线性循环",
            ),
            using=((b, f - a * g),),
        ),
    )


def _lattice() -> tuple[Step, ...]:
    import sympy as sp

    T, L = sp.symbols("T L", integer=True, positive=True)
    layer, t, D = sp.symbols("l t D", integer=True, positive=True)
    i = sp.Symbol("i", integer=True, positive=True)
    round_of = sp.Function("E")
    below, before = (
        (cell, earliest_round(*cell.args)) for cell in (round_of(layer - 1, t), round_of(layer, t - 1))
    )
    return (
        let("layer-below", *below, Text("by induction: the layer below", "归纳假设：下面一层")),
        let("step-before", *before, Text("by induction: the step before", "归纳假设：前一步")),
        equal(
            "wavefront",
            1 + sp.Max(below[0], before[0]),
            earliest_round(layer, t),
            Text(
                "stacked layers: a state waits for the layer below and for the step before, so whole diagonals run at once",
                "多层堆叠：一个状态只等下面一层和前一步，所以整条对角线可以同时计算",
            ),
            using=(below, before),
        ),
        equal(
            "critical-path",
            sp.Sum(1, (i, 1, L)) + sp.Sum(1, (i, 2, T)),
            earliest_round(L, T),
            Text(
                "the last state of the top layer: up through $L$ layers, then along the $T - 1$ later steps",
                "顶层的最后一个状态：先向上穿过 $L$ 层，再沿其后的 $T - 1$ 步",
            ),
        ),
        popular_error(
            "layer-after-layer",
            earliest_round(L, T),
            T * L,
            Text(
                "'each layer must wait for the whole layer below': $T + L - 1$ rounds are enough",
                "“每一层都要等下面整层算完”：$T + L - 1$ 轮就够",
            ),
        ),
        popular_error(
            "devices-divide-the-time",
            sp.Max(T, T / D),
            T / D,
            Text(
                "'$D$ devices make one sequence $D$ times faster': its $T$ tanh steps wait for each other; only $D$ "
                "sequences side by side are $D$ times the throughput",
                "“$D$ 个设备让一条序列快 $D$ 倍”：$T$ 个 tanh 步互相等待；只有 $D$ 条序列并排，吞吐量才是 $D$ 倍",
            ),
        ),
    )


def log2_ceiling(steps: int) -> int:
    return (steps - 1).bit_length()


def predict(p: Params) -> Results:
    rounds = log2_ceiling(p.steps)
    critical = earliest_round(p.layers, p.steps)
    cells = p.steps * p.layers
    return {
        "rounds": p.steps if p.recurrence == "tanh" else rounds,
        "scan_rounds": rounds,
        "scan_work": scan_work(p.steps, rounds),
        "odd_even_work": odd_even_work(rounds) if p.steps == 2**rounds else None,
        "lattice_rounds": critical,
        "lattice_fewest": max(critical, -(-cells // p.devices)),
        # Graham: no device idles while a state is ready
        "lattice_most": cells / p.devices + (1 - 1 / p.devices) * critical,
    }


def combine_counting(earlier: tuple[Array, ...], later: tuple[Array, ...]) -> tuple[Array, ...]:
    """The composition of steps, and beside it how many compositions in a row led to each result."""
    a, b = compose(earlier[:2], later[:2])
    # what this waits for, one more round
    return a, b, np.maximum(earlier[2], later[2]) + 1


def run_lattice(steps: int, layers: int, devices: int) -> tuple[int, Array]:
    """Rounds until every layer has every state, no device idle while a state is ready; and when each was computed."""
    done = [0] * layers
    when = np.zeros((layers, min(steps, SHOWN_STEPS)))
    rounds = 0
    while done[-1] < steps:
        rounds += 1
        free, below = devices, steps
        for layer, count in enumerate(done):
            # ready: the layer below was ahead before this round, the bottom layer always is; a device takes the lowest
            if count < below:
                if count < when.shape[1]:
                    when[layer, count] = rounds
                done[layer] = count + 1
                free -= 1
                if not free:
                    break
            below = count
    return rounds, when


def solve_tanh(weight: Array, drive: Array, h_0: Array) -> NewtonSolution:
    """All states of h_t = tanh(weight h_{t-1} + drive_t) by Newton's iteration."""

    def step(before: Array) -> Array:
        out: Array = np.tanh(weight * before + drive)
        return out

    return newton_recurrence(step, lambda before: weight * (1 - step(before) ** 2), h_0, np.zeros_like(drive))


def measure(p: Params, rng: np.random.Generator) -> Results:
    # a gated linear unit, as in minGRU: h_t = (1 - z_t) h_{t-1} + z_t x_t
    gate = 1 / (1 + np.exp(-rng.standard_normal((p.steps, WIDTH))))
    a, b = 1 - gate, gate * rng.standard_normal((p.steps, WIDTH))
    h_0 = rng.standard_normal(WIDTH)
    # beside the states, the sum of the sizes of their terms
    looped, terms = linear_recurrence(
        a[:, None], np.stack((b, np.abs(b)), axis=1), np.stack((h_0, np.abs(h_0)))
    ).swapaxes(0, 1)
    scanned = scan((a, b, np.zeros((p.steps, 1), int)), combine_counting)
    # a factor too small for a float is 0, rightly
    with np.errstate(under="ignore"):
        states = scanned.elements[0] * h_0 + scanned.elements[1]
    depth = int(scanned.elements[2].max())
    paired = scan((a, b, np.zeros((p.steps, 1), int)), combine_counting, "odd_even")

    weight = rng.uniform(-LARGEST_FACTOR, LARGEST_FACTOR, WIDTH)
    drive = rng.standard_normal((p.steps, WIDTH))
    nonlinear, h, waited = np.empty((p.steps, WIDTH)), h_0, 0
    for t in range(p.steps):
        h, waited = np.tanh(weight * h + drive[t]), waited + 1
        nonlinear[t] = h
    newton = solve_tanh(weight, drive, h_0)
    # the steps scanned without their tanh
    naive = linear_scan(np.broadcast_to(weight, drive.shape), drive, h_0)

    lattice_rounds, when = run_lattice(p.steps, p.layers, p.devices)
    lengths = sorted({min(p.steps, 2**k) for k in range(1, 12)})
    short = [scan((a[:n, :1], b[:n, :1]), compose).rounds for n in lengths]
    short_paired = [scan((a[:n, :1], b[:n, :1]), compose, "odd_even").rounds for n in lengths]
    devices = 2 ** np.arange(0, 12)
    return {
        "rounds": waited if p.recurrence == "tanh" else depth,
        "scan_rounds": depth,
        "scan_work": scanned.work,
        "odd_even_rounds": int(paired.elements[2].max()),
        "odd_even_work": paired.work,
        "scan_error": float(np.abs(states - looped).max()),
        "largest_term": float(terms.max()),
        "newton_iterations": newton.iterations,
        "newton_error": float(np.abs(newton.states - nonlinear).max()),
        "newton_changes": np.array(newton.changes),
        "newton_rounds": newton.iterations * depth,
        "naive_error": float(np.abs(np.tanh(naive) - nonlinear).max()),
        "lattice_rounds": lattice_rounds,
        "lattice": when,
        "lengths": np.array(lengths, dtype=float),
        "rounds_by_length": np.array(short, dtype=float),
        "odd_even_by_length": np.array(short_paired, dtype=float),
        "devices": devices.astype(float),
        "time_by_devices": times(scanned, devices),
        "odd_even_time_by_devices": times(paired, devices),
    }


def times(done: Scan, devices: NDArray[np.int_]) -> Array:
    """Rounds on each number of devices."""
    return np.array([done.rounds_on(int(count)) for count in devices], dtype=float)


def check(p: Params, predicted: Results, results: Results) -> tuple[Check, ...]:
    counted = Text("whole numbers, counted", "整数，逐个计数")
    summation = 4 * (p.steps + 3 * predicted["scan_rounds"]) * ROUNDING
    checks = [
        Check(
            "scan-is-the-loop",
            Text("the scan's states are the loop's (largest gap)", "扫描得到的状态就是循环的状态（最大差）"),
            predicted=0.0,
            measured=results["scan_error"],
            tolerance=summation * results["largest_term"],
            law=Text(
                "rounding of T steps and of the scan's rounds, on terms of the largest size met",
                "T 步与扫描各轮的舍入误差，乘以遇到的最大项",
            ),
        ),
        Check(
            "scan-depth",
            Text("compositions that wait for one another", "相互等待的复合次数"),
            predicted=predicted["scan_rounds"],
            measured=results["scan_rounds"],
            tolerance=0.0,
            law=counted,
        ),
        Check(
            "scan-combinations",
            Text("compositions in all", "复合的总次数"),
            predicted=predicted["scan_work"],
            measured=results["scan_work"],
            tolerance=0.0,
            law=counted,
        ),
        Check(
            "odd-even-is-cheaper",
            Text("combining pairs first costs fewer than 2T", "先合并相邻对，不到 2T 次"),
            predicted=2 * p.steps,
            measured=results["odd_even_work"],
            tolerance=0.0,
            law=counted,
            relation="<=",
        ),
        Check(
            "newton-is-the-loop",
            Text(
                "Newton's iteration finds the states of the tanh loop (largest gap)",
                "牛顿迭代得到 tanh 循环的状态（最大差）",
            ),
            predicted=0.0,
            measured=results["newton_error"],
            tolerance=newton_tolerance(p),
            law=Text(
                "the last change and the rounding of a step, each passed on by factors of 0.9 at most",
                "末次改变量与单步舍入误差，每步至多乘 0.9 传下去",
            ),
        ),
        Check(
            "tanh-after-a-linear-scan",
            Text(
                "scanning without tanh and applying it at the end gives other states",
                "先不带 tanh 扫描、最后再套 tanh，得到的是另外的状态",
            ),
            predicted=0.0,
            measured=results["naive_error"],
            tolerance=newton_tolerance(p),
            law=Text(
                "equal only where every weight is zero: a gap below rounding has probability near rounding itself",
                "只有权重全为零才相等：差距小于舍入误差的概率与舍入误差同量级",
            ),
            relation="!=",
            false_alarm=1e-9,
        ),
        Check(
            "lattice-at-least",
            Text(
                "a stack of layers needs its critical path, and its work shared out",
                "多层堆叠至少需要关键路径的长度，也至少需要均分后的工作量",
            ),
            predicted=predicted["lattice_fewest"],
            measured=results["lattice_rounds"],
            tolerance=0.0,
            law=counted,
            relation=">=",
        ),
        Check(
            "lattice-at-most",
            Text(
                "and no more than Graham's bound for a schedule that never idles",
                "而且不超过不空闲调度的 Graham 上界",
            ),
            predicted=predicted["lattice_most"],
            measured=results["lattice_rounds"],
            tolerance=ROUNDING * predicted["lattice_most"],
            law=counted,
            relation="<=",
        ),
    ]
    if predicted["odd_even_work"] is not None:
        checks.append(
            Check(
                "odd-even-combinations",
                Text("its compositions, at a power of two", "长度为二的幂时它的复合次数"),
                predicted=predicted["odd_even_work"],
                measured=results["odd_even_work"],
                tolerance=0.0,
                law=counted,
            )
        )
    if p.devices >= p.layers:
        checks.append(
            Check(
                "lattice-critical-path",
                Text(
                    "with a device a layer, exactly the critical path", "每层一个设备时，恰好是关键路径的长度"
                ),
                predicted=predicted["lattice_rounds"],
                measured=results["lattice_rounds"],
                tolerance=0.0,
                law=counted,
            )
        )
    return tuple(checks)


def newton_tolerance(p: Params) -> float:
    """The iteration's stopping change and a step's rounding, summed over a contracting past."""
    past = (1 - LARGEST_FACTOR**p.steps) / (1 - LARGEST_FACTOR)
    return past * (1e-13 + 8 * (1 + log2_ceiling(p.steps)) * ROUNDING)


def figures(p: Params, predicted: Results, results: Results) -> tuple[Figure, ...]:
    return _rounds(p, results), _devices(p, results), _diagonals(p, results)


def _rounds(p: Params, results: Results) -> Plot:
    lengths: Array = np.exp2(np.arange(1.0, 12.0))
    return Plot(
        Text("Rounds against length", "轮数随长度的变化"),
        Text(
            "the loop waits once per step, the scans a few times more each time the length doubles",
            "循环每步等一次；长度每翻一倍，扫描只多等一两轮",
        ),
        Axis(same("T"), "log"),
        Axis(Text("rounds one after another", "先后相继的轮数"), "log"),
        (
            Line(Text("loop", "循环"), lengths, lengths, "popular"),
            Line(Text("⌈log₂ T⌉", "⌈log₂ T⌉"), lengths, np.log2(lengths), "predicted"),
            Points(
                Text("Hillis-Steele scan", "Hillis-Steele 扫描"),
                results["lengths"],
                results["rounds_by_length"],
            ),
            Points(
                Text("odd-even scan", "奇偶扫描"), results["lengths"], results["odd_even_by_length"], "other"
            ),
            Rule(Text("T now", "当前 T"), float(p.steps), "x", "context"),
        ),
    )


def _devices(p: Params, results: Results) -> Plot:
    return Plot(
        Text("One sequence on D devices", "一条序列在 D 个设备上"),
        Text(
            "with few devices a scan is slower than the loop: it does more work; only with more devices than that does "
            "it win",
            "设备少时扫描比循环慢，因为总工作量更大；设备足够多才会更快",
        ),
        Axis(Text("devices D", "设备数 D"), "log"),
        Axis(Text("rounds", "轮数"), "log"),
        (
            Line(Text("loop", "循环"), results["devices"], np.full(12, float(p.steps)), "popular"),
            Line(
                Text("Hillis-Steele scan", "Hillis-Steele 扫描"),
                results["devices"],
                results["time_by_devices"],
            ),
            Line(
                Text("odd-even scan", "奇偶扫描"),
                results["devices"],
                results["odd_even_time_by_devices"],
                "other",
            ),
            Rule(Text("D now", "当前 D"), float(p.devices), "x", "context"),
        ),
    )


def _diagonals(p: Params, results: Results) -> HeatMap:
    shown = results["lattice"][::-1]
    return HeatMap(
        Text("Round in which each state is computed", "每个状态在第几轮算出"),
        Text(
            "states of equal round lie on diagonals while devices last: layers run one step behind each other",
            "设备够用时，同一轮的状态落在对角线上：上层比下层只晚一步",
        ),
        shown,
        tuple(Text(f"layer {p.layers - i}", f"第 {p.layers - i} 层") for i in range(p.layers)),
        tuple(same(str(t + 1)) for t in range(shown.shape[1])),
        low=0.0,
    )


DEMO = Demonstration(
    id="D09",
    name="parallel-scan",
    title=Text("Critical path and parallel scan", "关键路径与并行扫描"),
    shows=Text(
        r"a linear recurrence of $T$ steps takes $\lceil \log_2 T \rceil$ rounds, because its steps compose; a tanh "
        "recurrence takes $T$; stacked layers take $T + L - 1$",
        r"$T$ 步的线性循环只要 $\lceil \log_2 T \rceil$ 轮，因为各步可以复合；tanh 循环要 $T$ 轮；多层堆叠要 $T + L - 1$ 轮",
    ),
    kills=Text(
        "“RNNs can never run in parallel”, “eight GPUs are eight times faster” and “eight GPUs never help”",
        "“RNN 永远不能并行”“八块 GPU 快八倍”“八块 GPU 毫无用处”",
    ),
    parameters=(
        Parameter(
            "steps", "T", Text("steps of the sequence", "序列的步数"), 1024, 2, 2048, 1.0, "int", "log"
        ),
        Parameter("layers", "L", Text("stacked recurrent layers", "堆叠的循环层数"), 4, 1, 8, 1.0, "int"),
        Parameter("devices", "D", Text("devices", "设备数"), 8, 1, 64, 1.0, "int", "log"),
        Parameter(
            "recurrence",
            r"\text{step}",
            Text("kind of step", "一步的类型"),
            "linear",
            kind="choice",
            choices=(
                Choice("linear", Text("linear in the state", "对状态线性")),
                Choice("tanh", Text("tanh, run directly", "tanh，直接计算")),
            ),
        ),
    ),
    derive=derive,
    predict=predict,
    measure=measure,
    check=check,
    figures=figures,
    headline=Headline(
        "rounds",
        Text("rounds that must follow one another for one sequence", "一条序列必须先后相继的轮数"),
        Text("rounds", "轮"),
        1.0,
        4096.0,
        "log",
    ),
)
