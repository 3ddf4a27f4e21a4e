"""Reading a card file: frozen cards out, every fault with its place, in one pass."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from engine.text import Text
from quizbank.card import TOPICS, Card
from quizbank.fault import Fault
from quizbank.schema import CardFileModel, CardModel, PlainCardModel, form_of
from quizbank.validation_fault import validation_fault
from quizbank.yaml_nodes import MOST_FAULTS, TOO_MANY, Document, Loc, Node, read_document


@dataclass(frozen=True)
class CardFile:
    """What a card file holds: the cards without a fault, the faults, and the tree that knows places."""

    cards: tuple[Card, ...]
    faults: tuple[Fault, ...]
    document: Document


def read_card_file(path: Path, name: str = "") -> CardFile:
    """Read and check one card file; ``name`` stands for it in messages. Raises nothing.

    A card with a fault is left out; the others are kept.
    """
    document = read_document(path, name)
    faults = list(document.faults)
    if document.root is None:
        if not faults:
            faults.append(Fault(document.name, Text("the file is empty", "文件是空的")))
        return CardFile((), tuple(faults), document)
    root = document.root
    cards: list[Card] = []
    topic = _topic(document, faults)
    entries = root.entries["cards"][1] if "cards" in root.entries else None
    if entries is not None and entries.kind == "list":
        for position, node in enumerate(entries.items):
            loc: Loc = ("cards", position)
            last = entries.items[position + 1].line if position + 1 < len(entries.items) else None
            card = _card(document, loc, node, topic, faults)
            if len(faults) > MOST_FAULTS:
                faults.append(Fault(document.name, TOO_MANY))
                break
            if card is not None and topic and not _touched(document, node.line, last):
                cards.append(card)
    return CardFile(tuple(cards), tuple(dict.fromkeys(faults)), document)


def _topic(document: Document, faults: list[Fault]) -> str:
    """The file's topic, empty where it has none; faults of the file's outer shape are added."""
    assert document.root is not None
    outer: Any = document.root.plain()
    if isinstance(outer, dict) and isinstance(outer.get("cards"), list):
        outer = {**outer, "cards": []}
    try:
        return str(CardFileModel.model_validate(outer).topic)
    except ValidationError as error:
        faults += [validation_fault(document, (), details) for details in error.errors()]
    topic = outer.get("topic") if isinstance(outer, dict) else None
    return topic if topic in TOPICS else ""


def _card(document: Document, loc: Loc, node: Node, topic: str, faults: list[Fault]) -> Card | None:
    model: CardModel | PlainCardModel
    entry = node.plain()
    try:
        if form_of(entry) == "plain":
            model = PlainCardModel.model_validate(entry)
        else:
            model = CardModel.model_validate(entry)
    except ValidationError as error:
        faults += [validation_fault(document, loc, details) for details in error.errors()]
        return None
    return model.frozen_card(topic, document.place(loc))


def _touched(document: Document, first: int, beyond: int | None) -> bool:
    """Whether the YAML itself has a fault in the lines of this entry."""
    return any(first <= line and (beyond is None or line < beyond) for line in document.faulty_lines)
