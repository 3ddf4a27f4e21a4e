"""The words of the glossary screen, and the command that opens it from elsewhere."""

from __future__ import annotations

from engine.text import Text
from tui.commands import Command

GLOSSARY = Text("Glossary", "术语")
ABOUT = Text(
    "Type a term or an abbreviation in either language; the list follows every key. <key:open> opens the card that "
    "explains the term, where there is one.",
    "输入中文或英文术语、缩写，列表随键入即时变化。有卡片讲解的术语，按 <key:open> 打开。",
)
HINT = Text("a term, in English or Chinese", "输入术语，中英文均可")
COUNT = Text("{n} of {of}", "{n} / {of}")
CLEAR_HELP = Text("drop the words", "清除查找的文字")
NONE = Text("No term is called or explained so.", "没有这样的术语。")
NO_CARD = Text("No card is about {term} alone.", "没有专讲“{term}”的卡片。")

GLOSSARY_KEY = Command(
    "glossary",
    ("y",),
    Text("Glossary", "术语"),
    Text("the terms of the field in both languages, each explained", "领域术语的中英对照与解释"),
    9,
)
