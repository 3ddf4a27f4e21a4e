"""What is demanded of the bank's cards on a topic once it is declared complete (``complete.yaml``).

A card of a person's own promises none of it.
"""

from __future__ import annotations

from collections.abc import Iterator

from engine.text import Text
from quizbank.bank import SHIPPED
from quizbank.card import Card
from quizbank.check.view import View, entry_places
from quizbank.fault import Fault
from quizbank.yaml_nodes import Loc, read_document

DRILLS = 4
"""The fewest drills of a card."""
KINDS = 3
"""The fewest kinds of drill in a topic."""
DEEP = 3
"""How often "why?" can be asked from a core card, each time answered by another card."""


def completeness_faults(view: View) -> Iterator[Fault]:
    complete = view.bank.complete
    if not complete:
        return
    own = {card.id for card in view.bank.own_cards}
    cards = [card for card in view.bank.cards if card.topic in complete and card.id not in own]
    for card in cards:
        if len(card.drills) < DRILLS:
            yield view.fault(
                card,
                ("drills",),
                f"{len(card.drills)} of drills; in a complete topic a card has at least {DRILLS}",
                f"drills 只有 {len(card.drills)} 个；完成的主题中每张卡片至少要 {DRILLS} 个",
            )
        if card.level == "core" and not _reaches(view, card, DEEP):
            loc: Loc = ("follow_ups",)
            yield view.fault(
                card,
                loc,
                f"no chain of follow-ups leads {DEEP} cards deep from here (card: …), and this is a core card",
                f"核心卡片的追问（card: …）应能逐层通向 {DEEP} 张不同的卡片，此处不能",
            )
    yield from _kinds(view, cards)
    yield from _uncarried(view)


def _reaches(view: View, card: Card, depth: int, walked: frozenset[str] = frozenset()) -> bool:
    """Whether follow-ups lead to ``depth`` more cards, none of them twice."""
    if depth == 0:
        return True
    walked |= {card.id}
    return any(
        _reaches(view, view.bank.card(follow_up.card), depth - 1, walked)
        for follow_up in card.follow_ups
        if follow_up.card in view.bank and follow_up.card not in walked
    )


def _kinds(view: View, cards: list[Card]) -> Iterator[Fault]:
    for topic in dict.fromkeys(card.topic for card in cards):
        own = [card for card in cards if card.topic == topic]
        kinds = {drill.kind for card in own for drill in card.drills}
        if len(kinds) < KINDS:
            given = ", ".join(sorted(kinds))
            yield view.fault(
                own[0],
                ("drills",),
                f"the drills of the topic {topic} are of {len(kinds)} kinds ({given}), at least {KINDS} are needed",
                f"主题 {topic} 的练习只有 {len(kinds)} 种题型（{given}），至少要 {KINDS} 种",
            )


def _uncarried(view: View) -> Iterator[Fault]:
    carried = {claim for card in view.bank.cards for claim in card.claims}
    missing = [
        claim
        for claim in view.bank.claims.values()
        if claim.topic in view.bank.complete and claim.id not in carried
    ]
    if not missing:
        return
    path = SHIPPED / "claims.yaml"
    places = entry_places(read_document(path, f"{SHIPPED.name}/{path.name}"), "id")
    for claim in missing:
        yield Fault(
            places.get(claim.id, f"{SHIPPED.name}/{path.name}"),
            Text(
                f"no card carries {claim.id}, and the topic {claim.topic} is declared complete",
                f"主题 {claim.topic} 已声明完成，却没有卡片包含论断 {claim.id}",
            ),
        )
