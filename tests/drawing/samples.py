"""Figures with all that a figure may hold, from closed formulas, so that goldens stand still."""

from __future__ import annotations

import numpy as np

from engine.figure import Axis, Bar, Bars, Figure, HeatMap, Line, Plot, Points, Rule
from engine.text import Text, same

SEE = Text("what to see", "看什么")


def normal_curve() -> Plot:
    """Points on a predicted curve, as a histogram has them."""
    x = np.linspace(-4, 4, 33)
    y = np.exp(-(x**2) / 2) / np.sqrt(2 * np.pi)
    return Plot(
        Text("Distribution of the scores", "分数的分布"),
        SEE,
        Axis(Text("score", "分数")),
        Axis(Text("density", "密度"), low=0.0),
        (
            Points(Text("measured", "实测"), x, np.maximum(y + 0.02 * np.sin(7 * x), 0), "measured"),
            Line(Text("predicted", "预测"), x, y, "predicted"),
            Rule(Text("mean", "均值"), 0.0, "x", "context"),
        ),
    )


def decay() -> Plot:
    """Every role over a log axis, a band, and a gap."""
    lag = np.arange(1, 101.0)
    measured = 0.9**lag * (1 + 0.2 * np.sin(lag))
    measured[39:49] = np.nan
    return Plot(
        Text("Gradient norm against lag", "梯度范数随间隔的变化"),
        SEE,
        Axis(Text("lag", "间隔")),
        Axis(Text("norm", "范数"), "log"),
        (
            Line(Text("measured", "实测"), lag, measured, "measured", (measured / 3, measured * 3)),
            Line(same("λᵀ"), lag, 0.87**lag, "predicted"),
            Line(Text("“it is constant”", "“恒定不变”"), lag, np.ones(100), "popular"),
            Line(Text("upper bound", "上界"), lag, 0.95**lag, "bound"),
            Line(Text("LSTM", "LSTM"), lag, 0.99**lag / 3, "other"),
            Rule(Text("here", "当前"), 50.0, "x", "context"),
        ),
    )


def layers_needed() -> Plot:
    """Both axes logarithmic, three curves of one role."""
    n = 2.0 ** np.arange(1, 15)
    return Plot(
        Text("Layers until every pair has met", "任意两个位置相遇所需层数"),
        SEE,
        Axis(Text("sequence length", "序列长度"), "log"),
        Axis(Text("layers", "层数"), "log"),
        (
            Line(Text("kernel 3", "卷积核 3"), n, (n - 1) / 2, "measured"),
            Line(Text("dilated", "膨胀卷积"), n, np.log2(n), "measured"),
            Line(Text("self-attention", "自注意力"), n, np.ones(14), "measured"),
            Rule(Text("12 layers", "12 层"), 12.0, "y", "bound"),
        ),
    )


def masking() -> Bars:
    return Bars(
        Text("Where the chosen tokens go", "被选中的词元去了哪里"),
        SEE,
        Axis(Text("share", "比例"), low=0.0, high=1.0),
        (
            Bar(same("[MASK]"), 0.812, "measured", 0.04),
            Bar(Text("random token", "随机词元"), 0.098, "measured", 0.03),
            Bar(Text("kept", "保持不变"), 0.1, "predicted"),
            Bar(Text("always masked", "一律遮盖"), 1.0, "popular"),
        ),
    )


def traffic() -> Bars:
    return Bars(
        Text("Traffic to memory", "显存访问量"),
        SEE,
        Axis(Text("bytes", "字节"), "log"),
        (
            Bar(Text("standard attention", "标准注意力"), 4.03e10),
            Bar(same("FlashAttention"), 4.4e9, "measured", 5e8),
            Bar(Text("lower bound", "下界"), 2.7e8, "bound"),
        ),
    )


def differences() -> Bars:
    return Bars(
        Text("Change of the loss", "损失的变化"),
        SEE,
        Axis(same("Δ")),
        (
            Bar(Text("with warm-up", "有预热"), -0.42),
            Bar(Text("without", "无预热"), 0.31, "measured", 0.1),
        ),
    )


EN = ("the", "cat", "sat", "on", "[MASK]", "mat")
ZH = ("那只", "猫", "坐在", "了", "[MASK]", "地毯")


def attention() -> HeatMap:
    """Causal attention over tokens of both scripts, with two cells pointed out."""
    scores = np.sin(np.arange(36).reshape(6, 6) * 1.7)
    weights = np.exp(scores) * np.tril(np.ones((6, 6)))
    weights /= weights.sum(axis=1, keepdims=True)
    tokens = tuple(Text(en, zh) for en, zh in zip(EN, ZH, strict=True))
    return HeatMap(
        Text("Attention weights", "注意力权重"),
        SEE,
        np.where(np.tril(np.ones((6, 6))) > 0, weights, np.nan),
        tokens,
        tokens,
        low=0.0,
        high=1.0,
        outline=((5, 4), (2, 1)),
    )


def encoding() -> HeatMap:
    """More rows than there is room for, of both signs."""
    position, pair = np.arange(32)[:, None], np.arange(24)[None, :]
    angle = position / 100.0 ** (pair // 2 * 2 / 24)
    return HeatMap(
        Text("Sinusoidal position encoding", "正弦位置编码"),
        SEE,
        np.where(pair % 2 == 0, np.sin(angle), np.cos(angle)),
        tuple(same(str(row)) for row in range(32)),
        tuple(same(str(column)) for column in range(24)),
        diverging=True,
        outline=((8, 3),),
    )


SAMPLES: dict[str, Figure] = {
    "normal_curve": normal_curve(),
    "decay": decay(),
    "layers_needed": layers_needed(),
    "masking": masking(),
    "traffic": traffic(),
    "differences": differences(),
    "attention": attention(),
    "encoding": encoding(),
}
