"""Cards made up to be each other's siblings or to need one another."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from quizbank.learning.relations import Relations
from tests.bank.decks import sample_card


def related(claims: Mapping[str, str], needs: Mapping[str, tuple[str, ...]] | None = None) -> Relations:
    """Cards that carry one claim each, or none where it is empty, and what they need; of one level and topic."""
    empty = replace(sample_card(), follow_ups=(), demos=(), claims=())
    return Relations(
        replace(empty, id=card, claims=(claim,) if claim else (), needs=(needs or {}).get(card, ()))
        for card, claim in claims.items()
    )
