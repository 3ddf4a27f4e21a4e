"""From cards to a document: what a sheet says and in which order, for every mode."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from engine.text import Text
from quizbank import labels
from quizbank.card import Card
from quizbank.sheets.content import Backing, Sheet
from quizbank.sheets.document import (
    Answers,
    Boxed,
    Bullets,
    Document,
    Heading,
    Node,
    Note,
    Passage,
    Pointer,
)
from quizbank.sheets.drill_nodes import question_nodes, solution_nodes
from quizbank.sheets.formats import Mode
from quizbank.sheets.proof_nodes import Proofs
from quizbank.sheets.questions import LINES_TO_WRITE, Asked
from quizbank.sheets.references import bibliography_nodes, form_line, source_nodes
from quizbank.sheets.wording import capital, joined, labelled

_TITLE = {
    "paper": Text("Interview questions", "面试题"),
    "embedded": Text("Interview questions with answers", "面试题与解答"),
    "key": Text("Answer key", "参考答案"),
}

_AT_LENGTH = Text("At length in question {number}.", "详见第 {number} 题。")


def compose(sheet: Sheet) -> Document:
    """The whole sheet as nodes; of a self-test in the mode ``embedded`` it is what was answered."""
    if sheet.paper is not None:
        from quizbank.sheets.paper_sheet import compose_answered, compose_paper

        if sheet.report is not None and sheet.mode == "embedded":
            return compose_answered(sheet, sheet.report)
        return compose_paper(sheet, sheet.paper)
    return Document(
        _TITLE[sheet.mode],
        sheet.languages,
        tuple(_nodes(sheet)),
        sheet.heading.form,
        sheet.heading.date,
    )


def _nodes(sheet: Sheet) -> Iterator[Node]:
    yield Heading(1, _TITLE[sheet.mode])
    yield form_line(sheet.heading)
    chapters = _in_chapters(sheet.cards)
    level = 3 if chapters else 2
    proofs = Proofs(level + 1)
    numbers = {card.id: position for position, card in enumerate(sheet.cards, 1)}
    topic = ""
    for position, card in enumerate(sheet.cards, 1):
        if chapters and card.topic != topic:
            topic = card.topic
            yield Heading(2, labels.TOPIC[topic], anchor=f"topic-{topic}", listed=True)
        yield Heading(
            level,
            Text(f"{position}. {card.question.en}", f"{position}. {card.question.zh}"),
            anchor=f"card-{card.id}",
            listed=True,
        )
        yield _standing(card, sheet.mode)
        asked = sheet.asked.get(card.id, ())
        match sheet.mode:
            case "paper":
                yield from _to_answer(card, asked, level + 1)
            case "embedded":
                yield from _answered(card, asked, sheet.backings.get(card.id, ()), proofs, numbers, level + 1)
            case "key":
                yield from _key(card, asked, numbers, level + 1)
        if sheet.mode != "paper":
            yield from source_nodes(card.sources, sheet.bibliography, level + 1)
    if sheet.mode != "paper":
        used = {reference.key for card in sheet.cards for reference in card.sources}
        yield from bibliography_nodes(used, sheet.bibliography)


def _standing(card: Card, mode: Mode) -> Note:
    """Topic and level; the verdict on the popular answer not where it is still to be given."""
    verdict = (labels.VERDICT[card.verdict],) if mode != "paper" else ()
    return Note(joined(labels.TOPIC[card.topic], labels.LEVEL[card.level], *verdict))


def _in_chapters(cards: Sequence[Card]) -> bool:
    """Do the cards stand topic by topic, of more than one?"""
    runs = [card.topic for before, card in zip([None, *cards], cards, strict=False)
            if before is None or before.topic != card.topic]  # fmt: skip
    return len(runs) == len(set(runs)) > 1


# the three modes


def _to_answer(card: Card, asked: tuple[Asked, ...], level: int) -> Iterator[Node]:
    yield Answers(8)
    for index, drill in enumerate(asked, 1):
        yield from question_nodes(index, drill, level)
        yield Answers(LINES_TO_WRITE[drill.drill.kind])
    if card.follow_ups:
        yield Heading(level, labels.FOLLOW_UPS)
    for follow_up in card.follow_ups:
        yield Passage(follow_up.question)
        yield Answers(3)


def _answered(
    card: Card,
    asked: tuple[Asked, ...],
    backings: Sequence[Backing],
    proofs: Proofs,
    numbers: Mapping[str, int],
    level: int,
) -> Iterator[Node]:
    yield from _answer(card, level)
    if not card.is_plain:
        yield proofs.refutation(card.trap.refuted_by, backings)
    for backing in backings:
        yield from proofs.nodes(backing)
    yield from _follow_ups(card, numbers, level)
    if asked:
        yield Heading(level, labels.DRILLS)
    for index, drill in enumerate(asked, 1):
        yield from question_nodes(index, drill, level + 1)
        yield from solution_nodes(drill, card)


def _key(card: Card, asked: tuple[Asked, ...], numbers: Mapping[str, int], level: int) -> Iterator[Node]:
    yield from _answer(card, level)
    if not card.is_plain:
        yield Note(labelled(labels.REFUTED_BY, labels.refuted_by(card.trap.refuted_by)))
    for index, drill in enumerate(asked, 1):
        kind = capital(labels.KIND[drill.drill.kind])
        yield Heading(level, Text(f"{index}. {kind.en}", f"{index}. {kind.zh}"))
        yield from solution_nodes(drill, card)
    yield from _follow_ups(card, numbers, level)


def _answer(card: Card, level: int) -> Iterator[Node]:
    if card.is_plain:
        yield Passage(card.answer)
        if not card.demos:
            yield Note(labels.NO_DEMONSTRATION)
        return
    yield Boxed(labels.SPOKEN, card.spoken)
    yield Heading(level, labels.ANSWER)
    yield Passage(card.answer)
    yield Heading(level, labels.KEY_POINTS)
    yield Bullets(tuple(point.text for point in card.key_points))
    yield Heading(level, labels.TRAP)
    yield Boxed(labels.POPULAR, card.trap.popular)
    yield Boxed(labels.CORRECTION, card.trap.correction)


def _follow_ups(card: Card, numbers: Mapping[str, int], level: int) -> Iterator[Node]:
    """What is asked next; ``numbers`` are those of the cards on this sheet, some of which answer it at length."""
    if card.follow_ups:
        yield Heading(level, labels.FOLLOW_UPS)
    for follow_up in card.follow_ups:
        yield Boxed(follow_up.question, follow_up.answer)
        if follow_up.card in numbers:
            yield Pointer(_AT_LENGTH.filled(number=numbers[follow_up.card]), f"card-{follow_up.card}")
