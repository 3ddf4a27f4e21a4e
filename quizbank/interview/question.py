"""A question of an interview as it is put: its words, the answer to compare with, and what to tick."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, TypeAlias

from engine.proof.step import Status
from engine.proof.words import badge
from engine.text import Text, same
from quizbank.card import Card, KeyPoint
from quizbank.drills.variant import pick
from quizbank.interview.plan import Turn
from quizbank.slot_grammar import rounded

if TYPE_CHECKING:
    from engine.demonstration import Check
    from engine.proof.step import Decided

Steps: TypeAlias = "Callable[[str], Sequence[Decided]]"
"""The decided derivation of a demonstration, by its id."""

_SPEAKABLE = 120
"""Characters of LaTeX up to which a statement can be proved aloud; longer ones are asked only where no other is there."""

_CLAIM = Text(
    "I would put it like this: {popular}\n\nDo you agree?", "我是这样理解的：{popular}\n\n你同意吗？"
)
_PROVE = Text(
    "Prove it: {rule}\n\n$${statement}$$\n\n({title})", "请证明：{rule}\n\n$${statement}$$\n\n（{title}）"
)
_DERIVE = Text("Prove it: {shows}.\n\nWhat would you show, and how?", "请证明：{shows}。\n\n你会怎样论证？")
_COUNTEREXAMPLE = Text("Counterexample:", "反例：")
_COMPARED = Text(
    "Refuted by measurement: {claim}. Predicted {predicted}, measured {measured}.",
    "由实测证伪：{claim}。预测 {predicted}，实测 {measured}。",
)
_OBJECTED = Text("did not agree, and said what holds instead", "没有附和，并说出了正确的说法")
_WHY_NOT = Text("gave what refutes it: a counterexample, a derivation or a measurement", "给出了证伪它的依据：反例、推导或实测")  # fmt: skip


@dataclass(frozen=True)
class Posed:
    """``points`` are ticked one by one; where there are none, the person marks the answer as a whole.

    ``about`` is the question of the card it belongs to, which a follow-up takes for granted; ``demo`` the
    demonstration that shows it, empty where the card has none.
    """

    turn: Turn
    question: Text
    answer: Text
    points: tuple[KeyPoint, ...] = ()
    demo: str = ""
    about: Text = field(default_factory=lambda: same(""))


def pose(turn: Turn, card: Card, seed: int, steps: Steps) -> Posed:
    """The question of a turn, from its card with the slots filled.

    Raises:
        InputError: no such demonstration, or a measurement that cannot run.
    """
    return replace(_posed(turn, card, seed, steps), about=card.question)


def _posed(turn: Turn, card: Card, seed: int, steps: Steps) -> Posed:
    demo = card.demos[0].id if card.demos else ""
    match turn.kind:
        case "opening":
            return Posed(turn, card.question, card.spoken, card.key_points, demo)
        case "prove-it":
            return _proof(turn, card, seed, steps(turn.part))
        case "what-breaks":
            refuter, _, name = card.trap.refuted_by.partition(".")
            correction = card.trap.correction
            points = (
                KeyPoint("objected", _OBJECTED),
                KeyPoint("refuted", _WHY_NOT),
            )
            answer = _joined(correction, _refutation(card, refuter, name, steps))
            return Posed(turn, _worded(_CLAIM, popular=card.trap.popular), answer, points, refuter)
        case _:
            follow_up = card.follow_ups[int(turn.part)]
            return Posed(turn, follow_up.question, follow_up.answer, demo=demo)


def _proof(turn: Turn, card: Card, seed: int, steps: Sequence[Decided]) -> Posed:
    """One proved step of the derivation, drawn by the seed; the answer is the derivation up to it."""
    from engine.demos import load

    demonstration = load(turn.part)
    proved = [
        place
        for place, step in enumerate(steps)
        if step.ok and step.status in (Status.PROVED, Status.PROVED_BOUNDED)
    ]
    if not proved:
        question = _worded(_DERIVE, shows=demonstration.shows)
        return Posed(turn, question, _derivation(steps), demo=turn.part)
    proved = [place for place in proved if len(steps[place].statement) <= _SPEAKABLE] or proved
    place = proved[pick(len(proved), seed, card.id, turn.part, "step")]
    asked = steps[place]
    question = _worded(_PROVE, rule=asked.rule, statement=same(asked.statement), title=demonstration.title)
    return Posed(turn, question, _derivation(steps[: place + 1]), demo=turn.part)


def _derivation(steps: Sequence[Decided]) -> Text:
    """Steps with their badges, as prose."""
    return _joined(*(_step(step, number) for number, step in enumerate(steps, 1)))


def _step(step: Decided, number: int | None = None) -> Text:
    sign, rule = badge(step), step.rule
    lead = "" if number is None else f"{number}. "
    head = Text(f"{lead}{sign.en} · {rule.en}", f"{lead}{sign.zh} · {rule.zh}")
    parts = [head, _display(step.statement)]
    if step.counterexample:
        parts += [_COUNTEREXAMPLE, _display(step.counterexample)]
    return _joined(*parts)


def _refutation(card: Card, demo: str, name: str, steps: Steps) -> Text:
    """What refutes the trap: a step with its counterexample, or a check with both its numbers; else its name."""
    for step in steps(demo):
        if step.name == name:
            return _step(step)
    for check in _checks(card, demo):
        if check.name == name:
            predicted, measured = (same(rounded(value, 4)) for value in (check.predicted, check.measured))
            return _worded(_COMPARED, claim=check.claim, predicted=predicted, measured=measured)
    return same(card.trap.refuted_by)


def _checks(card: Card, demo: str) -> Sequence[Check]:
    """The checks of a run at the setting where the card makes its point."""
    from engine.demos import load

    given = next((ref.set for ref in card.demos if ref.id == demo), {})
    return load(demo).run(given).checks


def _display(latex: str) -> Text:
    return same(f"$${latex}$$")


def _joined(*parts: Text) -> Text:
    return Text("\n\n".join(part.en for part in parts), "\n\n".join(part.zh for part in parts))


def _worded(template: Text, **texts: Text) -> Text:
    """The template with texts put in, each in its own language; braces in them stay as they are."""
    return Text(
        template.en.format(**{name: text.en for name, text in texts.items()}),
        template.zh.format(**{name: text.zh for name, text in texts.items()}),
    )
