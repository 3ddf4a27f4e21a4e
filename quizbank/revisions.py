"""When each card last changed: what a sheet is dated by, and what tells Anki that a note is newer.

``revisions.json`` beside the bank holds a digest and a time of every shipped card. A card whose text it does not
know (of a person's own deck, or changed since) is dated by its file. ``python -m quizbank.revisions`` writes the
time of now beside every shipped card that has changed.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import cache

from quizbank.bank import SHIPPED, Bank
from quizbank.card import Card
from quizbank.card_cache import digest, packed

LEDGER = SHIPPED / "revisions.json"
_FORM = "%Y-%m-%dT%H:%M:%SZ"


def revised(bank: Bank) -> dict[str, int]:
    """Seconds since 1970 (UTC) at which each card of the bank was given the text it has, by its id."""
    known = _ledger()
    files = {f"{deck.label(file)}": file for deck in bank.decks for file in deck.files}
    changed: dict[str, int] = {}

    def of_file(card: Card) -> int:
        label = card.place.rsplit(":", 2)[0]
        if label not in changed:
            try:
                changed[label] = int(files[label].stat().st_mtime)
            except (KeyError, OSError, ValueError):
                # of no file any more: as old as the bank that came with the program
                changed[label] = max((when for _, when in known.values()), default=0)
        return changed[label]

    return {
        card.id: known[card.id][1] if known.get(card.id, ("",))[0] == text_digest(card) else of_file(card)
        for card in bank.cards
    }


def date_of(revisions: Mapping[str, int]) -> str:
    """The day (UTC, YYYY-MM-DD) of the newest of them; of an empty bank that of the ledger."""
    newest = max(revisions.values(), default=0) or max((when for _, when in _ledger().values()), default=0)
    return datetime.fromtimestamp(newest, UTC).date().isoformat()


def text_digest(card: Card) -> str:
    """Sixteen hexadecimal digits of everything the card says, wherever it stands."""
    content = packed(card)[:-1]
    return digest(json.dumps(content, ensure_ascii=False).encode())[:16]


@cache
def _ledger() -> dict[str, tuple[str, int]]:
    kept = json.loads(LEDGER.read_text(encoding="utf-8"))
    return {card: (text, _seconds(when)) for card, (text, when) in kept.items()}


def _seconds(when: str) -> int:
    return int(datetime.strptime(when, _FORM).replace(tzinfo=UTC).timestamp())


def stamped(bank: Bank, known: Mapping[str, tuple[str, int]], now: int) -> str:
    """The ledger of the bank as its file holds it: cards with a text of their own are of ``now``."""
    rows = []
    for card in sorted(bank.cards, key=lambda card: card.id):
        text = text_digest(card)
        before, when = known.get(card.id, ("", now))
        moment = datetime.fromtimestamp(when if before == text else now, UTC).strftime(_FORM)
        rows.append(f"{json.dumps(card.id)}: {json.dumps([text, moment])}")
    return "{\n" + ",\n".join(rows) + "\n}\n"


def main() -> None:
    """Bring the ledger of the shipped bank up to date."""
    from quizbank.bank import load_bank
    from quizbank.home import Home
    from quizbank.target import write_whole

    known = _ledger() if LEDGER.exists() else {}
    write_whole(LEDGER, stamped(load_bank(Home.from_environment()), known, int(time.time())))


if __name__ == "__main__":
    main()
