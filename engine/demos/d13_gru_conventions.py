"""D13: the GRU's conventions: whether z keeps or writes, and whether the reset gate acts before or after the matrix.

Cho et al. 2014 (EMNLP), equations 5-8; Chung et al. 2014, section 3.2; torch.nn.GRU, whose manual notes the difference.
"""

from __future__ import annotations

import math

import numpy as np

from engine.demonstration import Array, Check, Choice, Demonstration, Headline, Parameter, Params, Results
from engine.figure import Axis, Bar, Bars, Figure, Line, Plot, Points
from engine.nn.gru import CONVENTIONS, GRUConvention, GRUTrace, GRUWeights, gru_driven, gru_forward
from engine.nn.lstm import lstm_driven
from engine.nn.sigmoid import logit, sigmoid
from engine.proof.step import Expr, Step, cited, equal, let, popular_error
from engine.text import Text

ROUNDING = float(np.finfo(float).eps)
BATCH = 16
"""Random inputs and states that two codes are compared on."""
IMAGINARY = 1e-30
"""Size of an imaginary perturbation: its square is lost beside 1, its own digits are not."""
SWEEP = 21
"""Values of z at which the update is tried for the figure."""


# The formulas: the proof checks them with SymPy symbols, the prediction evaluates them with numbers.
def writing_update(z: Expr, h: Expr, n: Expr) -> Expr:
    """The new state where z writes (Chung et al. 2014)."""
    return (1 - z) * h + z * n


def keeping_update(z: Expr, h: Expr, n: Expr) -> Expr:
    """The new state where z keeps (Cho et al. 2014; PyTorch)."""
    return z * h + (1 - z) * n


def commutator_term(u: Expr, r_i: Expr, r_j: Expr, h_j: Expr) -> Expr:
    """What unit j adds to r * (U h) - U (r * h) in unit i, ``u`` the weight from j to i."""
    return u * (r_i - r_j) * h_j


def derive() -> tuple[Step, ...]:
    return (*_update(), *_reset(), *_relatives())


def _update() -> tuple[Step, ...]:
    import sympy as sp

    a, y, z, h, n = sp.symbols("a y z h n", real=True)
    other = (y, 1 - z)
    new = sp.Symbol("h_t", real=True)

    def sigma(value: Expr) -> Expr:
        return 1 / (1 + sp.exp(-value))

    chung = (new, writing_update(z, h, n))
    return (
        let(
            "chung",
            *chung,
            Text(
                "Chung et al.: $h$ the old state, $n$ the candidate; here z is the share written",
                "Chung 等人的写法：$h$ 为旧状态，$n$ 为候选值；此处 z 是写入的比例",
            ),
        ),
        equal(
            "written-share",
            sp.Derivative(new, n),
            z,
            Text("$z = 1$ replaces the state", "$z = 1$ 表示整个替换"),
            using=(chung,),
        ),
        popular_error(
            "one-meaning-of-z",
            keeping_update(z, h, n),
            writing_update(z, h, n),
            Text(
                "'$z = 1$ means the same everywhere': in Cho et al. and in PyTorch it keeps the old state",
                "“$z = 1$ 在哪里含义都一样”：在 Cho 等人的论文与 PyTorch 中，它表示保留旧状态",
            ),
        ),
        let("other-share", *other, Text("call the remaining share $y$", "把剩余的比例记作 $y$")),
        equal(
            "swap",
            writing_update(y, h, n),
            keeping_update(z, h, n),
            Text("the two are one formula, with $1 - z$ for $z$", "把 $z$ 换成 $1 - z$，两者就是同一个公式"),
            using=(other,),
        ),
        equal(
            "mirror",
            sigma(-a),
            1 - sigma(a),
            Text("and a sigmoid is odd about one half", "而 sigmoid 关于二分之一对称"),
        ),
        equal(
            "negated-weights",
            writing_update(sigma(-a), h, n),
            keeping_update(sigma(a), h, n),
            Text(
                "so negating z's weights and bias carries one convention into the other: no difference in power",
                "所以把 z 的权重和偏置取负，就从一种约定变成另一种：表达能力没有差别",
            ),
        ),
    )


