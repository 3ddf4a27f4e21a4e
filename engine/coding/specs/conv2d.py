"""Two-dimensional convolution as networks mean it: cross-correlation with stride and zero padding."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from engine.coding.specification import Array, Case, Slip, Specification, edited
from engine.text import Text

TASK = Text(
    """Write the forward pass of a 2-D convolution layer.

- It is a cross-correlation: the kernel is not flipped.
- The image is surrounded by `padding` rings of zeros; `stride` is the same in both directions. No dilation, no groups.
- Output size: $\\lfloor (n + 2\\,\\mathrm{padding} - k) / \\mathrm{stride} \\rfloor + 1$ in each direction. Kernels need not be square.

With s for the stride and x already padded,

$$y_{o,i,j} = b_o + \\sum_{c,u,v} W_{o,c,u,v}\\, x_{c,\\; s i + u,\\; s j + v}$$""",
    """写出二维卷积层的前向计算。

- 按互相关计算：卷积核不翻转。
- 四周各补 `padding` 圈零；两个方向的步幅都是 `stride`。没有扩张，也没有分组。
- 每个方向的输出大小为 $\\lfloor (n + 2\\,\\mathrm{padding} - k) / \\mathrm{stride} \\rfloor + 1$。卷积核不一定是方的。

记步幅为 s，x 已补零：

$$y_{o,i,j} = b_o + \\sum_{c,u,v} W_{o,c,u,v}\\, x_{c,\\; s i + u,\\; s j + v}$$""",
)

SOLUTION = """import numpy as np


def conv2d(x, weight, bias, stride, padding):
    kh, kw = weight.shape[2:]
    x = np.pad(x, ((0, 0), (0, 0), (padding, padding), (padding, padding)))
    rows = (x.shape[2] - kh) // stride + 1
    columns = (x.shape[3] - kw) // stride + 1
    y = np.zeros((x.shape[0], weight.shape[0], rows, columns))
    for u in range(kh):
        for v in range(kw):
            window = x[:, :, u : u + stride * rows : stride, v : v + stride * columns : stride]
            y += np.einsum("ncij,oc->noij", window[:, :, :rows, :columns], weight[:, :, u, v])
    return y + bias[:, None, None]
"""


def reference(x: Array, weight: Array, bias: Array, stride: int, padding: int) -> Array:
    """Output by output; what lies outside of the image is zero."""
    batch, channels, height, width = x.shape
    filters, _, kh, kw = weight.shape
    rows = (height + 2 * padding - kh) // stride + 1
    columns = (width + 2 * padding - kw) // stride + 1
    y = np.zeros((batch, filters, rows, columns))
    for n in range(batch):
        for o in range(filters):
            for i in range(rows):
                for j in range(columns):
                    total = float(bias[o])
                    for c in range(channels):
                        for u in range(kh):
                            for v in range(kw):
                                row, column = i * stride + u - padding, j * stride + v - padding
                                if 0 <= row < height and 0 <= column < width:
                                    total += float(weight[o, c, u, v]) * float(x[n, c, row, column])
                    y[n, o, i, j] = total
    return y


def cases(seed: int) -> Iterator[Case]:
    """1×1, padding, stride that leaves a remainder, kernels that are not square, random shapes."""
    rng = np.random.default_rng(seed)

    def drawn(
        size: tuple[int, int, int, int], filters: int, kernel: tuple[int, int], stride: int, padding: int
    ) -> dict[str, Array | int]:
        return {
            "x": rng.normal(size=size),
            "weight": rng.normal(size=(filters, size[1], *kernel)),
            "bias": rng.normal(size=filters),
            "stride": stride,
            "padding": padding,
        }

    yield Case(drawn((1, 1, 1, 1), 1, (1, 1), 1, 0), Text("everything of size 1", "所有维度均为 1"))
    yield Case(drawn((1, 1, 5, 6), 1, (3, 3), 1, 0), Text("one channel, one filter", "单通道、单卷积核"))
    yield Case(drawn((2, 3, 4, 4), 2, (1, 1), 1, 0), Text("a 1 x 1 kernel", "1 × 1 卷积核"))
    yield Case(drawn((1, 2, 4, 5), 3, (3, 3), 1, 1), Text("padding of 1", "padding 为 1"))
    yield Case(
        drawn((2, 2, 7, 8), 3, (3, 3), 2, 0), Text("stride of 2 with a remainder", "步幅为 2 且有余数")
    )
    yield Case(drawn((1, 2, 6, 7), 2, (2, 4), 3, 2), Text("a kernel of 2 x 4", "2 × 4 的卷积核"))
    yield Case(
        drawn((1, 2, 3, 4), 2, (3, 4), 1, 0), Text("a kernel as large as the image", "卷积核与图像同大")
    )
    channels, filters, kh, kw, stride, padding = (int(n) for n in rng.integers(2, 4, size=6))
    height, width = (int(n) for n in rng.integers(5, 9, size=2))
    yield Case(
        drawn((2, channels, height, width), filters, (kh, kw), stride, padding),
        Text("random shapes", "随机形状"),
    )


SPECIFICATION = Specification(
    name="conv2d",
    title=Text("2-D convolution, forward", "二维卷积的前向计算"),
    task=TASK,
    signature="def conv2d(x, weight, bias, stride, padding):",
    docstring=Text(
        """x (N, C_in, H, W); weight (C_out, C_in, kh, kw); bias (C_out,): float64
