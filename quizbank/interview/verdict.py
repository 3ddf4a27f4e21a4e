"""How an interview went, level by level: what was said of what there was to say, and in what time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from engine.text import Text
from quizbank.interview.plan import LEVELS, LIMIT_MS, Turn

Standing = Literal["holds", "shaky", "breaks"]

HOLDS_FROM = 0.8
"""Share of what there was to say from which a level holds."""
SHAKY_FROM = 0.5

SELF_MARKS: dict[str, float] = {"said": 1.0, "partly": 0.5, "not": 0.0}
"""What an answer without key points counts as the person marks it."""


@dataclass(frozen=True)
class Mark:
    """One answer. ``said`` of ``out_of`` key points, or a self-mark as a share of 1; ``used_ms`` of speaking."""

    turn: Turn
    said: float
    out_of: int
    used_ms: int

    @property
    def share(self) -> float:
        return self.said / self.out_of


@dataclass(frozen=True)
class LevelVerdict:
    """The verdict on one level: the mean share of its answers, and the time they took together."""

    level: int
    marks: tuple[Mark, ...]

    @property
    def share(self) -> float:
        return sum(mark.share for mark in self.marks) / len(self.marks)

    @property
    def used_ms(self) -> int:
        return sum(mark.used_ms for mark in self.marks)

    @property
    def limit_ms(self) -> int:
        return LIMIT_MS * len(self.marks)

    @property
    def over(self) -> tuple[Mark, ...]:
        """Answers that took longer than the thirty seconds."""
        return tuple(mark for mark in self.marks if mark.used_ms > LIMIT_MS)

    @property
    def standing(self) -> Standing:
        if self.share >= HOLDS_FROM:
            return "holds"
        return "shaky" if self.share >= SHAKY_FROM else "breaks"

    @property
    def weakest(self) -> Mark:
        """The answer that said least; of equals the one that took longest."""
        return min(self.marks, key=lambda mark: (mark.share, -mark.used_ms))

    @property
    def advice(self) -> Text:
        """What to do about it, in a sentence."""
        if self.standing == "holds":
            return _TOO_LONG if self.over else _GO_ON
        return _ADVICE[self.weakest.turn.kind]

    def as_json(self) -> dict[str, Any]:
        return {
            "level": self.level,
            "standing": self.standing,
            "share": self.share,
            "used_seconds": self.used_ms / 1000,
            "limit_seconds": self.limit_ms / 1000,
            "advice": {"en": self.advice.en, "zh": self.advice.zh},
            "answers": [
                {
                    "kind": mark.turn.kind, "card": mark.turn.card, "part": mark.turn.part,
                    "said": mark.said, "of": mark.out_of, "used_seconds": mark.used_ms / 1000,
                }
                for mark in self.marks
            ],
        }  # fmt: skip


def verdicts(marks: Sequence[Mark]) -> tuple[LevelVerdict, ...]:
    """A verdict for each level that was answered, in order."""
    by_level = ((level, tuple(mark for mark in marks if mark.turn.level == level)) for level in LEVELS)
    return tuple(LevelVerdict(level, of_level) for level, of_level in by_level if of_level)


def to_review(marks: Sequence[Mark]) -> tuple[str, ...]:
    """The cards behind answers that did not hold, each once, the weakest first."""
    weak = sorted((mark for mark in marks if mark.share < HOLDS_FROM), key=lambda mark: mark.share)
    return tuple(dict.fromkeys(mark.turn.card for mark in weak))


_GO_ON = Text("Said in full and in time; nothing to mend here.", "要点齐全，用时也在限内；这一层无须补。")
_TOO_LONG = Text(
    "All of it came, but not in thirty seconds: practise the spoken answer until it fits.",
    "内容都说到了，但超出三十秒：对照口述答案多练几遍，直到说得进去。",
)
_FOLLOW_UP = Text(
    "Read the card's follow-ups and answer each aloud; this is where the interviewer went on asking.",
    "打开卡片的“追问”，逐一开口回答；面试官正是从这里往下问的。",
)
_ADVICE: dict[str, Text] = {
    "opening": Text(
        "Go back to the card: say the spoken answer until every key point is in it.",
        "回到卡片本身：反复说口述答案，直到每个要点都在里面。",
    ),
    "why": _FOLLOW_UP,
    "what-if": _FOLLOW_UP,
    "follow-up": _FOLLOW_UP,
    "prove-it": Text(
        "Go through the derivation a step at a time, and write the next line before you show it.",
        "把推导一步一步过一遍，先自己写出下一行，再揭示。",
    ),
    "what-breaks": Text(
        "Learn what refutes the popular version: open the lab and move the sliders until it fails.",
        "记住证伪流行误解的依据：打开实验室，拖动滑块直到它失效。",
    ),
}