def _reset() -> tuple[Step, ...]:
    import sympy as sp

    size = sp.Symbol("H", integer=True, positive=True)
    i, j = sp.symbols("i j", integer=True, positive=True)
    U, R, S = sp.IndexedBase("u", real=True), sp.IndexedBase("r", real=True), sp.IndexedBase("h", real=True)
    w = sp.Matrix(2, 2, sp.symbols("u_11 u_12 u_21 u_22", real=True))
    r, h, bias = (sp.Matrix(sp.symbols(f"{letter}_1:3", real=True)) for letter in ("r", "h", "b"))
    same, d_1, d_2 = sp.symbols("r d_1 d_2", real=True)

    def after(matrix: Expr, gate: Expr, offset: Expr = None) -> Expr:
        product = matrix * h if offset is None else matrix * h + offset
        return sp.ImmutableMatrix(gate.multiply_elementwise(product))

    def before(matrix: Expr, gate: Expr, offset: Expr = None) -> Expr:
        product = matrix * gate.multiply_elementwise(h)
        return sp.ImmutableMatrix(product if offset is None else product + offset)

    def commutator(matrix: Expr, gate: Expr) -> Expr:
        return sp.ImmutableMatrix(
            2, 1, lambda a, _: sum(commutator_term(matrix[a, b], gate[a], gate[b], h[b]) for b in range(2))
        )

    diagonal, constant = sp.diag(d_1, d_2), sp.Matrix([same, same])
    return (
        equal(
            "commutator-two-units",
            sp.MatAdd(after(w, r), sp.MatMul(-1, before(w, r)), evaluate=False),
            commutator(w, r),
            Text(
                r"reset after the matrix, $r \odot (U h)$, less reset before it, $U (r \odot h)$: what mixes units "
                "whose gates differ",
                r"先乘矩阵再复位 $r \odot (U h)$，减去先复位再乘矩阵 $U (r \odot h)$：差别来自复位门不同的单元之间的混合",
            ),
            bound="H=2",
        ),
        equal(
            "commutator",
            R[i] * sp.Sum(U[i, j] * S[j], (j, 1, size)) - sp.Sum(U[i, j] * R[j] * S[j], (j, 1, size)),
            sp.Sum(commutator_term(U[i, j], R[i], R[j], S[j]), (j, 1, size)),
            Text("the same in unit $i$ of any number $H$", "任意 $H$ 个单元时，第 $i$ 个单元也一样"),
        ),
        popular_error(
            "reset-placement-is-notation",
            sp.ImmutableMatrix(after(w, r)),
            before(w, r),
            Text(
                "'where r stands is a matter of notation': one weight between two units tells them apart",
                "“r 放在哪里只是写法不同”：只要两个单元之间有一个非零权重，结果就不同",
            ),
        ),
        equal(
            "diagonal-matrix",
            sp.MatMul(sp.ImmutableMatrix(sp.diag(*r)), sp.ImmutableMatrix(diagonal), sp.ImmutableMatrix(h)),
            sp.MatMul(sp.ImmutableMatrix(diagonal), sp.ImmutableMatrix(before(sp.eye(2), r))),
            Text("equal for all gates where the matrix is diagonal", "矩阵为对角阵时，对任何门都相等"),
            bound="H=2",
        ),
        equal(
            "one-gate-for-all",
            after(w, constant),
            before(w, constant),
            Text(
                "and for all matrices where one gate serves all units",
                "所有单元共用一个门时，对任何矩阵都相等",
            ),
            bound="H=2",
        ),
        equal(
            "only-then",
            sp.Derivative(after(w, r)[0] - before(w, r)[0], h[1]),
            w[0, 1] * (r[0] - r[1]),
            Text(
                "and only then: wherever two gates differ, the state of one shows the weight between the two",
                "也只有这时才相等：只要两个门不同，其中一个单元的状态就会显出两者之间的权重",
            ),
            bound="H=2",
        ),
        equal(
            "state-bias",
            sp.MatAdd(after(diagonal, r, bias), sp.MatMul(-1, before(diagonal, r, bias)), evaluate=False),
            sp.ImmutableMatrix((r - sp.ones(2, 1)).multiply_elementwise(bias)),
            Text(
                "with PyTorch's bias inside the bracket, $r \\odot (U h + b)$, they differ even then: r gates the bias too",
                "PyTorch 把偏置放在括号内 $r \\odot (U h + b)$，这时也不相等：r 连偏置一起门控",
            ),
            bound="H=2",
        ),
    )


