"""One step of a GRU in PyTorch's convention (Cho et al. 2014, first arXiv version; cuDNN)."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from engine.coding.specification import Array, Case, Slip, Specification, edited
from engine.text import Text

TASK = Text(
    """Write one step of a GRU for a batch, in the convention of PyTorch.

- Two stacks of width 3H in the order r, z, n: $u = W_x x + b_x$ and $v = W_h h + b_h$.
- Reset gate $r = \\sigma(u_r + v_r)$ and update gate $z = \\sigma(u_z + v_z)$.
- The reset gate acts after the recurrent matrix, and on its bias too: $n = \\tanh(u_n + r \\odot v_n)$.
- The update gate keeps the old state: $h' = (1 - z) \\odot n + z \\odot h$.
- Pre-activations may be as large as ±1000: no NaN.""",
    """按 PyTorch 的约定写出批量 GRU 的一步。

- 两组宽度为 3H 的变换，顺序为 r、z、n：$u = W_x x + b_x$，$v = W_h h + b_h$。
- 重置门 $r = \\sigma(u_r + v_r)$，更新门 $z = \\sigma(u_z + v_z)$。
- 重置门作用在循环矩阵之后，连同其偏置：$n = \\tanh(u_n + r \\odot v_n)$。
- 更新门保留旧状态：$h' = (1 - z) \\odot n + z \\odot h$。
- 预激活可能大到 ±1000，不得出现 NaN。""",
)

SOLUTION = """import numpy as np


def sigmoid(a):
    return 0.5 * (1.0 + np.tanh(0.5 * a))


def gru_cell(x, h, W_x, W_h, b_x, b_h):
    u_r, u_z, u_n = np.split(x @ W_x.T + b_x, 3, axis=-1)
    v_r, v_z, v_n = np.split(h @ W_h.T + b_h, 3, axis=-1)
    r = sigmoid(u_r + v_r)
    z = sigmoid(u_z + v_z)
    n = np.tanh(u_n + r * v_n)
    return (1.0 - z) * n + z * h
"""


def reference(x: Array, h: Array, W_x: Array, W_h: Array, b_x: Array, b_h: Array) -> Array:
    """Unit by unit."""
    batch, width = h.shape
    new = np.zeros((batch, width))
    for s in range(batch):

        def from_input(row: int, s: int = s) -> float:
            return sum(float(W_x[row, k]) * float(x[s, k]) for k in range(x.shape[1])) + float(b_x[row])

        def from_state(row: int, s: int = s) -> float:
            return sum(float(W_h[row, k]) * float(h[s, k]) for k in range(width)) + float(b_h[row])

        for unit in range(width):
            reset = _sigmoid(from_input(unit) + from_state(unit))
            update = _sigmoid(from_input(width + unit) + from_state(width + unit))
            candidate = math.tanh(from_input(2 * width + unit) + reset * from_state(2 * width + unit))
            new[s, unit] = (1.0 - update) * candidate + update * float(h[s, unit])
    return new


def _sigmoid(a: float) -> float:
    return 1.0 / (1.0 + math.exp(-a)) if a >= 0 else math.exp(a) / (1.0 + math.exp(a))


def cases(seed: int) -> Iterator[Case]:
    """Size 1, a zero state, random shapes, saturated gates."""
    rng = np.random.default_rng(seed)

    def drawn(batch: int, inputs: int, width: int) -> dict[str, Array]:
        return {
            "x": rng.normal(size=(batch, inputs)),
            "h": np.tanh(rng.normal(size=(batch, width))),
            "W_x": rng.normal(size=(3 * width, inputs)),
            "W_h": rng.normal(size=(3 * width, width)),
            "b_x": rng.normal(size=3 * width),
            "b_h": rng.normal(size=3 * width),
        }

    yield Case(drawn(1, 1, 1), Text("everything of size 1", "所有维度均为 1"))
    first = drawn(2, 3, 4)
    first["h"] = np.zeros((2, 4))
    yield Case(first, Text("the first step: h is zero", "第一步：h 为零"))
    for _ in range(3):
        batch, inputs, width = (int(size) for size in rng.integers(2, 7, size=3))
        yield Case(drawn(batch, inputs, width), Text("random shapes", "随机形状"))
    saturated = drawn(2, 3, 3)
    saturated["b_x"] = rng.choice([-1000.0, 1000.0], size=9)
    yield Case(saturated, Text("gates at ±1000", "门的预激活为 ±1000"))


SPECIFICATION = Specification(
    name="gru-cell",
    title=Text("GRU cell in PyTorch's convention", "GRU 单元（PyTorch 约定）"),
    task=TASK,
    signature="def gru_cell(x, h, W_x, W_h, b_x, b_h):",
    docstring=Text(
        """x (B, D); h (B, H); W_x (3H, D); W_h (3H, H); b_x, b_h (3H,): float64
stacked in the order r, z, n
returns h_new (B, H)""",
        """x (B, D)；h (B, H)；W_x (3H, D)；W_h (3H, H)；b_x、b_h (3H,)：float64
叠放顺序为 r、z、n
返回 h_new (B, H)""",
    ),
    outputs=("h_new",),
    cases=cases,
    reference=reference,
    solution=SOLUTION,
    slips=(
        Slip(
            "z-polarity",
            Text("when z lets the candidate in: h' = z n + (1 - z) h", "z 的含义反了：h' = z n + (1 - z) h"),
            edited(SOLUTION, ("(1.0 - z) * n + z * h", "z * n + (1.0 - z) * h")),
        ),
        Slip(
            "reset-before",
            Text(
                "when the reset gate acts on h before the recurrent matrix",
                "重置门在循环矩阵之前作用于 h",
            ),
            edited(
                SOLUTION,
                (
                    "np.tanh(u_n + r * v_n)",
                    "np.tanh(u_n + (r * h) @ np.split(W_h, 3)[2].T + np.split(b_h, 3)[2])",
                ),
            ),
        ),
        Slip(
            "bias-outside-reset",
            Text("when the reset gate spares the recurrent bias", "重置门没有作用在循环偏置上"),
            edited(
                SOLUTION,
                ("r * v_n", "r * (v_n - np.split(b_h, 3)[2]) + np.split(b_h, 3)[2]"),
            ),
        ),
        Slip(
            "order-zrn",
            Text("when the stacks are read in the order z, r, n (Keras)", "按 z、r、n（Keras）的顺序取门"),
            edited(SOLUTION, ("u_r, u_z, u_n =", "u_z, u_r, u_n ="), ("v_r, v_z, v_n =", "v_z, v_r, v_n =")),
        ),
        Slip(
            "no-reset",
            Text("without the reset gate", "没有使用重置门"),
            edited(SOLUTION, ("u_n + r * v_n", "u_n + v_n")),
        ),
        Slip(
            "candidate-sigmoid",
            Text("when the candidate goes through the sigmoid", "候选用了 sigmoid"),
            edited(SOLUTION, ("n = np.tanh(", "n = sigmoid(")),
        ),
        Slip(
            "reset-on-input",
            Text("when the reset gate multiplies the input's part too", "重置门把输入部分也乘上了"),
            edited(SOLUTION, ("u_n + r * v_n", "r * (u_n + v_n)")),
        ),
    ),
)
