"""What the calibration view says."""

from __future__ import annotations

from engine.text import Text
from tui.commands import Command

CALIBRATION_KEY = Command(
    "calibration", ("o",), Text("How far off", "猜得多准"),
    Text("how far off your guesses tend to be", "你的猜测通常偏差多少"), 8,
)  # fmt: skip

CALIBRATION = Text("How far off", "猜得多准")
ABOUT = Text(
    "Every guess made before its outcome was shown, beside that outcome. Only the first guess of a thing counts.",
    "凡是在看到结果之前作出的猜测，都与实际值对照。同一个量只计第一次猜测。",
)
NONE_YET = Text(
    "No guess so far. In the lab, guess the number before it is shown; the numbers you give in a self-test count here too.",
    "还没有猜测。进实验室先猜数值、再看结果；自测中填写的数值也会计入。",
)
SOURCES = {
    "lab": Text("Lab: guessed before it was run", "实验室：运行之前的猜测"),
    "paper": Text("Self-tests: numbers given in papers", "自测：试卷中填写的数值"),
}
SHORT_SOURCES = {"lab": Text("lab", "实验室"), "paper": Text("self-tests", "自测")}
GUESSES = Text("{n} {n:guess|guesses}", "{n} 次")
FACTOR_MEASURE = Text("Measured by the factor between guess and truth", "以猜测与实际相差的倍数衡量")
RANGE_MEASURE = Text("Measured as a share of the range to guess in", "以偏差占取值范围的比例衡量")
TYPICAL_FACTOR = Text("typically off by a factor of {x}", "通常相差 {x} 倍")
TYPICAL_RANGE = Text("typically off by {x} of the range", "通常偏差为取值范围的 {x}")
MIDDLE_FACTOR = Text("half of the guesses lie between {low} and {high} times the truth", "一半的猜测在实际值的 {low} 倍到 {high} 倍之间")  # fmt: skip
MIDDLE_RANGE = Text("half of the errors lie between {low} and {high} of the range", "一半的偏差在取值范围的 {low} 到 {high} 之间")  # fmt: skip
DIRECTION = Text("too high: {high}, too low: {low}; the middle one: {bias}", "偏高 {high} 次，偏低 {low} 次；居中的一次：{bias}")  # fmt: skip
BIAS_FACTOR = Text("{x} times the truth", "实际值的 {x} 倍")
BIAS_RANGE = Text("off by {x} of the range", "偏差为取值范围的 {x}")
WITHIN_FACTOR = Text("within 10%: {near} of {n}; within a factor of 2: {two} of {n}", "相差 10% 以内：{near} / {n}；2 倍以内：{two} / {n}")  # fmt: skip
WITHIN_RANGE = Text("within 10% of the range: {near} of {n}", "偏差在取值范围的 10% 以内：{near} / {n}")
TREND = Text("earlier half of them: {before}; later half: {after}", "前一半：{before}；后一半：{after}")
BY_TOPIC = Text("By topic", "按主题")
BY_DEMO = Text("By demonstration", "按演示")
SHORT_FACTOR = Text("×{x}", "{x} 倍")
SHORT_RANGE = Text("{x} of the range", "范围的 {x}")
LEFT_OUT = Text(
    "Left out: {again} made after the outcome had been shown, {none} with no factor (a zero or a sign too many).",
    "未计入：看过结果之后再猜的 {again} 次，求不出倍数（零或符号相反）的 {none} 次。",
)
