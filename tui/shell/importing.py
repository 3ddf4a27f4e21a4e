"""`import`: a foreign file of questions and answers into a deck of one's own, accounted for line by line."""

from __future__ import annotations

import sys
from pathlib import Path

from engine.text import Language, Text
from quizbank.fault import Fault, shown
from quizbank.importing.deck import import_deck

_TAKEN = Text("{where}: taken as {id}: {question}", "{where}：已导入为 {id}：{question}")
_LEFT = Text("left out: {why}", "未导入：{why}")
_REMARK = Text("taken, but: {why}", "已导入，但：{why}")
_SUM = Text("{path}: {n} {n:card|cards}, {left} left out", "{path}：{n} 张卡片，{left} 处未导入")
_NEXT = Text(
    "study them with --deck {path}, or name the file under decks in the settings",
    "用 --deck {path} 学习，或把该文件写入设置中的 decks",
)


def import_(file: Path, output: Path, topic: str, force: bool, lang: Language) -> int:
    """Write the deck and say of each question what became of it.

    Raises:
        InputError: as :func:`quizbank.importing.deck.import_deck`.
    """
    done = import_deck(file, output, topic, force)
    for where, id_, question in done.taken:
        print(_TAKEN.filled(where=where, id=id_, question=shown(question, 60)).of(lang), file=sys.stderr)
    for text, faults in ((_REMARK, done.remarks), (_LEFT, done.left)):
        for fault in faults:
            told = Fault(
                fault.where, Text(text.en.format(why=fault.what.en), text.zh.format(why=fault.what.zh))
            )
            print(told.line(lang), file=sys.stderr)
    path = shown(output, 300)
    print(_SUM.filled(path=path, n=len(done.taken), left=len(done.left)).of(lang), file=sys.stderr)
    print(_NEXT.filled(path=path).of(lang), file=sys.stderr)
    return 0