def _relatives() -> tuple[Step, ...]:
    import sympy as sp

    f, i, g, z, h = sp.symbols("f i g z h", real=True)
    new = sp.Symbol("c_t", real=True)
    D, H = sp.symbols("D H", integer=True, positive=True)
    cell, coupled, forget, same = (new, f * h + i * g), (i, z), (f, 1 - z), writing_update(z, h, g)
    return (
        let("lstm-cell", *cell, Text("the cell of an LSTM", "LSTM 的细胞状态")),
        let("coupled-input", *coupled, Text("couple its gates: what is written", "把两个门耦合：写入的比例")),
        let("coupled-forget", *forget, Text("is what is not kept", "等于不保留的比例")),
        equal(
            "coupled-lstm",
            new,
            same,
            Text(
                "then the cell is the GRU's state: two gates for three, no separate output",
                "此时细胞状态就是 GRU 的状态：三个门变两个，也没有单独的输出",
            ),
            using=(cell, coupled, forget),
        ),
        equal(
            "three-maps",
            sum((H * H + H * D + H for _ in "rzn"), sp.Integer(0)),
            3 * H * (H + D + 1),
            Text("three affine maps: two gates and the candidate", "三个仿射映射：两个门加候选值"),
        ),
        cited(
            "sources",
            r"\text{Cho: } U (r \odot h),\ z h + (1 - z) n \qquad \text{PyTorch: } r \odot (U h + b),\ z h + (1 - z) n",
            Text(
                "reset after the matrix is Cho's first version and what cuDNN, PyTorch and Keras compute: one product with "
                "$h$ serves all three maps",
                "先乘矩阵再复位是 Cho 论文第一版的写法，也是 cuDNN、PyTorch、Keras 的默认：三个映射只需与 $h$ 做一次乘积",
            ),
            "Cho et al. 2014, equations 7-8; Chung et al. 2014, section 3.2; torch.nn.GRU, note",
        ),
    )


def predict(p: Params) -> Results:
    update = writing_update if CONVENTIONS[p.convention].update == "write" else keeping_update
    z = np.linspace(0.02, 0.98, SWEEP)
    return {
        "state_after": update(p.z, p.state, p.candidate),
        # the update is affine in h and in n: its slopes are its values at unit vectors
        "kept": update(p.z, 1.0, 0.0),
        "written": update(p.z, 0.0, 1.0),
        "sweep": keeping_update(z, p.state, p.candidate),
        "sweep_write": writing_update(z, p.state, p.candidate),
    }


def one_unit(z: Array, state: complex, candidate: complex, convention: GRUConvention) -> GRUTrace:
    """One step of one unit for each z (B,), without recurrent weights: gates and candidate are the sliders'."""
    drive = np.zeros((1, len(z), 3), dtype=np.result_type(state, candidate, float))
    drive[0, :, 1] = [logit(value) for value in z]
    drive[0, :, 2] = np.arctanh(candidate)
    return gru_driven(drive, np.full((len(z), 1), state), np.zeros((3, 1)), **convention._asdict())


def textbook_cell(
    x: Array, h: Array, weights: GRUWeights, negate_z: bool = False, reset_after: bool = False
) -> Array:
    """A GRU cell as in the textbooks, h = (1-z) h' + z n with n = tanh(W x + U (r * h') + b), written out with no layer
    of the engine; ``negate_z`` and ``reset_after`` are the two repairs."""
    (W_r, W_z, W_n), (U_r, U_z, U_n) = np.split(weights.inputs, 3), np.split(weights.recurrent, 3)
    (b_r, b_z, b_n), (d_r, d_z, d_n) = (np.split(bias, 3) for bias in weights.bias)
    r = sigmoid(x @ W_r.T + h @ U_r.T + b_r + d_r)
    a_z = x @ W_z.T + h @ U_z.T + b_z + d_z
    z = sigmoid(-a_z if negate_z else a_z)
    recalled = r * (h @ U_n.T + d_n) if reset_after else (r * h) @ U_n.T + d_n
    n = np.tanh(x @ W_n.T + b_n + recalled)
    return np.asarray((1 - z) * h + z * n)


