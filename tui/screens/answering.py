"""What a person can do with a question, in a self-test and in study."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from engine.text import Text
from tui import messages
from tui.commands import Command

if TYPE_CHECKING:
    from quizbank.drills.graded import Tick
    from tui.widgets.answer_panel import AnswerPanel

LETTERS = "abcdefgh"
CHOOSE = Text("Choose", "直接选")
PICKS = tuple(
    Command(
        f"pick({place})",
        # the options are labelled in capitals
        (letter, str(place + 1), letter.upper()),
        Text(f"Option {letter.upper()}", f"选项 {letter.upper()}"),
        Text(f"answer with option {letter.upper()}", f"选择选项 {letter.upper()}"),
        footer=2,
        palette=False,
        together=CHOOSE,
    )
    for place, letter in enumerate("abcde")
)
TOGGLE = Command(
    "tick",
    ("space",),
    Text("Tick", "勾选"),
    Text("say whether this point was in your answer", "标记你的回答是否包含这一点"),
    1,
)
SKIP = Command(
    "skip",
    ("n", "right", "f7"),
    Text("Skip", "跳过"),
    Text("to the next question without an answer", "不作答，到下一题"),
    3,
)
BACK = Command(
    "previous",
    ("p", "left", "f6"),
    Text("Previous", "上一题"),
    Text("to the question before", "回到上一题"),
    4,
)
FLAG = Command(
    "flag",
    ("f", "f5"),
    Text("Flag", "标记"),
    Text("mark this question to come back to, or unmark it", "给本题做标记以便回看，或取消标记"),
    5,
)
EDIT = Command(
    "edit",
    ("enter", "i"),
    Text("Change", "修改"),
    Text("change what was typed here", "修改此处已填的答案"),
    2,
)
HAND_IN = Command(
    "hand_in",
    ("h", "f8"),
    Text("Hand in", "交卷"),
    Text("end the self-test; what was answered counts", "结束自测，已答的计分"),
    6,
)


def to_tick(points: Iterable[Tick]) -> Text:
    """What to do with the points of a recall; where some are ticked already, that this is a proposal."""
    return messages.TICK_PROPOSED if any(point.proposed for point in points) else messages.TICK


class BesideEditor:
    """A screen with an :class:`AnswerPanel`: its program runs and is handed in from beside the editor too."""

    if TYPE_CHECKING:

        @property
        def panel(self) -> AnswerPanel: ...

    def action_run(self) -> None:
        if self.panel.program is not None:
            self.panel.program.action_run()

    def action_done(self) -> None:
        if self.panel.program is not None:
            self.panel.program.action_done()
