"""What the screen of the settings says."""

from __future__ import annotations

from engine.text import Text
from tui.commands import Command

HEADING = Text("Settings", "设置")
ABOUT = Text(
    "A change is kept at once: a choice when it is made, what is typed with Enter.",
    "修改立即保存：选项一改即存，输入的内容按 Enter 保存。",
)
SETTINGS_KEY = Command(
    "settings",
    ("comma",),
    HEADING,
    Text("language, theme, daily limits, interview date, your own decks", "语言、主题、每日上限、面试日期、自备卡片"),
    61,
)  # fmt: skip
GO = Command("go", ("enter",), Text("Keep", "保存"), Text("keep what is typed", "保存输入的内容"), 1)
NAMES = {
    "language": Text("Language", "语言"),
    "theme": Text("Theme", "主题"),
    "plain": Text("Shell plots", "命令行画图"),
    "desired_retention": Text("Retention", "目标保持率"),
    "new_per_day": Text("New a day", "每天新卡"),
    "reviews_per_day": Text("Reviews a day", "每天复习"),
    "leech_lapses": Text("Leech after", "屡忘次数"),
    "minutes_a_day": Text("Minutes a day", "每天分钟数"),
    "interview_date": Text("Interview", "面试日期"),
    "decks": Text("Own decks", "自备卡片"),
}
MEANT = {
    "plain": Text(
        "Without plots the shell prints numbers and texts only, and study, test and interview go line by line.",
        "不画图时，命令行只输出数字和文字，study、test 与 interview 逐行进行。",
    ),
    "interview_date": Text(
        "The day of the interview, such as 2027-01-15; empty where there is none yet.",
        "面试日期，如 2027-01-15；尚未确定则留空。",
    ),
    "decks": Text(
        "Your own cards: folders or files beside the shipped ones, such as ~/my-cards. A relative path starts at the folder of the settings.",
        "你自己的卡片：内置题库之外的文件夹或文件，如 ~/my-cards。相对路径从设置所在的文件夹算起。",
    ),
}
"""What a setting means, where the file says it of its own way of writing values."""
CHOICES = {
    "language": (("auto", Text("as the system", "随系统")), ("zh", Text("中文", "中文")), ("en", Text("English", "English"))),
    "theme": (("auto", Text("as the terminal", "随终端")), ("light", Text("light", "浅色")), ("dark", Text("dark", "深色"))),
    "plain": (("false", Text("drawn", "画图")), ("true", Text("without plots", "不画图"))),
}  # fmt: skip
TYPED = tuple(name for name in NAMES if name not in CHOICES)
KEPT = Text("kept in {path}", "已保存到 {path}")
NOT_A_NUMBER = Text("{given} is not a number", "{given} 不是数")
MANY = Text("several with a semicolon between", "多个之间用分号隔开")
