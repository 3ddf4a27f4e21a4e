"""Dilated causal convolution in one dimension (van den Oord et al. 2016, section 2.1)."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from engine.coding.specification import Array, Case, Slip, Specification, edited
from engine.text import Text

TASK = Text(
    """Write a dilated causal 1-D convolution that keeps the length.

With r for the dilation and K taps k = 0, …, K - 1,

$$y_{o,t} = b_o + \\sum_{c,k} W_{o,c,k}\\, x_{c,\\; t - (K-1-k)\\, r}$$

- What lies before time 0 is zero.
- So the last tap of the kernel meets the present, the first one the most distant past, and nothing meets the future.""",
    """写出保持长度不变的一维扩张因果卷积。

记扩张率为 r，卷积核的 K 个权重编号 k = 0、…、K - 1：

$$y_{o,t} = b_o + \\sum_{c,k} W_{o,c,k}\\, x_{c,\\; t - (K-1-k)\\, r}$$

- 时刻 0 之前视为零。
- 也就是说，卷积核的最后一个权重对应当前时刻，第一个对应最远的过去，任何权重都不接触未来。""",
)

SOLUTION = """import numpy as np


def causal_conv1d(x, weight, bias, dilation):
    N, C_in, T = x.shape
    C_out, _, K = weight.shape
    left = (K - 1) * dilation
    padded = np.pad(x, ((0, 0), (0, 0), (left, 0)))
    y = np.zeros((N, C_out, T))
    for k in range(K):
        start = k * dilation
        y += np.einsum("nct,oc->not", padded[:, :, start : start + T], weight[:, :, k])
    return y + bias[:, None]
"""


def reference(x: Array, weight: Array, bias: Array, dilation: int) -> Array:
    """Output by output."""
    batch, channels, length = x.shape
    filters, _, taps = weight.shape
    y = np.zeros((batch, filters, length))
    for n in range(batch):
        for o in range(filters):
            for t in range(length):
                total = float(bias[o])
                for k in range(taps):
                    source = t - (taps - 1 - k) * dilation
                    if source >= 0:
                        for c in range(channels):
                            total += float(weight[o, c, k]) * float(x[n, c, source])
                y[n, o, t] = total
    return y


def cases(seed: int) -> Iterator[Case]:
    """One step, one tap, a past longer than the sequence, random shapes."""
    rng = np.random.default_rng(seed)

    def drawn(size: tuple[int, int, int], filters: int, taps: int, dilation: int) -> dict[str, Array | int]:
        return {
            "x": rng.normal(size=size),
            "weight": rng.normal(size=(filters, size[1], taps)),
            "bias": rng.normal(size=filters),
            "dilation": dilation,
        }

    yield Case(drawn((1, 1, 1), 1, 1, 1), Text("everything of size 1", "所有维度均为 1"))
    yield Case(drawn((2, 3, 5), 2, 1, 3), Text("a kernel of one tap", "卷积核长度为 1"))
    yield Case(drawn((1, 1, 8), 1, 3, 1), Text("no dilation", "没有扩张"))
    yield Case(drawn((2, 2, 9), 3, 3, 2), Text("dilation of 2", "扩张率为 2"))
    yield Case(drawn((1, 2, 4), 2, 3, 5), Text("a past longer than the sequence", "感受野超出序列长度"))
    yield Case(drawn((1, 2, 1), 2, 4, 2), Text("a sequence of length 1", "序列长度为 1"))
    channels, filters, taps, dilation = (int(n) for n in rng.integers(2, 5, size=4))
    length = int(rng.integers(8, 16))
    yield Case(drawn((2, channels, length), filters, taps, dilation), Text("random shapes", "随机形状"))


_PAD = "(left, 0)))"

SPECIFICATION = Specification(
    name="causal-conv1d",
    title=Text("Dilated causal 1-D convolution", "一维扩张因果卷积"),
    task=TASK,
    signature="def causal_conv1d(x, weight, bias, dilation):",
    docstring=Text(
        """x (N, C_in, T); weight (C_out, C_in, K); bias (C_out,): float64
dilation: int, 1 or more
returns (N, C_out, T)""",
        """x (N, C_in, T)；weight (C_out, C_in, K)；bias (C_out,)：float64
dilation：int，至少为 1
返回 (N, C_out, T)""",
    ),
    outputs=("y",),
    cases=cases,
    reference=reference,
    solution=SOLUTION,
    slips=(
        Slip(
            "same-padding",
            Text(
                "when the zeros are shared between both sides, so that outputs see the future",
                "两侧各补一半零，输出看到了未来",
            ),
            edited(SOLUTION, (_PAD, "(left // 2, left - left // 2)))")),
        ),
        Slip(
            "anti-causal",
            Text("when the zeros are put on the right", "零补在了右侧"),
            edited(SOLUTION, (_PAD, "(0, left)))")),
        ),
        Slip(
            "flipped",
            Text("when the first tap meets the present", "第一个权重对应了当前时刻"),
            edited(SOLUTION, ("weight[:, :, k])", "weight[:, :, K - 1 - k])")),
        ),
        Slip(
            "dilation-ignored",
            Text("when the dilation is ignored", "忽略了扩张率"),
            edited(SOLUTION, ("left = (K - 1) * dilation", "dilation = 1\n    left = K - 1")),
        ),
        Slip(
            "padding-without-dilation",
            Text(
                "when K - 1 zeros are put on the left, whatever the dilation, and the end filled up",
                "左侧只补了 K - 1 个零（没有乘扩张率），末尾再补齐",
            ),
            edited(SOLUTION, (_PAD, "(K - 1, left - (K - 1))))")),
        ),
        Slip(
            "present-hidden",
            Text("when the present is not seen: shifted by one too many", "多移了一步，看不到当前时刻"),
            edited(SOLUTION, (_PAD, "(left + 1, 0)))")),
        ),
        Slip(
            "no-bias",
            Text("without the bias", "没有加偏置"),
            edited(SOLUTION, ("return y + bias[:, None]", "return y")),
        ),
    ),
)