def random_weights(p: Params, rng: np.random.Generator) -> GRUWeights:
    """Normal entries of deviation ``scale``, biases among them."""
    H, D = p.hidden, p.inputs
    return GRUWeights(
        *(p.scale * rng.standard_normal(shape) for shape in ((3 * H, H), (3 * H, D), (2, 3 * H)))
    )


def reset_gap(x: Array, h: Array, weights: GRUWeights) -> float:
    """Largest gap between the states with reset before and after the matrix, all else equal."""
    placed = [gru_forward(x, h, weights, reset=reset).hidden[1] for reset in ("before", "after")]
    return float(np.abs(placed[0] - placed[1]).max())


def derived_commutator(weights: GRUWeights, h: Array, r: Array) -> Array:
    """r * (U h) - U (r * h) by the derived terms, (B, H)."""
    U = weights.recurrent[-h.shape[-1] :]
    terms = commutator_term(U, r[:, :, None], r[:, None, :], h[:, None, :])  # (B, H, H)
    return np.asarray(terms.sum(axis=-1))


def measure(p: Params, rng: np.random.Generator) -> Results:
    convention, at = CONVENTIONS[p.convention], np.array([p.z])
    real = one_unit(at, p.state, p.candidate, convention)
    moved_state = one_unit(at, p.state + 1j * IMAGINARY, p.candidate, convention)
    moved_candidate = one_unit(at, p.state, p.candidate + 1j * IMAGINARY, convention)
    z = np.linspace(0.02, 0.98, SWEEP)

    weights = random_weights(p, rng)
    x, h = rng.standard_normal((1, BATCH, p.inputs)), rng.standard_normal((BATCH, p.hidden))
    torch_cell = gru_forward(x, h, weights)
    wanted = torch_cell.hidden[1]

    H = p.hidden
    U, no_state_bias = weights.recurrent.copy(), weights.bias.copy()
    no_state_bias[1, -H:] = 0.0
    diagonal = U.copy()
    diagonal[-H:] = np.diag(np.diag(U[-H:]))
    shared = GRUWeights(U.copy(), weights.inputs.copy(), no_state_bias.copy())
    # one row of weights for the reset gate of all units
    for array in (shared.recurrent, shared.inputs):
        array[:H] = array[0]
    shared.bias[:, :H] = shared.bias[:, :1]

    placed_before = gru_forward(x, h, GRUWeights(U, weights.inputs, no_state_bias), reset="before")
    placed_after = gru_forward(x, h, GRUWeights(U, weights.inputs, no_state_bias), reset="after")
    r = placed_after.reset_gate[0]
    commutator = r * placed_after.recalled[0] - placed_before.recalled[0] @ U[-H:].T

    # an LSTM cell whose input gate is z and whose forget gate is 1 - z
    coupled = np.array([[[logit(p.z), logit(1 - p.z), math.atanh(p.candidate), 0.0]]])
    cell = lstm_driven(coupled, np.zeros((1, 1)), np.full((1, 1), p.state), np.zeros((4, 1))).cell
    chung = one_unit(at, p.state, p.candidate, CONVENTIONS["Chung"])
    magnitude = (
        np.abs(x[0]) @ np.abs(weights.inputs).T + np.abs(h) @ np.abs(U).T + np.abs(weights.bias).sum(axis=0)
    )
    return {
        "state_after": float(real.hidden[1, 0, 0]),
        "kept": float(moved_state.hidden[1, 0, 0].imag / IMAGINARY),
        "written": float(moved_candidate.hidden[1, 0, 0].imag / IMAGINARY),
        "sweep": one_unit(z, p.state, p.candidate, CONVENTIONS["PyTorch"]).hidden[1, :, 0],
        "sweep_write": one_unit(z, p.state, p.candidate, CONVENTIONS["Chung"]).hidden[1, :, 0],
        "copy_error": float(np.abs(textbook_cell(x[0], h, weights) - wanted).max()),
        "z_repaired": float(np.abs(textbook_cell(x[0], h, weights, negate_z=True) - wanted).max()),
        "both_repaired": float(np.abs(textbook_cell(x[0], h, weights, True, True) - wanted).max()),
        "reset_gap": reset_gap(x, h, weights),
        "reset_gap_diagonal": reset_gap(x, h, GRUWeights(diagonal, weights.inputs, no_state_bias)),
        "reset_gap_shared": reset_gap(x, h, shared),
        "commutator_gap": float(np.abs(commutator - derived_commutator(weights, h, r)).max()),
        "coupled_lstm": float(cell[1, 0, 0]),
        "chung_state": float(chung.hidden[1, 0, 0]),
        # what rounding is proportional to: the absolute values that go into a pre-activation, and the state's size
        "size": float(magnitude.max() * (1 + np.abs(h).max())),
    }


