"""Cards whose form is at fault, with a stand-in for each part that is, so that one run tells the other faults too.

A card that the file boundary refuses is never asked. The compiler still looks at what is sound in it: each
faulty part is replaced by a stand-in of the right form, and what would be said of a stand-in is not said.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from quizbank.card import TOPICS, Card
from quizbank.schema import CardModel, form_of
from quizbank.yaml_nodes import Loc, read_document

_ROUNDS = 20
_TEXT = {"en": "—", "zh": "—"}
_DEPENDING: dict[str, tuple[Loc, ...]] = {"demos": (("trap", "refuted_by"),), "claims": (("verdict",),)}
_LISTS = ("key_points", "follow_ups", "sources", "demos", "claims", "drills", "cited")


@dataclass(frozen=True)
class Mended:
    """A card with stand-ins; ``parts`` are their places in the entry."""

    card: Card
    parts: tuple[Loc, ...]

    def stands_in(self, loc: Loc) -> bool:
        """Whether the value at ``loc`` is a stand-in, is part of one or is a whole that holds one."""
        return bool(loc) and any(loc[: len(part)] == part or part[: len(loc)] == loc for part in self.parts)


def mended_cards(path: Path, name: str) -> Iterator[Mended]:
    """The cards of a file, those without a fault included. Nothing comes of an entry that cannot be mended."""
    document = read_document(path, name)
    root = document.root
    if root is None or "cards" not in root.entries:
        return
    given = root.entries["topic"][1].value if "topic" in root.entries else None
    topic = given if isinstance(given, str) and given in TOPICS else TOPICS[0]
    for position, node in enumerate(root.entries["cards"][1].items):
        mended = _mended(node.plain(), topic, position, document.place(("cards", position)))
        if mended is not None:
            yield mended


def _mended(entry: Any, topic: str, position: int, place: str) -> Mended | None:
    if not isinstance(entry, dict) or form_of(entry) == "plain":
        # of a plain card nothing is checked that its form does not show
        return None
    parts: list[Loc] = []
    for _ in range(_ROUNDS):
        try:
            return Mended(CardModel.model_validate(entry).frozen_card(topic, place), tuple(parts))
        except ValidationError as error:
            for details in error.errors():
                loc = _path(entry, details["loc"])
                if details["type"] == "extra_forbidden" and loc:
                    _at(entry, loc[:-1]).pop(loc[-1], None)
                elif loc:
                    parts.append(_replace(entry, loc, position))
                    # what is said of these depends on the whole list
                    parts.extend(_DEPENDING.get(str(loc[0]), ()))
    return None


def _path(entry: Any, loc: Loc) -> Loc:
    """The keys and positions of a validator's place; it also names members of unions."""
    found: list[str | int] = []
    value = entry
    for number, step in enumerate(loc):
        if _holds(value, step):
            value = value[step]
        elif not (isinstance(value, dict) and number == len(loc) - 1):
            continue
        found.append(step)
    return tuple(found)


def _holds(value: Any, step: str | int) -> bool:
    if isinstance(value, dict):
        return step in value
    return isinstance(value, list) and isinstance(step, int) and step < len(value)


def _at(entry: Any, loc: Loc) -> Any:
    for step in loc:
        entry = entry[step]
    return entry


def _replace(entry: dict[str, Any], loc: Loc, position: int) -> Loc:
    """Put a stand-in for the smallest part around ``loc`` that has one; its place."""
    part, value = _stand_in(loc, position)
    if not isinstance(_at(entry, part[:-1]), dict | list):
        part, value = _stand_in(part[:-1], position)
    _at(entry, part[:-1])[part[-1]] = value
    return part


def _stand_in(loc: Loc, position: int) -> tuple[Loc, Any]:
    field = str(loc[0])
    if field == "drills" and len(loc) > 2:
        if loc[2] == "question":
            return loc[:3], _TEXT
        if loc[2] == "options" and len(loc) > 4 and loc[4] in ("text", "feedback"):
            return loc[:5], _TEXT
        return loc[:2], _item("drills", loc[1])
    if field in _LISTS:
        if (
            len(loc) > 2
            and field in ("key_points", "follow_ups")
            and loc[2] in ("text", "question", "answer")
        ):
            return loc[:3], _TEXT
        if len(loc) > 1:
            return loc[:2], _item(field, loc[1])
        return loc[:1], [_item(field, 0)] if field == "key_points" else []
    if field == "trap":
        whole = {"popular": _TEXT, "correction": _TEXT, "refuted_by": "D00.stand-in"}
        return (loc[:2], whole[str(loc[1])]) if len(loc) > 1 and loc[1] in whole else (loc[:1], whole)
    single = {"id": f"stand-in-{position}", "level": "core", "verdict": "true"}
    return loc[:1], single.get(field, _TEXT)


def _item(field: str, number: object) -> Any:
    name = f"stand-in-{number}"
    return {
        "key_points": {"id": name, "text": _TEXT},
        "follow_ups": {"question": _TEXT, "answer": _TEXT},
        "sources": {"key": name, "where": "—"},
        "demos": {"id": "D00"},
        "claims": name,
        "drills": {"kind": "recall", "id": name, "question": _TEXT},
        "cited": {"number": "0", "key": name, "where": "—"},
    }[field]
