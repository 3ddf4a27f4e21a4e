"""The lab's keys and words."""

from __future__ import annotations

from engine.text import Text
from tui.commands import Command

PREDICT = Command(
    "predict", ("p",), Text("Predict", "先猜"),
    Text("hide the outcome and guess it at this setting", "隐藏结果，先猜这组参数下的数值"), 21,
)  # fmt: skip
REVEAL = Command(
    "reveal",
    ("enter",),
    Text("Show", "显示结果"),
    Text("show the outcome, beside your guess if one is typed", "显示结果；填了猜测则一并对照"),
    19,
    palette=False,
)
SAMPLE = Command(
    "sample",
    ("n",),
    Text("New sample", "新样本"),
    Text("draw again with the next seed", "换下一个随机种子重新抽样"),
    22,
)
RESET_ALL = Command(
    "reset_all",
    ("x",),
    Text("Reset all", "全部复位"),
    Text("all sliders and the seed as they were", "全部滑块与种子恢复原状"),
    23,
)
FIGURE = Command("figure", ("v",), Text("Figure", "图"), Text("the next figure", "下一幅图"), 24)
ZOOM = Command(
    "zoom",
    ("z",),
    Text("Zoom", "放大"),
    Text("the figure alone on the screen, and back", "让图占满屏幕，再按一次还原"),
    25,
)
NEXT_SLIDER = Command(
    "slider(1)",
    ("down", "j"),
    Text("Next slider", "下一个滑块"),
    Text("to the slider below", "移到下一个滑块"),
    palette=False,
)
PREVIOUS_SLIDER = Command(
    "slider(-1)",
    ("up", "k"),
    Text("Slider before", "上一个滑块"),
    Text("to the slider above", "移到上一个滑块"),
    palette=False,
)
PIN = Command(
    "pin",
    ("b",),
    Text("Pin", "固定"),
    Text(
        "keep what is drawn behind what comes next; again lets go of it",
        "把当前图形留作后续的对照；再按一次取消",
    ),
    26,
)
SWEEP = Command(
    "sweep",
    ("w",),
    Text("Sweep", "扫描"),
    Text(
        "carry this slider through its range and draw the headline over it; again stops",
        "让当前滑块走遍取值范围，画出主要结果的变化；再按一次停止",
    ),
    27,
)
COPY_CALL = Command(
    "copy('call')",
    ("y",),
    Text("Copy call", "复制命令"),
    Text("copy the shell call that gives what is shown", "复制得到同样结果的 shell 命令"),
    28,
)
COPY_VALUES = Command(
    "copy('values')",
    ("Y",),
    Text("Copy values", "复制数值"),
    Text("copy parameters, headline and checks as JSON", "以 JSON 复制参数、主要结果与检验"),
)
STEP = Command(
    "derive_step",
    ("space",),
    Text("Next step", "下一步"),
    Text("the next step of the derivation beneath the figure", "图下方推导的下一步"),
    20,
)

FOUND = Text("{n} of {of}", "{n} / {of}")
NONE_FOUND = Text("No demonstration is named or described so.", "没有这样的演示。")
PINNED = Text("Pinned: `{call}`", "已固定：`{call}`")
SWEEPING = Text("Sweep over {name}: {done} of {all} runs", "扫描“{name}”：已运行 {done} / {all} 次")
SWEPT = Text(
    "Sweep over {name}: {all} runs; <key:lab.sweep> goes back to the figure",
    "扫描“{name}”：共运行 {all} 次；按 <key:lab.sweep> 回到原图",
)
SWEEP_STOPPED = Text(
    "The sweep over {name} is stopped, after {done} of {all} runs.",
    "对“{name}”的扫描已停止，运行了 {done} / {all} 次。",
)
COPIED = Text(
    "Copied: {copied}\nIf pasting gives nothing, this terminal does not pass copies on (OSC 52).",
    "已复制：{copied}\n如果粘贴不出内容，说明当前终端不传递复制内容（OSC 52）。",
)