def check(p: Params, predicted: Results, results: Results) -> tuple[Check, ...]:
    few = Text("rounding of a few operations", "几次运算的舍入误差")
    inner = Text(
        "rounding of inner products, times their absolute sums", "内积的舍入误差，与绝对值之和成正比"
    )
    random = Text(
        "random weights at which it vanishes to six digits do not occur",
        "恰好使它在六位数字上为零的随机权重不会出现",
    )
    slack = 8 * (p.inputs + 2 * p.hidden + 8) * ROUNDING * results["size"]

    def agrees(name: str, wanted: float, result: str, claim: Text) -> Check:
        return Check(name, claim, float(wanted), results[result], 32 * ROUNDING, few)

    def vanishes(name: str, result: str, claim: Text) -> Check:
        return Check(name, claim, 0.0, results[result], slack, inner)

    def differs(name: str, result: str, claim: Text) -> Check:
        return Check(name, claim, 0.0, results[result], 1e-6 * p.scale**2, random, "!=", 1e-7)

    return (
        agrees(
            "state-after",
            predicted["state_after"],
            "state_after",
            Text("the state after one step", "一步之后的状态"),
        ),
        agrees(
            "share-kept",
            predicted["kept"],
            "kept",
            Text("how far the new state moves with the old", "新状态随旧状态变化的比例"),
        ),
        agrees(
            "share-written",
            predicted["written"],
            "written",
            Text("how far it moves with the candidate", "新状态随候选值变化的比例"),
        ),
        agrees(
            "lstm-with-coupled-gates",
            results["chung_state"],
            "coupled_lstm",
            Text(
                "the cell of an LSTM with $i = z$ and $f = 1 - z$, against the GRU that writes by z",
                "取 $i = z$、$f = 1 - z$ 的 LSTM 细胞，与以 z 写入的 GRU 对照",
            ),
        ),
        differs(
            "copied-weights-differ",
            "copy_error",
            Text(
                "textbook cell with PyTorch's weights against nn.GRU",
                "教科书公式配 PyTorch 的权重，与 nn.GRU 的最大差",
            ),
        ),
        differs(
            "negating-z-is-not-enough",
            "z_repaired",
            Text("the same with z's weights negated", "再把 z 的权重取负之后的最大差"),
        ),
        vanishes(
            "both-repairs-agree",
            "both_repaired",
            Text("the same with the reset moved after the matrix as well", "再把复位移到矩阵之后的最大差"),
        ),
        differs(
            "reset-placement-matters",
            "reset_gap",
            Text("one set of weights, reset before against after", "同一组权重，复位在前与在后的最大差"),
        ),
        vanishes(
            "diagonal-placement-does-not",
            "reset_gap_diagonal",
            Text(
                "the same with a diagonal matrix and no bias on the state", "矩阵取对角阵、状态侧无偏置时的差"
            ),
        ),
        vanishes(
            "shared-gate-placement-does-not",
            "reset_gap_shared",
            Text("the same with one reset gate for all units", "所有单元共用一个复位门时的差"),
        ),
        vanishes(
            "commutator-measured",
            "commutator_gap",
            Text(
                "difference of the two products in the layer, less the derived sum over pairs",
                "层中两种乘积之差，减去推导出的两两之和",
            ),
        ),
    )


