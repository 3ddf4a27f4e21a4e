"""Reviewing cards, a line at a time: question, answer, grade, as the screen does it."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from engine.errors import InputError
from quizbank import labels
from quizbank.learning.interval import interval_text
from quizbank.learning.memory import Rating
from quizbank.plain import demo_line
from tui import messages
from tui.lines import words
from tui.lines.marking import mark, tell_leech, tell_note
from tui.lines.talk import Talk

if TYPE_CHECKING:
    from quizbank.card import Card
    from quizbank.learning.log import Preview
    from quizbank.learning.session import StudySession
    from tui.workspace import Workspace


def study(workspace: Workspace, session: StudySession, talk: Talk) -> None:
    """Ask until nothing is left, the person ends it, or the input ends. Every grade is stored when it is given.

    Raises:
        InputError: a card is gone, a slot cannot be computed, or the log cannot be written.
    """
    going = True
    while going:
        if session.current is not None:
            going = _one(workspace, session, talk)
        else:
            _summary(session, talk)
            going = session.can_undo and talk.ask(words.AFTER) == "u" and _undo(session, talk)


def _one(workspace: Workspace, session: StudySession, talk: Talk) -> bool:
    """One card; False where the person ends the session."""
    assert session.current is not None
    card = workspace.filled(workspace.bank.card(session.current))
    print()
    talk.say(
        words.QUESTION,
        n=session.progress.done + 1,
        topic=labels.TOPIC[card.topic],
        level=labels.LEVEL[card.level],
    )
    talk.tell(card.question.of(talk.language))
    typed = talk.ask(words.REVEAL)
    if typed is None or typed == "q":
        return False
    preview = session.reveal()
    _answer(card, talk)
    tell_note(workspace, card, talk)
    return _graded(workspace, session, card, preview, talk)


def _answer(card: Card, talk: Talk) -> None:
    if not card.is_plain:
        talk.labelled(labels.SPOKEN, card.spoken)
    talk.labelled(labels.ANSWER, card.answer)
    if card.is_plain:
        return
    talk.labelled(labels.POPULAR, card.trap.popular)
    talk.labelled(labels.CORRECTION, card.trap.correction)
    talk.say(labels.KEY_POINTS)
    for number, point in enumerate(card.key_points, 1):
        talk.tell(point.text.of(talk.language), f"{number}. ")


def _graded(
    workspace: Workspace, session: StudySession, card: Card, preview: Preview | None, talk: Talk
) -> bool:
    asking = words.GRADE if preview is not None else words.GRADE_CRAM
    while True:
        typed = talk.ask(asking, choices=_choices(preview, talk))
        match typed:
            case None | "q":
                return False
            case "1" | "2" | "3" | "4":
                done = session.grade(Rating(int(typed)))
                if not done.as_shown and done.entry is not None and done.entry.interval is not None:
                    talk.say(messages.NOT_AS_SHOWN, interval=interval_text(done.entry.interval))
                tell_leech(workspace, card, done, talk)
                return True
            case "u":
                _undo(session, talk)
                return True
            case "b" | "s" if preview is not None:
                session.put_off("bury" if typed == "b" else "suspend")
                talk.say(words.BURIED if typed == "b" else words.SUSPENDED)
                return True
            case "p":
                _proof(workspace, card, talk)
            case "f":
                _follow_ups(card, talk)
            case _:
                if not mark(workspace, card, typed, talk):
                    talk.say(words.NOT_A_GRADE)


def _choices(preview: Preview | None, talk: Talk) -> str:
    comma = "；" if talk.language == "zh" else "; "
    return comma.join(
        talk.words(words.CHOICE_CRAM, n=number, name=name)
        if preview is None
        else talk.words(
            words.CHOICE, n=number, name=name, interval=interval_text(preview[Rating(number)].interval)
        )
        for number, name in messages.RATINGS.items()
    )


def _undo(session: StudySession, talk: Talk) -> bool:
    try:
        done = session.undo()
    except InputError as error:
        print(error.line(talk.language))
        return True
    talk.say(messages.UNDONE if done else messages.NOTHING_TO_UNDO)
    return True


def _proof(workspace: Workspace, card: Card, talk: Talk) -> None:
    """Every step of the card's demonstrations with its badge, and the call that measures it."""
    from engine.proof.words import badge

    if not card.demos:
        talk.say(words.NO_PROOF)
    for reference in card.demos:
        for number, step in enumerate(workspace.derivation(reference.id), 1):
            talk.tell(step.rule.of(talk.language), f"{number}. {badge(step).of(talk.language)} · ")
            talk.tell(f"$${step.statement}$$")
            if step.counterexample:
                talk.tell(f"$${step.counterexample}$$", f"{talk.words(labels.COUNTEREXAMPLE)} ")
        talk.say(words.RUN_IT, call=demo_line(reference))


def _follow_ups(card: Card, talk: Talk) -> None:
    if not card.follow_ups:
        talk.say(words.NO_FOLLOW_UPS)
    for number, follow_up in enumerate(card.follow_ups, 1):
        talk.tell(follow_up.question.of(talk.language), f"{number}. ")
        talk.tell(follow_up.answer.of(talk.language))


def _summary(session: StudySession, talk: Talk) -> None:
    given = session.graded
    print()
    if not given and not session.put_off_cards:
        talk.say(words.FULL if session.held_back else words.EMPTY, n=session.held_back)
        return
    counts = Counter(int(done.rating) for done in given)
    names = dict(zip(("again", "hard", "good", "easy"), (counts[n] for n in (1, 2, 3, 4)), strict=True))
    talk.say(messages.SESSION_OVER)
    talk.say(messages.SESSION_COUNTS, n=len(given), **names)
