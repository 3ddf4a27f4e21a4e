"""The key points that were in an answer, by their numbers."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import Protocol

from engine.text import Text
from tui.lines import words
from tui.lines.talk import Talk


class Point(Protocol):
    """A key point, of a card or of an answer that was graded."""

    @property
    def id(self) -> str: ...

    @property
    def text(self) -> Text: ...


def ticked(points: Sequence[Point], proposed: Collection[str], talk: Talk) -> set[str] | None:
    """The ids of those that the person says were there; None at the end of the input. Enter takes the proposed."""
    for number, point in enumerate(points, 1):
        talk.tell(point.text.of(talk.language), f"{number}. ")
    usual = [str(number) for number, point in enumerate(points, 1) if point.id in proposed]
    while True:
        typed = talk.ask(words.TICK, proposed=" ".join(usual) or words.NONE)
        if typed is None:
            return None
        numbers = set(re.findall(r"\d+", typed)) if typed else set(usual)
        if (typed and not numbers) or not numbers <= {str(n) for n in range(len(points) + 1)}:
            talk.say(words.NOT_A_POINT, n=len(points))
            continue
        return {point.id for number, point in enumerate(points, 1) if str(number) in numbers}
