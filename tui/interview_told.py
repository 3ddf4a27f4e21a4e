"""How an interview went, in words: one text for the app and for line by line. No Textual."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.text import Text
from quizbank.interview.verdict import SELF_MARKS
from tui.screens import interview_words as words

if TYPE_CHECKING:
    from quizbank.interview.session import Interview
    from quizbank.interview.verdict import LevelVerdict, Mark


def facts(verdict: LevelVerdict) -> Text:
    """What a level's verdict rests on: the share that was said, and the time it took."""
    return words.LEVEL_FACTS.filled(
        share=f"{verdict.share:.0%}",
        used=round(verdict.used_ms / 1000),
        limit=verdict.limit_ms // 1000,
    )


def answer(mark: Mark) -> Text:
    """One answer: what it was asked as, how much of it was said, and in what time."""
    kind = words.KIND[mark.turn.kind]
    if mark.turn.kind in ("opening", "what-breaks"):
        said = words.POINTS.filled(said=f"{mark.said:g}", all=mark.out_of)
    else:
        said = words.SAID[next(name for name, share in SELF_MARKS.items() if share == mark.share)]
    used = round(mark.used_ms / 1000)
    return Text(
        words.MARK_LINE.en.format(kind=kind.en, said=said.en, used=used),
        words.MARK_LINE.zh.format(kind=kind.zh, said=said.zh, used=used),
    )


def ended(held: Interview) -> Text:
    """What an interview leaves behind that is ended before its last question."""
    if not held.marks:
        return words.ENDED_EMPTY
    return words.ENDED.filled(n=len(held.marks), all=len(held.turns))


def call(opening: str, seed: int) -> str:
    """The shell's call that asks the same questions again."""
    return f"proofdeck interview --card {opening} --seed {seed}"
