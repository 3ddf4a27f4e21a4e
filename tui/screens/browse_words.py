"""The keys of the list of cards, and what its filters are called."""

from __future__ import annotations

from engine.text import Text
from tui.commands import Command
from tui.screens.glossary_words import GLOSSARY_KEY
from tui.screens.sheets_words import SHEET_KEY

STUDY = Command(
    "study",
    ("s",),
    Text("Study these", "学习这些"),
    Text("review what is due of these cards, then new ones", "复习其中到期的，再学新卡"),
    2,
)
FIND = Command(
    "find",
    ("slash",),
    Text("Find", "查找"),
    Text("type words in either language; the list follows", "输入中文或英文，列表随之变化"),
    1,
)
BY_TOPIC = Command(
    "pick('topic')", ("t",), Text("Topic", "主题"), Text("only cards of one topic", "只看某个主题的卡片"), 3
)
BY_LEVEL = Command(
    "pick('level')", ("l",), Text("Level", "难度"), Text("only cards of one level", "只看某个难度的卡片"), 4
)
BY_VERDICT = Command(
    "pick('verdict')",
    ("v",),
    Text("Verdict", "判定"),
    Text("only cards whose popular answer is so far true", "只看通行答案属于某种判定的卡片"),
    5,
)
BY_DEMO = Command(
    "pick('demo')",
    ("d",),
    Text("Demo", "演示"),
    Text("only cards that one demonstration backs", "只看由某个演示支撑的卡片"),
    6,
)
BY_SET = Command(
    "pick('set')",
    ("c",),
    Text("Set", "卡片集"),
    Text("only the cards of a set, in its order", "只看某个卡片集，按其顺序"),
    8,
)
SHEET = SHEET_KEY._replace(
    help=Text("an answer sheet of the cards listed", "把列出的卡片导出为答案册"), footer=3
)
BY_MARK = Command(
    "pick('mark')",
    ("m",),
    Text("Mark", "标记"),
    Text("only cards bookmarked, with a note, put off, or forgotten again and again", "只看有书签、有笔记、搁置、暂停或屡学屡忘的卡片"),
    9,
)  # fmt: skip
CLEAR = Command(
    "clear",
    ("x",),
    Text("Show all", "显示全部"),
    Text("drop the words and every filter", "清除查找的文字与全部筛选"),
    7,
)

OPEN_FOUND = Command(
    "open_found",
    ("enter",),
    Text("Open", "打开"),
    Text("open what the cursor is on", "打开光标所在的一项"),
    9,
    palette=False,
)

BROWSING = (
    FIND, STUDY, SHEET, BY_TOPIC, BY_LEVEL, BY_VERDICT, BY_DEMO, BY_SET, BY_MARK, GLOSSARY_KEY._replace(footer=0), CLEAR,
    OPEN_FOUND,
)  # fmt: skip

NAMES = {
    "topic": Text("Topic", "主题"),
    "level": Text("Level", "难度"),
    "verdict": Text("Verdict", "判定"),
    "demo": Text("Demonstration", "演示"),
    "set": Text("Set", "卡片集"),
    "mark": Text("Mark", "标记"),
}

FURTHER = Text(
    "{n:,} more come as you go down; <key:find> or a filter gets there sooner.",
    "后面还有 {n:,} 张，向下移动便会列出；按 <key:find> 查找或用筛选更快。",
)
