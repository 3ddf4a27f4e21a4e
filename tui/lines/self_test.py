"""Sitting a paper, a line at a time; every answer is stored and graded as on the screen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.errors import InputError
from quizbank import labels
from tui import answer_messages
from tui.answer_text import symbols_prose
from tui.lines import words
from tui.lines.talk import Talk
from tui.lines.ticking import ticked

if TYPE_CHECKING:
    from quizbank.papers.sitting import Sitting
    from tui.asking import Asked
    from tui.workspace import Workspace

LETTERS = "abcdefghi"


def self_test(workspace: Workspace, sitting: Sitting, talk: Talk) -> None:
    """Ask every question until all have an answer, time is up, or the person ends the paper (q) and hands it in.

    At the end of the input the paper stays open, to be resumed; on Ctrl+C too, which is passed on.

    Raises:
        InputError: the results cannot be written.
    """
    if sitting.paper.shortfall is not None:
        talk.say(sitting.paper.shortfall)
    while sitting.running and sitting.unanswered:
        try:
            going = _one(workspace, sitting, talk)
        except InputError as error:
            # time is up, or a drill is gone: said, and the paper goes on where it can
            talk.tell(error.line(talk.language))
            if sitting.running:
                sitting.skip()
            continue
        except KeyboardInterrupt:
            # the line that was being typed stands there unfinished
            print()
            talk.say(words.LEFT_OPEN)
            raise
        if going is None:
            talk.say(words.LEFT_OPEN)
            return
        if not going:
            break
    sitting.hand_in()


def _one(workspace: Workspace, sitting: Sitting, talk: Talk) -> bool | None:
    """One question; False where the person ends the paper, None at the end of the input."""
    question = sitting.question
    asked = workspace.asked(question.variant)
    print()
    talk.say(
        words.NUMBER,
        n=sitting.position + 1,
        all=len(sitting.paper.questions),
        kind=labels.KIND[question.variant.kind],
        topic=labels.TOPIC[question.topic],
        left=_left(sitting, talk),
    )
    talk.tell(asked.question.of(talk.language))
    _more(asked, talk)
    typed = _typed(asked, talk)
    if typed is None or typed == "q":
        return None if typed is None else False
    if typed == ("s" if asked.kind == "recall" else ""):
        _onward(sitting, talk)
        return True
    graded = sitting.answer(typed)
    if graded.outcome == "not-understood":
        talk.say(answer_messages.NOT_UNDERSTOOD_YET, reason=graded.feedback[0])
        return True
    if graded.outcome == "to-tick":
        points = ticked(graded.ticks, {point.id for point in graded.ticks if point.proposed}, talk)
        if points is None:
            return None
        sitting.tick_points(points)
    talk.say(words.STORED)
    _onward(sitting, talk)
    return True


def _onward(sitting: Sitting, talk: Talk) -> None:
    """To the next question without an answer; that one asked before comes round again is said."""
    left = len(sitting.unanswered)
    at = sitting.position
    if left:
        sitting.skip()
        if sitting.position <= at:
            talk.say(words.STILL_OPEN, n=left)


def _left(sitting: Sitting, talk: Talk) -> str:
    left = sitting.remaining_ms
    if left is None:
        return ""
    return talk.words(words.LEFT, minutes=left // 60_000, seconds=left // 1000 % 60)


def _more(asked: Asked, talk: Talk) -> None:
    """What stands under a question: options, names, the start and the goal of a derivation, a function's task."""
    for letter, (_, text) in zip(LETTERS, asked.options, strict=False):
        talk.tell(text.of(talk.language), f"{letter}. ")
    for text in asked.more(talk.language):
        talk.tell(text)
    drill = asked.drill
    if drill.kind == "derivation":
        talk.tell(symbols_prose(drill.symbols, drill.where, talk.language))
        talk.say(words.START, start=drill.start)
        talk.say(answer_messages.GOAL, goal=drill.goal)
    if asked.specification is not None:
        print(asked.specification.signature)
    if asked.unit:
        talk.say(words.UNIT, unit=asked.unit)


def _typed(asked: Asked, talk: Talk) -> str | None:
    """The answer as the grader takes it."""
    if asked.kind in ("derivation", "code", "recall"):
        typed = talk.several(words.RECALL if asked.kind == "recall" else words.SEVERAL)
        if typed and typed != "q" and asked.kind == "derivation":
            lines = (line.strip() for line in typed.splitlines())
            return "\n".join(line if line.startswith(("=", "?=")) else f"= {line}" for line in lines if line)
        return typed
    if not asked.options:
        return talk.ask(words.ONE_LINE)
    options = {letter: id_ for letter, (id_, _) in zip(LETTERS, asked.options, strict=False)}
    while True:
        typed = talk.ask(words.PICK)
        if typed is None or typed in ("", "q"):
            return typed
        if typed.lower() in options:
            return options[typed.lower()]
        talk.say(words.NOT_AN_OPTION)