def figures(p: Params, predicted: Results, results: Results) -> tuple[Figure, ...]:
    z = np.linspace(0.02, 0.98, SWEEP)
    floor = max(results["both_repaired"], 1e-17)
    return (
        Plot(
            Text("The new state against z", "新状态随 z 的变化"),
            Text(
                "the same sliders, two straight lines that cross at one half: z = 1 keeps in one and overwrites in the other",
                "同样的滑块，两条直线在 z = 1/2 处相交：z = 1 在一种约定里是保留，在另一种里是覆盖",
            ),
            Axis(Text("update gate z", "更新门 z")),
            Axis(Text("new state", "新状态")),
            (
                Line(
                    Text("Cho, PyTorch: z keeps", "Cho、PyTorch：z 保留"), z, predicted["sweep"], "predicted"
                ),
                Line(Text("Chung: z writes", "Chung：z 写入"), z, predicted["sweep_write"], "popular"),
                Points(Text("measured, z keeps", "实测：z 保留"), z, results["sweep"], "measured"),
                Points(Text("measured, z writes", "实测：z 写入"), z, results["sweep_write"], "other"),
            ),
        ),
        Bars(
            Text("Textbook cell with PyTorch's weights", "教科书公式配 PyTorch 的权重"),
            Text(
                "negating z alone leaves an error; only with the reset moved as well does the cell agree to rounding",
                "只把 z 取负仍有误差；再移动复位门的位置，才一致到舍入误差",
            ),
            Axis(Text("largest error of the state", "状态的最大误差"), "log", low=1e-17),
            (
                Bar(Text("as printed", "照公式"), results["copy_error"], "popular"),
                Bar(Text("z negated", "z 取负"), results["z_repaired"], "other"),
                Bar(Text("reset moved as well", "再移动复位"), floor, "measured"),
            ),
        ),
    )


DEMO = Demonstration(
    id="D13",
    name="gru-conventions",
    title=Text("The GRU's conventions", "GRU 的几种约定"),
    shows=Text(
        "two conventions differ: what z multiplies, which negated weights undo, and where the reset gate acts, which "
        "nothing undoes unless the matrix is diagonal",
        "约定有两处不同：z 乘在谁身上（权重取负即可互换），以及复位门作用的位置（除非矩阵是对角阵，否则无法互换）",
    ),
    kills=Text(
        "$z = 1$ always means the same, and nn.GRU computes the textbook's equations",
        "$z = 1$ 的含义处处相同，nn.GRU 算的就是教科书里的公式",
    ),
    parameters=(
        Parameter("z", "z", Text("update gate", "更新门"), 0.3, 0.01, 0.99, 0.01),
        Parameter("state", "h", Text("old state", "旧状态"), -0.6, -1.0, 1.0, 0.05),
        Parameter("candidate", "n", Text("candidate", "候选值"), 0.8, -0.95, 0.95, 0.05),
        Parameter(
            "convention",
            r"\text{convention}",
            Text("convention of the unit under the sliders", "滑块所控单元采用的约定"),
            "PyTorch",
            kind="choice",
            choices=(
                Choice("Chung", Text("Chung et al.: z writes, reset before", "Chung 等人：z 写入，先复位")),
                Choice("Cho", Text("Cho et al.: z keeps, reset before", "Cho 等人：z 保留，先复位")),
                Choice("PyTorch", Text("PyTorch: z keeps, reset after", "PyTorch：z 保留，后复位")),
            ),
        ),
        Parameter("inputs", "D", Text("input width", "输入维度"), 4, 1, 8, 1.0, "int"),
        Parameter("hidden", "H", Text("hidden width", "隐藏层宽度"), 5, 2, 8, 1.0, "int"),
        Parameter(
            "scale", "s", Text("deviation of the random weights", "随机权重的标准差"), 1.0, 0.1, 3.0, 0.1
        ),
    ),
    derive=derive,
    predict=predict,
    measure=measure,
    check=check,
    figures=figures,
    headline=Headline(
        "copy_error",
        Text(
            "largest error of the state when nn.GRU's weights go into the textbook's equations",
            "把 nn.GRU 的权重代入教科书公式，状态的最大误差",
        ),
        Text("", ""),
        0.0,
        5.0,
    ),
)
