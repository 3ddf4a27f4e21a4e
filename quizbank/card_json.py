"""A card as JSON: one line of a list, or every field with its slots filled."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from engine.demos import find
from engine.errors import InputError
from engine.report import plain
from engine.text import Text
from quizbank.arithmetic import ExpressionError
from quizbank.bank import Bank
from quizbank.card import (
    Card,
    ChoiceDrill,
    CodeDrill,
    DerivationDrill,
    Drill,
    ExpressionDrill,
    NumberDrill,
    Value,
)
from quizbank.slots import Quantities, filled


def listed_json(card: Card) -> dict[str, Any]:
    """What ``list`` says of a card."""
    return {
        "id": card.id,
        "topic": card.topic,
        "level": card.level,
        "verdict": card.verdict,
        "question": _both(card.question),
        "demos": [demo.id for demo in card.demos],
        "claims": list(card.claims),
        "drills": [{"id": drill.id, "kind": drill.kind} for drill in card.drills],
    }


def card_json(card: Card, bank: Bank, quantities: Quantities) -> dict[str, Any]:
    """Every field of a card, slots filled; a number drill with all its variants.

    Raises:
        InputError: a slot or an answer cannot be computed; the place is that of the card.
    """
    try:
        return _card_json(card, bank, quantities)
    except ExpressionError as error:
        raise InputError(error.text, card.place) from error


def _card_json(card: Card, bank: Bank, quantities: Quantities) -> dict[str, Any]:
    def fill(text: Text) -> dict[str, str]:
        return _both(filled(text, quantities.fill))

    return {
        "id": card.id,
        "kind": card.kind,
        "topic": card.topic,
        "level": card.level,
        "verdict": card.verdict,
        "tags": list(card.tags),
        "question": fill(card.question),
        "spoken": None if card.is_plain else fill(card.spoken),
        "answer": fill(card.answer),
        "key_points": [{"id": point.id, "text": fill(point.text)} for point in card.key_points],
        "trap": None
        if card.is_plain
        else {
            "popular": fill(card.trap.popular),
            "correction": fill(card.trap.correction),
            "refuted_by": card.trap.refuted_by,
        },
        "follow_ups": [
            {"question": fill(f.question), "answer": fill(f.answer), "card": f.card or None}
            for f in card.follow_ups
        ],
        "sources": [
            {"key": source.key, "where": fill(source.where), **_source(bank, source.key)}
            for source in card.sources
        ],
        "demos": [{"id": demo.id, "name": _demo_name(demo.id), "set": dict(demo.set)} for demo in card.demos],
        "claims": list(card.claims),
        "drills": [_drill(drill, quantities, fill) for drill in card.drills],
        "cited": [
            {"number": cited.number, "key": cited.key, "where": fill(cited.where)} for cited in card.cited
        ],
        "needs": list(card.needs),
        "place": card.place,
    }


def _both(text: Text) -> dict[str, str]:
    return {"en": text.en, "zh": text.zh}


def _source(bank: Bank, key: str) -> dict[str, Any]:
    source = bank.bibliography.get(key)
    if source is None:
        return {}
    return {
        "authors": list(source.authors),
        "year": source.year,
        "title": source.title,
        "venue": source.venue,
        "link": source.link,
    }


def _demo_name(demo_id: str) -> str | None:
    try:
        return find(demo_id).name
    except InputError:
        return None


def _drill(drill: Drill, quantities: Quantities, fill: Callable[[Text], dict[str, str]]) -> dict[str, Any]:
    head: dict[str, Any] = {"id": drill.id, "kind": drill.kind}
    if isinstance(drill, NumberDrill):
        variants = list(_variants(drill, quantities))
        return {**head, "unit": drill.unit, "rel": drill.rel, "abs": drill.abs, "variants": variants}
    head["question"] = fill(drill.question)
    if isinstance(drill, ChoiceDrill):
        options = [
            {"id": o.id, "text": fill(o.text), "feedback": fill(o.feedback), "right": o.right}
            for o in drill.options
        ]
        return {**head, "options": options}
    if isinstance(drill, CodeDrill):
        return {**head, "spec": drill.spec}
    if isinstance(drill, ExpressionDrill | DerivationDrill):
        head |= {"mode": drill.mode, "symbols": dict(drill.symbols), "where": dict(drill.where)}
        if isinstance(drill, ExpressionDrill):
            head["answer"] = drill.answer
        else:
            head |= {
                "start": drill.start,
                "goal": drill.goal,
                "milestones": [{"line": m.line, "hint": fill(m.hint)} for m in drill.milestones],
            }
        head["slips"] = [{"value": slip.value, "name": fill(slip.name)} for slip in drill.slips]
    return head


def _variants(drill: NumberDrill, quantities: Quantities) -> Iterator[dict[str, Any]]:
    for variables in drill.variants():

        def fill(text: str, variables: dict[str, Value] = variables) -> str:
            return quantities.fill(text, variables)

        yield {
            "variables": variables,
            "question": _both(filled(drill.question, fill)),
            "answer": plain(quantities.value(drill.answer, variables)),
            "slips": [
                {
                    "value": plain(quantities.value(slip.value, variables)),
                    "name": _both(filled(slip.name, fill)),
                }
                for slip in drill.slips
            ],
        }
