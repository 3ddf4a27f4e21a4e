"""The keys that work on the card in sight, on whatever screen it is."""

from __future__ import annotations

from engine.text import Text
from tui.commands import Command

BURY = Command(
    "bury",
    ("B",),
    Text("Bury", "搁置"),
    Text(
        "ask this card no more today; tomorrow it comes as its schedule says",
        "今天不再问这张卡片，明天起照常",
    ),
    51,
)
SUSPEND = Command(
    "suspend_card",
    ("S",),
    Text("Suspend/resume", "暂停/恢复"),
    Text("ask this card no more, or ask it again as its schedule says", "不再问这张卡片；已暂停的则恢复提问"),
    52,
)
BOOKMARK = Command(
    "bookmark",
    ("M",),
    Text("Bookmark", "书签"),
    Text("put a bookmark on this card, or take it off", "给这张卡片加上或去掉书签"),
    53,
)
NOTE = Command(
    "note",
    ("N",),
    Text("Note", "笔记"),
    Text("your own note, shown under the answer", "写自己的笔记，显示在回答下方"),
    54,
)
REPORT = Command(
    "report_card",
    ("W",),
    Text("Something is wrong", "报错"),
    Text("say what is wrong with this card; it is kept for its author", "写明这张卡片哪里有误，留给作者"),
)
EDIT = Command(
    "edit_card",
    ("E",),
    Text("Open in editor", "编辑器"),
    Text("open the card's entry in $EDITOR; shipped cards as a copy to read", "在 $EDITOR 中打开这张卡片的条目；内置卡片打开只读副本"),
)  # fmt: skip
MARKING = (BURY, SUSPEND, BOOKMARK, NOTE, REPORT, EDIT)
KEEP = Command(
    "keep",
    ("enter",),
    Text("Keep", "保存"),
    Text("keep what is written and go back", "保存写下的内容并返回"),
    1,
    everywhere=True,
)
