"""Sinusoidal position encoding (Vaswani et al. 2017, section 3.5)."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from engine.coding.specification import Array, Case, Slip, Specification, edited
from engine.text import Text

TASK = Text(
    """Write the sinusoidal position encoding of the Transformer paper.

- Rows are the positions 0, 1, …, length - 1; `d_model` is even.
- Columns are interleaved: $PE_{p,\\,2i} = \\sin(p / 10000^{2i/d_{model}})$ and $PE_{p,\\,2i+1} = \\cos(p / 10000^{2i/d_{model}})$.""",
    """写出 Transformer 论文中的正弦位置编码。

- 各行对应位置 0、1、…、length - 1；`d_model` 为偶数。
- 正弦与余弦交错排列：$PE_{p,\\,2i} = \\sin(p / 10000^{2i/d_{model}})$，$PE_{p,\\,2i+1} = \\cos(p / 10000^{2i/d_{model}})$。""",
)

SOLUTION = """import numpy as np


def sinusoidal_encoding(length, d_model):
    i = np.arange(d_model // 2)
    positions = np.arange(length)[:, None]
    angles = positions / 10000.0 ** (2 * i / d_model)
    encoding = np.empty((length, d_model))
    encoding[:, 0::2] = np.sin(angles)
    encoding[:, 1::2] = np.cos(angles)
    return encoding
"""


def reference(length: int, d_model: int) -> Array:
    """Number by number."""
    encoding = np.zeros((length, d_model))
    for p in range(length):
        for i in range(d_model // 2):
            angle = p / 10000.0 ** (2 * i / d_model)
            encoding[p, 2 * i] = math.sin(angle)
            encoding[p, 2 * i + 1] = math.cos(angle)
    return encoding


def cases(seed: int) -> Iterator[Case]:
    """One position, one pair, long sequences, random sizes."""
    rng = np.random.default_rng(seed)
    yield Case({"length": 1, "d_model": 2}, Text("one position, one pair", "一个位置、一对特征"))
    yield Case({"length": 7, "d_model": 2}, Text("one pair", "只有一对特征"))
    yield Case({"length": 4, "d_model": 8}, Text("a few positions", "几个位置"))
    yield Case({"length": 600, "d_model": 16}, Text("a long sequence", "长序列"))
    for _ in range(2):
        length, pairs = (int(size) for size in rng.integers(3, 20, size=2))
        yield Case({"length": length, "d_model": 2 * pairs}, Text("random sizes", "随机大小"))


SPECIFICATION = Specification(
    name="sinusoidal-encoding",
    title=Text("Sinusoidal position encoding", "正弦位置编码"),
    task=TASK,
    signature="def sinusoidal_encoding(length, d_model):",
    docstring=Text(
        """length: int, 1 or more; d_model: int, even
returns (length, d_model): float64""",
        """length：int，至少为 1；d_model：int，偶数
返回 (length, d_model)：float64""",
    ),
    outputs=("encoding",),
    cases=cases,
    reference=reference,
    solution=SOLUTION,
    slips=(
        Slip(
            "exponent-i",
            Text("when the exponent is i/d_model, not 2i/d_model", "指数写成了 i/d_model 而不是 2i/d_model"),
            edited(SOLUTION, ("2 * i / d_model", "i / d_model")),
        ),
        Slip(
            "column-exponent",
            Text(
                "when each column has a frequency of its own: the cosine's is 2(2i+1)/d_model",
                "每一列各用一个频率，余弦列的指数成了 2(2i+1)/d_model",
            ),
            edited(
                SOLUTION,
                ("i = np.arange(d_model // 2)", "i = np.arange(d_model)"),
                ("np.sin(angles)", "np.sin(angles[:, 0::2])"),
                ("np.cos(angles)", "np.cos(angles[:, 1::2])"),
            ),
        ),
        Slip(
            "halves",
            Text(
                "when all sines come first and then all cosines",
                "先排全部正弦、再排全部余弦",
            ),
            edited(
                SOLUTION,
                ("encoding[:, 0::2]", "encoding[:, : d_model // 2]"),
                ("encoding[:, 1::2]", "encoding[:, d_model // 2 :]"),
            ),
        ),
        Slip(
            "swapped",
            Text("when sine and cosine change places", "正弦与余弦互换"),
            edited(SOLUTION, ("np.sin", "np.cos_"), ("np.cos(", "np.sin("), ("np.cos_", "np.cos")),
        ),
        Slip(
            "from-one",
            Text("when positions are counted from 1", "位置从 1 开始计数"),
            edited(SOLUTION, ("np.arange(length)[:, None]", "np.arange(1, length + 1)[:, None]")),
        ),
        Slip(
            "multiplied",
            Text(
                "when the position is multiplied by 10000^(2i/d_model)",
                "位置乘以（而不是除以）10000^(2i/d_model)",
            ),
            edited(SOLUTION, ("positions / 10000.0", "positions * 10000.0")),
        ),
    ),
)
