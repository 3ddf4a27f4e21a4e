"""An interview, a line at a time: a question, thirty seconds to speak, the answer, and what was in yours."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quizbank import labels
from tui import interview_told, messages
from tui.lines import words
from tui.lines.talk import Talk
from tui.lines.ticking import ticked
from tui.screens import interview_words

if TYPE_CHECKING:
    from quizbank.interview.question import Posed
    from quizbank.interview.session import Interview
    from tui.workspace import Workspace


def interview(workspace: Workspace, held: Interview, talk: Talk) -> None:
    """Ask until the last question is marked, the person ends it, or the input ends; then tell how it went.

    Every mark is stored when it is given; Ctrl+C ends it too, and says what is kept.

    Raises:
        InputError: a question cannot be computed, or a mark cannot be stored.
    """
    while held.turn is not None:
        try:
            goes_on = _one(held, workspace.posed(held.turn, held.seed), talk)
        except KeyboardInterrupt:
            print()
            talk.say(interview_told.ended(held))
            raise
        if not goes_on:
            talk.say(interview_told.ended(held))
            break
    if held.marks:
        _verdict(workspace, held, talk)


def _one(held: Interview, posed: Posed, talk: Talk) -> bool:
    """One question; False where the person ends the interview."""
    turn = posed.turn
    print()
    talk.say(
        words.ASKED,
        n=len(held.marks) + 1,
        all=len(held.turns),
        level=turn.level,
        kind=interview_words.ASKED_AS[turn.kind],
    )
    if turn.card != held.opening:
        talk.say(interview_words.CONTEXT, question=posed.about)
    talk.tell(posed.question.of(talk.language))
    held.listen()
    typed = talk.ask(words.SPEAK)
    if typed is None or typed == "q":
        return False
    held.reveal()
    talk.say(interview_words.SPOKE, n=round(held.stopwatch.used_ms / 1000))
    headings = {"opening": labels.SPOKEN, "prove-it": labels.DERIVATION}
    talk.labelled(headings.get(turn.kind, interview_words.ANSWER), posed.answer)
    if posed.demo:
        talk.say(words.RUN_IT, call=f"proofdeck demo {posed.demo}")
    if not posed.points:
        return _judged(held, posed, talk)
    points = ticked(posed.points, (), talk)
    if points is None:
        return False
    held.tick(posed, points)
    return True


def _judged(held: Interview, posed: Posed, talk: Talk) -> bool:
    marks = {str(number): mark for number, mark in enumerate(interview_words.MARKS, 1)}
    while True:
        typed = talk.ask(words.JUDGE)
        if typed is None or typed == "q":
            return False
        if typed in marks:
            held.judge(posed, marks[typed])
            return True
        talk.say(words.NOT_A_MARK)


def _verdict(workspace: Workspace, held: Interview, talk: Talk) -> None:
    """A verdict a level, what it rests on, the cards to look at, and the offer to review them today."""
    print()
    for verdict in held.verdicts:
        _, standing = interview_words.STANDING[verdict.standing]
        talk.say(
            words.LEVEL_TOLD, level=verdict.level, standing=standing, facts=interview_told.facts(verdict)
        )
        for mark in verdict.marks:
            talk.tell(interview_told.answer(mark).of(talk.language))
        talk.tell(verdict.advice.of(talk.language))
    cards = held.to_review
    if cards:
        talk.say(interview_words.LOOK_AT)
    for card in cards:
        talk.tell(workspace.bank.card(card).question.of(talk.language), f"{card} · ")
    talk.say(words.AGAIN, call=interview_told.call(held.opening, held.seed))
    if cards and talk.ask(words.ADD) == "a":
        brought = workspace.log.bring_forward(cards)
        if brought:
            talk.say(words.ADDED, n=len(brought))
        else:
            talk.say(messages.DUE_TODAY_ALREADY, n=len(cards))
