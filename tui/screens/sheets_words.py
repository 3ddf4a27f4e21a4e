"""What the screens of answer sheets say."""

from __future__ import annotations

from engine.text import Text, same
from tui.commands import Command

HEADING = Text("Answer sheets", "答案册")
SHEET_KEY = Command("export", ("e",), Text("Sheet", "导出"), Text("as an answer sheet", "导出为答案册"))
ABOUT = Text(
    "<key:up> <key:down> choose a field, <key:picker.change-back> <key:picker.change> change it, <key:write> writes the sheet; how it begins stands below, <key:page-down> and <key:preview> show more of "
    "it. A file that is already there is only replaced after asking.",
    "<key:up> <key:down> 选择栏目，<key:picker.change-back> <key:picker.change> 更改取值，<key:write> 写出答案册；下方是它的开头，<key:page-down> 与 <key:preview> 可看更多。已有的文件会先询问再覆盖。",
)
WHAT = Text("What", "范围")
ALL_CARDS = Text("the whole bank", "整个题库")
CARDS = Text("{n} {n:card|cards}", "{n} 张卡片")
PAPER_NAME = Text("paper {form}", "试卷 {form}")
SESSION_NAME = Text("self-test {form} of {day}", "{day} 的自测 {form}")
MODE = Text("Contents", "内容")
MODES = {
    "embedded": Text("questions with their answers", "问题附答案"),
    "paper": Text("questions only, with room to write", "只有问题，留出作答空间"),
    "key": Text("answers only", "只有答案"),
}
AS_ANSWERED = Text("your answers beside the key", "你的作答与参考答案对照")
FORMAT = Text("Format", "格式")
NEEDS = Text("{format} (not installed)", "{format}（未安装）")
INSTALL = Text(
    "{format} needs an extra that is not installed here. In the shell: {line}",
    "{format} 需要一个尚未安装的可选组件。请在命令行中执行：{line}",
)
FLAVOUR = Text("Formulas as", "公式写法")
FLAVOURS = {
    "github": Text("GitHub shows them", "GitHub 能显示的写法"),
    "plain": Text("plain dollars: Obsidian, Typora, pandoc", "美元符号：Obsidian、Typora、pandoc"),
}
SIZE = Text("Paper size", "纸张")
SIZES = {"a4": same("A4"), "letter": same("Letter")}
LANGUAGE = Text("Language", "语言")
BOTH = Text("both", "双语")
PATH = Text("File", "文件")
NO_PATH = Text("Name a file to write to.", "请填写要写入的文件名。")
REPLACE = Text(
    "{path} is already there. <key:write> again replaces it.",
    "{path} 已存在。再按一次 <key:write> 将覆盖它。",
)
WRITING = Text("Writing: {percent}%. <key:back> stops it.", "正在写出：{percent}%。按 <key:back> 停止。")
WRITING_CARD = Text(
    "Card {done} of {cards}: computing its numbers, deciding its proofs. <key:back> stops it.",
    "第 {done} 张卡片，共 {cards} 张：正在计算数值、判定证明。按 <key:back> 停止。",
)
STOPPING = Text("Stopping…", "正在停止……")
NOT_WRITTEN = Text("Stopped. Nothing was written.", "已停止，没有写出任何内容。")
WRITTEN = Text("Written: {path} ({size} kB).", "已写出：{path}（{size} kB）。")
OPEN_OR_COPY = Text(
    "<key:open> opens it, <key:copy-path> copies its path.",
    "按 <key:open> 打开，按 <key:copy-path> 复制路径。",
)
COPY_ONLY = Text(
    "There is no desktop here to open it on; <key:copy-path> copies its path.",
    "此处没有可用来打开它的桌面环境；按 <key:copy-path> 复制路径。",
)
OPENED = Text("handed to the desktop", "已交给桌面程序打开")
COPIED = Text(
    "The path was sent to the clipboard of your terminal (OSC 52). If pasting gives something else, your terminal "
    "does not take it: select the path with the mouse.",
    "路径已通过 OSC 52 送往终端的剪贴板。若粘贴出来的不是它，说明终端不支持，请用鼠标选取路径。",
)
LAYING_OUT = Text("preparing the first pages…", "正在准备开头几页……")
NO_PREVIEW = Text("The first pages cannot be shown: {why}", "无法显示开头几页：{why}")

# Choosing what goes on the sheet
CHOOSE = Text("What goes on the sheet", "答案册的范围")
CHOOSE_ABOUT = Text(
    "<key:menu.open> takes what is under the cursor; <key:tick> ticks several topics first. <key:back> changes nothing.",
    "<key:menu.open> 选定光标所在的一项；可先用 <key:tick> 勾选多个主题。<key:back> 不作改动。",
)
PICK = Text("Take", "选定")
PICK_HELP = Text("put this on the sheet and go back", "以此为范围并返回")
TOPICS = Text("Topics", "主题")
SETS = Text("Sets", "卡片集")
PAPERS = Text("Papers", "试卷")
SESSIONS = Text("Self-tests", "自测")
DRAW = Text("Draw a paper to print, without sitting it", "现在组一份试卷用来打印，不作答")
UNFINISHED = Text("not handed in yet", "尚未交卷")
