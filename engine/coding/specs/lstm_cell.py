"""One step of an LSTM in PyTorch's layout (Hochreiter and Schmidhuber 1997; Gers et al. 2000)."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from engine.coding.specification import Array, Case, Slip, Specification, edited
from engine.text import Text

TASK = Text(
    """Write one step of an LSTM for a batch.

- All four affine maps are stacked in one: $a = W_x x + W_h h + b$, of width 4H, in the order of PyTorch: input gate i, forget gate f, candidate g, output gate o.
- The gates i, f, o go through the sigmoid, the candidate g through tanh.
- $c' = f \\odot c + i \\odot g$ and $h' = o \\odot \\tanh(c')$. Return the pair `(h_new, c_new)`, the hidden state first.
- Pre-activations may be as large as ±1000: no NaN.""",
    """写出批量 LSTM 的一步。

- 四个仿射变换叠在一起：$a = W_x x + W_h h + b$，宽度为 4H，顺序与 PyTorch 一致：输入门 i、遗忘门 f、候选 g、输出门 o。
- 门 i、f、o 用 sigmoid，候选 g 用 tanh。
- $c' = f \\odot c + i \\odot g$，$h' = o \\odot \\tanh(c')$。返回二元组 `(h_new, c_new)`，隐藏状态在前。
- 预激活可能大到 ±1000，不得出现 NaN。""",
)

SOLUTION = """import numpy as np


def sigmoid(a):
    return 0.5 * (1.0 + np.tanh(0.5 * a))


def lstm_cell(x, h, c, W_x, W_h, b):
    a = x @ W_x.T + h @ W_h.T + b
    i, f, g, o = np.split(a, 4, axis=-1)
    c_new = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
    h_new = sigmoid(o) * np.tanh(c_new)
    return h_new, c_new
"""


def reference(x: Array, h: Array, c: Array, W_x: Array, W_h: Array, b: Array) -> tuple[Array, Array]:
    """Unit by unit."""
    batch, width = h.shape
    hidden, cell = np.zeros((batch, width)), np.zeros((batch, width))
    for n in range(batch):

        def affine(row: int, n: int = n) -> float:
            from_input = sum(float(W_x[row, k]) * float(x[n, k]) for k in range(x.shape[1]))
            from_state = sum(float(W_h[row, k]) * float(h[n, k]) for k in range(width))
            return from_input + from_state + float(b[row])

        for unit in range(width):
            input_gate = _sigmoid(affine(unit))
            forget_gate = _sigmoid(affine(width + unit))
            candidate = math.tanh(affine(2 * width + unit))
            output_gate = _sigmoid(affine(3 * width + unit))
            cell[n, unit] = forget_gate * float(c[n, unit]) + input_gate * candidate
            hidden[n, unit] = output_gate * math.tanh(cell[n, unit])
    return hidden, cell


def _sigmoid(a: float) -> float:
    return 1.0 / (1.0 + math.exp(-a)) if a >= 0 else math.exp(a) / (1.0 + math.exp(a))


def cases(seed: int) -> Iterator[Case]:
    """Size 1, a zero state, random shapes, saturated gates."""
    rng = np.random.default_rng(seed)

    def drawn(batch: int, inputs: int, width: int) -> dict[str, Array]:
        return {
            "x": rng.normal(size=(batch, inputs)),
            "h": np.tanh(rng.normal(size=(batch, width))),
            "c": 2.0 * rng.normal(size=(batch, width)),
            "W_x": rng.normal(size=(4 * width, inputs)),
            "W_h": rng.normal(size=(4 * width, width)),
            "b": rng.normal(size=4 * width),
        }

    yield Case(drawn(1, 1, 1), Text("everything of size 1", "所有维度均为 1"))
    first = drawn(2, 3, 4)
    first["h"], first["c"] = np.zeros((2, 4)), np.zeros((2, 4))
    yield Case(first, Text("the first step: h and c are zero", "第一步：h 与 c 为零"))
    for _ in range(3):
        batch, inputs, width = (int(size) for size in rng.integers(2, 7, size=3))
        yield Case(drawn(batch, inputs, width), Text("random shapes", "随机形状"))
    saturated = drawn(2, 3, 3)
    saturated["b"] = rng.choice([-1000.0, 1000.0], size=12)
    yield Case(saturated, Text("gates at ±1000", "门的预激活为 ±1000"))


_CELL = "c_new = sigmoid(f) * c + sigmoid(i) * np.tanh(g)"

SPECIFICATION = Specification(
    name="lstm-cell",
    title=Text("LSTM cell, gates in the order i, f, g, o", "LSTM 单元，门的顺序为 i、f、g、o"),
    task=TASK,
    signature="def lstm_cell(x, h, c, W_x, W_h, b):",
    docstring=Text(
        """x (B, D); h, c (B, H); W_x (4H, D); W_h (4H, H); b (4H,): float64
gates stacked in the order i, f, g, o
returns (h_new, c_new), (B, H) each""",
        """x (B, D)；h、c (B, H)；W_x (4H, D)；W_h (4H, H)；b (4H,)：float64
门的叠放顺序为 i、f、g、o
返回 (h_new, c_new)，形状都是 (B, H)""",
    ),
    outputs=("h_new", "c_new"),
    cases=cases,
    reference=reference,
    solution=SOLUTION,
    slips=(
        Slip(
            "order-ifog",
            Text("when the blocks are read in the order i, f, o, g", "按 i、f、o、g 的顺序取门"),
            edited(SOLUTION, ("i, f, g, o = np.split", "i, f, o, g = np.split")),
        ),
        Slip(
            "order-fi",
            Text("when input and forget gate change places", "输入门与遗忘门互换"),
            edited(SOLUTION, ("i, f, g, o = np.split", "f, i, g, o = np.split")),
        ),
        Slip(
            "candidate-sigmoid",
            Text("when the candidate goes through the sigmoid", "候选用了 sigmoid"),
            edited(SOLUTION, ("np.tanh(g)", "sigmoid(g)")),
        ),
        Slip(
            "tanh-sigmoid-swapped",
            Text("when tanh and sigmoid change places", "tanh 与 sigmoid 互换"),
            edited(
                SOLUTION,
                (_CELL, "c_new = np.tanh(f) * c + np.tanh(i) * sigmoid(g)"),
                ("sigmoid(o) * np.tanh(c_new)", "np.tanh(o) * sigmoid(c_new)"),
            ),
        ),
        Slip(
            "no-output-tanh",
            Text("when h is the gated cell without its tanh", "输出时漏掉了 tanh(c)"),
            edited(SOLUTION, ("np.tanh(c_new)", "c_new")),
        ),
        Slip(
            "old-cell",
            Text("when h is read from the cell before the step", "h 取自更新之前的细胞状态"),
            edited(SOLUTION, ("np.tanh(c_new)", "np.tanh(c)")),
        ),
        Slip(
            "coupled",
            Text("when 1 - i stands for the forget gate", "用 1 - i 代替了遗忘门"),
            edited(SOLUTION, ("sigmoid(f) * c", "(1.0 - sigmoid(i)) * c")),
        ),
        Slip(
            "no-forget",
            Text("without the forget gate: the old cell is kept whole", "没有遗忘门，旧的细胞状态原样保留"),
            edited(SOLUTION, ("sigmoid(f) * c", "c")),
        ),
        Slip(
            "returned-swapped",
            Text("when the cell is returned before the hidden state", "返回时细胞状态在前、隐藏状态在后"),
            edited(SOLUTION, ("return h_new, c_new", "return c_new, h_new")),
        ),
    ),
)
