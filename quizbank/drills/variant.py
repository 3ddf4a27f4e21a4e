"""A drill as one paper asks it: the order of its options, the values of its variables, frozen.

Everything is drawn by hashing (seed, card, drill, what is drawn), so a variant depends on nothing else: not on
the rest of the paper, not on Python's random generator, not on the machine.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from engine.errors import InputError
from engine.text import Text
from quizbank.card import KINDS, Card, ChoiceDrill, Drill, NumberDrill, Value
from quizbank.fault import shown


@dataclass(frozen=True)
class Variant:
    """Which drill of which card, and how it is asked. ``options`` are the ids of a choice in their order."""

    card: str
    drill: str
    kind: str
    options: tuple[str, ...] = ()
    variables: Mapping[str, Value] = field(default_factory=dict)

    @property
    def key(self) -> str:
        """Names the drill, whatever the variant."""
        return f"{self.card}/{self.drill}"

    def as_json(self) -> dict[str, Any]:
        document: dict[str, Any] = {"card": self.card, "drill": self.drill, "kind": self.kind}
        if self.options:
            document["options"] = list(self.options)
        if self.variables:
            document["variables"] = dict(self.variables)
        return document

    @classmethod
    def from_json(cls, document: Any) -> Variant:
        """Read what :meth:`as_json` wrote. Raises InputError for anything else: the file is untrusted."""
        fields = document if isinstance(document, dict) else {}
        card, drill, kind = fields.get("card"), fields.get("drill"), fields.get("kind")
        options, variables = fields.get("options", []), fields.get("variables", {})
        if not (
            isinstance(card, str)
            and isinstance(drill, str)
            and kind in KINDS
            and isinstance(options, list)
            and all(isinstance(option, str) for option in options)
            and isinstance(variables, dict)
            and all(isinstance(value, int | float | str) for value in variables.values())
        ):
            raise InputError(Text("this is not a question of a paper", "这不是试卷中的一道题"))
        return cls(card, drill, kind, tuple(options), variables)


def draw_variant(card: Card, drill: Drill, seed: int) -> Variant:
    """The variant of the drill in a paper of this seed."""
    base = (seed, card.id, drill.id)
    if isinstance(drill, ChoiceDrill):
        order = shuffled((option.id for option in drill.options), *base, "options")
        return Variant(card.id, drill.id, drill.kind, options=tuple(order))
    if isinstance(drill, NumberDrill):
        variables = {
            name: values[pick(len(values), *base, "variable", name)] for name, values in drill.vary.items()
        }
        return Variant(card.id, drill.id, drill.kind, variables=variables)
    return Variant(card.id, drill.id, drill.kind)


def find_drill(cards: Mapping[str, Card], variant: Variant) -> tuple[Card, Drill]:
    """The card and drill a variant was drawn from.

    Raises:
        InputError: the card or drill is gone, or its options or variables are no longer those drawn.
    """
    card = cards.get(variant.card)
    drill = next((drill for drill in card.drills if drill.id == variant.drill), None) if card else None
    if card is None or drill is None or drill.kind != variant.kind:
        raise InputError(
            Text("the question {key} is no longer in the bank", "题目 {key} 已不在题库中").filled(
                key=shown(variant.key, 130)
            )
        )
    if isinstance(drill, ChoiceDrill):
        same = sorted(variant.options) == sorted(option.id for option in drill.options)
    elif isinstance(drill, NumberDrill):
        same = set(variant.variables) == set(drill.vary)
    else:
        same = True
    if not same:
        raise InputError(
            Text(
                "the question {key} was changed after the paper was drawn",
                "题目 {key} 在组卷之后被改动过",
            ).filled(key=shown(variant.key, 130))
        )
    return card, drill


def as_put(card: Card, drill: Drill) -> Text:
    """The drill's question as it is put where its card is not in sight, its slots unfilled.

    A recall says how to answer the card's own question, and so follows it.
    """
    if drill.kind != "recall":
        return drill.question
    return Text(f"{card.question.en}\n\n{drill.question.en}", f"{card.question.zh}\n\n{drill.question.zh}")


def shuffled(names: Iterable[str], *key: object) -> list[str]:
    """The names in an order that looks random and depends on them and on ``key`` alone."""
    return sorted(names, key=lambda name: (digest(*key, name), name))


def pick(count: int, *key: object) -> int:
    """A number in [0, count), evenly spread over keys."""
    return int.from_bytes(digest(*key)[:8]) * count >> 64


def digest(*key: object) -> bytes:
    """SHA-256 of the parts, each marked off from the next."""
    return hashlib.sha256("\0".join(map(str, key)).encode("utf-8", "surrogatepass")).digest()
