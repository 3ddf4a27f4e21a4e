"""What the derivation workbench says."""

from __future__ import annotations

from engine.text import Text
from tui.commands import Command

WORKBENCH = Text("Derive", "动手推导")
LINE = Text("Derive: line by line, each line judged at once", "动手推导：写一行，判一行")
LIST_ABOUT = Text(
    "Pick a derivation, or type a start and a goal of your own. Nothing here is scored.",
    "选一道推导题，或自拟起始式与目标式。这里不计分。",
)
CARD_LIST_ABOUT = Text("The derivations of this card.", "这张卡片的推导题。")
OWN_LINE = Text("A start and a goal of your own", "自拟起始式与目标式")
NONE_FOUND = Text("No derivation is named or asked for so.", "没有这样的推导。")
NONE_YET = Text("No card here has a derivation yet.", "这里还没有带推导题的卡片。")
KEPT_HEADING = Text("Kept", "已保存")
KEPT_COUNT = Text("{n} kept", "已保存 {n} 份")
COMPLETE = Text("✓ complete", "✓ 完成")
UNFINISHED = Text("unfinished", "未完成")
LINES = Text("{n} {n:line|lines}", "{n} 行")
FROM_TO = Text("from `{start}` to `{goal}`", "从 `{start}` 到 `{goal}`")
REMOVE_AGAIN = Text("{key} again takes this derivation out.", "再按一次 {key} 删除这份推导。")
REMOVED = Text("taken out", "已删除")

OWN = Text("Your own derivation", "自拟推导")
OWN_ABOUT = Text(
    "Declare every name with its kind, as in `d_k=dim`, `sigma=pos`, `i=index`. Kinds: `real`, `pos`, `prob`, `posint`, `nat0`, `dim`, `index`, `vec:real`, and `mat:r,c` for matrices.",
    "每个名称都要声明类型，如 `d_k=dim`，`sigma=pos`，`i=index`。类型有 `real`、`pos`、`prob`、`posint`、`nat0`、`dim`、`index`、`vec:real`；矩阵写 `mat:r,c`。",
)
START = Text("Start", "起始式")
GOAL = Text("Goal", "目标式")
NAMES = Text("Names", "名称")
MODE = Text("Lines are", "每行是")
WHERE = Text("Sum to one", "和为一的向量")
START_HINT = Text("e.g. sum(sigma^4, i, 1, d_k)", "如 sum(sigma^4, i, 1, d_k)")
GOAL_HINT = Text("e.g. d_k*sigma^4", "如 d_k*sigma^4")
NAMES_HINT = Text("e.g. d_k=dim, sigma=pos, i=index", "如 d_k=dim，sigma=pos，i=index")
WHERE_HINT = Text("vectors, with commas; or nothing", "向量名，用逗号分隔；可留空")
MODES = {
    "symbolic": Text("formulas of numbers", "标量式"),
    "matrix": Text("formulas of matrices", "矩阵式"),
}
FIELDS = {"start": START, "goal": GOAL, "names": NAMES, "where": WHERE, "mode": MODE}
FAULT = Text("{field}: {what}", "{field}：{what}")
NAME_FAULT = Text("write name=kind, not {given}", "应写成 名称=类型，而不是 {given}")
CHECKING = Text("checking that start and goal are equal…", "正在检查起始式与目标式是否相等……")

DERIVE_ABOUT = Text(
    "Type the next line and press Enter; it is judged against the line before. <key:lines.hint> shows the next line of one way, at no cost here. <key:keep> keeps what stands there.",
    "输入下一行后按 Enter，程序会对照上一行判定。<key:lines.hint> 显示一种推法的下一行，在这里不扣分。<key:keep> 保存当前的推导。",
)
DONE = Text("✓ Complete. <key:keep> keeps it.", "✓ 完成。按 <key:keep> 保存。")
DONE_KEPT = Text("✓ Complete, and kept.", "✓ 完成，已保存。")
NOT_DONE = Text("Not complete yet: {reason}", "还没有完成：{reason}")
NOT_DONE_AT = Text("Not complete yet: line {n} does not follow.", "还没有完成：第 {n} 行不成立。")
KEPT = Text("kept with the card", "已与卡片一同保存")
KEPT_OWN = Text("kept", "已保存")
NOTHING_TO_KEEP = Text("no line stands there yet", "还没有写任何一行")
NOT_KEPT = Text(
    "These lines are not kept: <key:keep> keeps them, <key:back> again leaves them.",
    "这些推导尚未保存：按 <key:keep> 保存，再按一次 <key:back> 放弃。",
)
CARD_KEPT = Text("Derivations you kept", "你保存的推导")

WORKBENCH_KEY = Command(
    "workbench",
    ("w",),
    Text("Derive", "动手推导"),
    Text("derive line by line, each line judged at once", "逐行推导，每一行当场判定"),
    8,
)
