"""When each card last changed: what a sheet is dated by, and what tells Anki that a note is newer.

A card has parts that change by themselves: what it asks and answers, its key points, each of its drills. Whoever edited
one in Anki keeps the edit when another changes. ``revisions.json`` beside the bank holds a digest and a time of every
part of every shipped card. A part whose text it does not know (of a person's own deck, or changed since) is dated by
its file. ``python -m quizbank.revisions`` writes the time of now beside every part of the shipped bank that has
changed; a test holds that this was done.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from datetime import UTC, datetime
from functools import cache as once
from pathlib import Path
from typing import Any

from engine.text import Text
from quizbank.bank import SHIPPED, Bank
from quizbank.card import Card
from quizbank.card_cache import CardCache, Stamp, digest, stamp

LEDGER = SHIPPED / "revisions.json"
QUESTION, KEY_POINTS = "#question", "#key-points"
"""Names of the two parts that every card has; a drill's is ``/`` and its id."""
_FORM = "%Y-%m-%dT%H:%M:%SZ"


def revised(bank: Bank) -> dict[str, int]:
    """Seconds since 1970 (UTC) at which each card of the bank was given the text it has, by its id.

    By id and name of the part (``why-qkv#question``, ``why-qkv/score-rank``) those of its parts.
    """
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

    times: dict[str, int] = {}
    for card in bank.cards:
        of_card = {}
        for name, text in part_digests(card).items():
            before, when = known.get(f"{card.id}{name}", ("", 0))
            of_card[f"{card.id}{name}"] = when if before == text else of_file(card)
        times |= of_card
        times[card.id] = max(of_card.values())
    return times


def revised_as_kept(bank: Bank, cache: Path | None) -> dict[str, int]:
    """As :func:`revised`, from the folder ``cache`` (of :attr:`quizbank.home.Home.cache`) where the same bank was read before."""
    files = (file for deck in bank.decks for file in deck.files)
    sources = stamp((LEDGER, *files))
    if cache is None or sources is None:
        return revised(bank)
    cards = CardCache(cache / "cards")
    cached: Stamp = [[bank.fingerprint, 0, 0], *sources]
    kept = cards.get("revisions", cached)
    times: dict[str, int] = next(kept, {}) if kept is not None else {}
    if not times:
        times = revised(bank)
        cards.put("revisions", cached, [times])
    return times


def date_of(revisions: Mapping[str, int]) -> str:
    """The day (UTC, YYYY-MM-DD) of the newest of them; of an empty bank that of the ledger."""
    newest = max(revisions.values(), default=0) or max((when for _, when in _ledger().values()), default=0)
    return datetime.fromtimestamp(newest, UTC).date().isoformat()


def part_digests(card: Card) -> dict[str, str]:
    """Sixteen hexadecimal digits of what each part of the card says, wherever it stands.

    What no reader sees of it (claims, citations, what it builds on) is in none of them.
    """
    standing = _told([card.topic, card.level, card.verdict, card.tags])
    question, spoken, points, sources = map(
        _told, (card.question, card.spoken, card.key_points, card.sources)
    )
    answer, trap, follow_ups, demos = map(_told, (card.answer, card.trap, card.follow_ups, card.demos))
    said = {
        QUESTION: [standing, question, [spoken, answer, points, trap, follow_ups, sources, demos]],
        KEY_POINTS: [standing, question, points, spoken, sources],
        **{f"/{drill.id}": [standing, _told(drill), sources] for drill in card.drills},
    }
    return {
        name: digest(json.dumps(what, ensure_ascii=False).encode("utf-8", "replace"))[:16]
        for name, what in said.items()
    }


def _told(value: Any) -> Any:
    """A part as JSON values; what has its default is left out, so a field that a later version adds changes nothing."""
    if isinstance(value, str):
        return value
    if isinstance(value, Text):
        return [value.en, value.zh]
    if isinstance(value, tuple | list):
        return [_told(item) for item in value]
    if is_dataclass(value):
        given = ((name, getattr(value, name), default) for name, default in _defaults(value.__class__))
        return {name: _told(held) for name, held, default in given if held != default}
    if isinstance(value, Mapping):
        return {key: _told(item) for key, item in value.items()}
    return value


@once
def _defaults(kind: Any) -> tuple[tuple[str, Any], ...]:
    """The fields of a dataclass with their defaults."""
    return tuple(
        (each.name, each.default if each.default_factory is MISSING else each.default_factory())
        for each in fields(kind)
    )


@once
def _ledger() -> dict[str, tuple[str, int]]:
    kept = json.loads(LEDGER.read_text(encoding="utf-8"))
    return {part: (text, _seconds(when)) for part, (text, when) in kept.items()}


def _seconds(when: str) -> int:
    return int(datetime.fromisoformat(when).timestamp())


def stamped(bank: Bank, known: Mapping[str, tuple[str, int]], now: int) -> str:
    """The ledger of the bank as its file holds it: parts with a text of their own are of ``now``."""
    rows = []
    for card in sorted(bank.cards, key=lambda card: card.id):
        for name, text in part_digests(card).items():
            before, when = known.get(f"{card.id}{name}", ("", now))
            moment = datetime.fromtimestamp(when if before == text else now, UTC).strftime(_FORM)
            rows.append(f"{json.dumps(f'{card.id}{name}')}: {json.dumps([text, moment])}")
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