stride: int, 1 or more; padding: int, 0 or more
returns (N, C_out, H_out, W_out)""",
        """x (N, C_in, H, W)；weight (C_out, C_in, kh, kw)；bias (C_out,)：float64
stride：int，至少为 1；padding：int，至少为 0
返回 (N, C_out, H_out, W_out)""",
    ),
    outputs=("y",),
    cases=cases,
    reference=reference,
    solution=SOLUTION,
    slips=(
        Slip(
            "flipped",
            Text("when the kernel is flipped: a true convolution", "翻转了卷积核（数学意义上的卷积）"),
            edited(SOLUTION, ("weight[:, :, u, v])", "weight[:, :, kh - 1 - u, kw - 1 - v])")),
        ),
        Slip(
            "kernel-transposed",
            Text("when the kernel is read transposed", "卷积核的行列被对调"),
            edited(
                SOLUTION,
                (
                    "kh, kw = weight.shape[2:]",
                    "weight = weight.swapaxes(2, 3)\n    kh, kw = weight.shape[2:]",
                ),
            ),
        ),
        Slip(
            "size-off-by-one",
            Text("when the + 1 of the output size is missing", "输出大小漏掉了 + 1"),
            edited(
                SOLUTION,
                ("(x.shape[2] - kh) // stride + 1", "(x.shape[2] - kh) // stride"),
                ("(x.shape[3] - kw) // stride + 1", "(x.shape[3] - kw) // stride"),
            ),
        ),
        Slip(
            "stride-ignored",
            Text("when the windows move by 1 whatever the stride", "忽略步幅，窗口每次只移动 1"),
            edited(
                SOLUTION,
                (
                    "x[:, :, u : u + stride * rows : stride, v : v + stride * columns : stride]",
                    "x[:, :, u : u + rows, v : v + columns]",
                ),
            ),
        ),
        Slip(
            "padding-one-side",
            Text("when the zeros are put on one side only", "只在一侧补零"),
            edited(
                SOLUTION,
                (
                    "(padding, padding), (padding, padding)))",
                    "(2 * padding, 0), (2 * padding, 0)))",
                ),
            ),
        ),
        Slip(
            "edge-padding",
            Text("when the border is repeated, not filled with zeros", "重复边缘像素而不是补零"),
            edited(
                SOLUTION,
                (
                    "(padding, padding), (padding, padding)))",
                    "(padding, padding), (padding, padding)), mode='edge')",
                ),
            ),
        ),
        Slip(
            "no-bias",
            Text("without the bias", "没有加偏置"),
            edited(SOLUTION, ("return y + bias[:, None, None]", "return y")),
        ),
        Slip(
            "first-channel",
            Text("when only the first input channel is used", "只用了第一个输入通道"),
            edited(
                SOLUTION,
                ('"ncij,oc->noij", window[:, :, :rows', '"ncij,oc->noij", window[:, :1, :rows'),
                ("weight[:, :, u, v])", "weight[:, :1, u, v])"),
            ),
        ),
        Slip(
            "mean-of-channels",
            Text("when the channels are averaged, not added", "对通道取平均而不是求和"),
            edited(SOLUTION, ("return y + bias", "return y / x.shape[1] + bias")),
        ),
    ),
)
