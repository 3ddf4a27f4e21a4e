"""Rotary position embedding, pairs interleaved (Su et al. 2021, section 3.2.2, equation 34)."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from engine.coding.specification import Array, Case, Slip, Specification, edited
from engine.text import Text

TASK = Text(
    """Write rotary position embedding: turn each pair of features of `x` by an angle that grows with the position.

- Pairs are neighbours: features 0 and 1, 2 and 3, and so on (interleaved, not halves).
- Pair i at position p turns by $\\theta = p \\cdot base^{-2i/d}$, counter-clockwise: $(a, b) \\to (a \\cos\\theta - b \\sin\\theta,\\; a \\sin\\theta + b \\cos\\theta)$.
- `positions` gives the position of each row; it need not start at 0.
- `x` is left as it was.""",
    """写出旋转位置编码：把 `x` 的每一对特征转过一个随位置增大的角度。

- 相邻特征成对：0 与 1、2 与 3，依此类推（交错排列，不是前后两半）。
- 第 i 对在位置 p 处逆时针转 $\\theta = p \\cdot base^{-2i/d}$：$(a, b) \\to (a \\cos\\theta - b \\sin\\theta,\\; a \\sin\\theta + b \\cos\\theta)$。
- `positions` 给出每一行的位置，不一定从 0 开始。
- 不要改动 `x` 本身。""",
)

SOLUTION = """import numpy as np


def rope(x, positions, base):
    d = x.shape[-1]
    frequencies = base ** (-2.0 * np.arange(d // 2) / d)
    angles = positions[:, None] * frequencies
    cos, sin = np.cos(angles), np.sin(angles)
    first, second = x[..., 0::2], x[..., 1::2]
    turned = np.empty_like(x)
    turned[..., 0::2] = first * cos - second * sin
    turned[..., 1::2] = first * sin + second * cos
    return turned
"""


def reference(x: Array, positions: Array, base: float) -> Array:
    """Pair by pair."""
    batch, length, d = x.shape
    turned = np.zeros((batch, length, d))
    for b in range(batch):
        for t in range(length):
            for i in range(d // 2):
                theta = int(positions[t]) * base ** (-2 * i / d)
                one, two = float(x[b, t, 2 * i]), float(x[b, t, 2 * i + 1])
                turned[b, t, 2 * i] = one * math.cos(theta) - two * math.sin(theta)
                turned[b, t, 2 * i + 1] = one * math.sin(theta) + two * math.cos(theta)
    return turned


def cases(seed: int) -> Iterator[Case]:
    """Position 0, one pair, positions that start late or jump, another base."""
    rng = np.random.default_rng(seed)

    def drawn(batch: int, positions: list[int], d: int, base: float = 10_000.0) -> dict[str, Array | float]:
        at = np.array(positions, dtype=np.int64)
        return {"x": rng.normal(size=(batch, len(at), d)), "positions": at, "base": base}

    yield Case(drawn(1, [0], 2), Text("position 0 turns by nothing", "位置 0 不旋转"))
    yield Case(drawn(1, [3], 2), Text("one pair", "只有一对特征"))
    yield Case(drawn(2, [0, 1, 2, 3, 4], 8), Text("a sequence from 0", "从 0 开始的序列"))
    yield Case(drawn(2, [11, 12, 13], 6), Text("positions after a cache of 11", "缓存了 11 个位置之后"))
    yield Case(drawn(1, [5, 2, 1000], 4), Text("positions in any order", "任意顺序的位置"))
    yield Case(drawn(1, [0, 1, 7], 4, 500_000.0), Text("another base", "换一个 base"))
    length, pairs = (int(size) for size in rng.integers(3, 7, size=2))
    random = [int(p) for p in rng.integers(0, 300, size=length)]
    yield Case(drawn(3, random, 2 * pairs), Text("random shapes", "随机形状"))


SPECIFICATION = Specification(
    name="rope",
    title=Text("Rotary position embedding (RoPE), interleaved", "旋转位置编码（RoPE），交错排列"),
    task=TASK,
    signature="def rope(x, positions, base):",
    docstring=Text(
        """x (B, T, d): float64, d even; positions (T,): int64; base: float
returns (B, T, d)""",
        """x (B, T, d)：float64，d 为偶数；positions (T,)：int64；base：float
返回 (B, T, d)""",
    ),
    outputs=("rotated",),
    cases=cases,
    reference=reference,
    solution=SOLUTION,
    slips=(
        Slip(
            "halves",
            Text(
                "in the layout of two halves (rotate_half), where feature i pairs with i + d/2",
                "采用了前后两半的排列（rotate_half），特征 i 与 i + d/2 成对",
            ),
            edited(
                SOLUTION,
                ("x[..., 0::2], x[..., 1::2]", "x[..., : d // 2], x[..., d // 2 :]"),
                ("turned[..., 0::2]", "turned[..., : d // 2]"),
                ("turned[..., 1::2]", "turned[..., d // 2 :]"),
            ),
        ),
        Slip(
            "exponent-i",
            Text("when the exponent is i/d, not 2i/d", "指数写成了 i/d 而不是 2i/d"),
            edited(SOLUTION, ("-2.0 * np.arange", "-1.0 * np.arange")),
        ),
        Slip(
            "clockwise",
            Text("when the sign of the angle is turned round", "旋转方向相反"),
            edited(
                SOLUTION,
                ("first * cos - second * sin", "first * cos + second * sin"),
                ("first * sin + second * cos", "second * cos - first * sin"),
            ),
        ),
        Slip(
            "positions-ignored",
            Text(
                "when positions are counted from 0 and not taken from the argument",
                "忽略了 positions，一律从 0 计数",
            ),
            edited(SOLUTION, ("positions[:, None]", "np.arange(x.shape[1])[:, None]")),
        ),
        Slip(
            "growing",
            Text(
                "when the frequency grows with i: the minus of the exponent is missing",
                "指数少了负号，频率随 i 增大",
            ),
            edited(SOLUTION, ("(-2.0 *", "(2.0 *")),
        ),
        Slip(
            "sequential",
            Text(
                "when the first feature is overwritten before the second is computed",
                "先覆盖了第一个特征、再用新值计算第二个",
            ),
            edited(SOLUTION, ("first * sin + second * cos", "turned[..., 0::2] * sin + second * cos")),
        ),
    ),
)
