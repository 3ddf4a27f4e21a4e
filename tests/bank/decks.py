"""Decks for tests: the sample card file, whole or with something changed in it."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

from quizbank.bank import Bank, user_deck
from quizbank.card import Card
from quizbank.card_file import read_card_file
from quizbank.reference import Claim, Source
from quizbank.reference_file import read_claims

SAMPLE = Path(__file__).parents[1] / "data" / "sample_cards.yaml"
SOURCE = Source(
    "vaswani-2017", ("Ashish Vaswani", "Noam Shazeer", "Niki Parmar"), 2017,
    "Attention Is All You Need", "NIPS 2017", arxiv="1706.03762",
)  # fmt: skip


def changed(*pairs: tuple[str, str]) -> str:
    """The sample file with each first string replaced by the second; the first must be there once."""
    text = SAMPLE.read_text(encoding="utf-8")
    for old, new in pairs:
        assert text.count(old) == 1, (text.count(old), old)
        text = text.replace(old, new)
    return text


def write(folder: Path, *pairs: tuple[str, str], name: str = "deck.yaml") -> Path:
    """A changed sample file on disk."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text(changed(*pairs), encoding="utf-8")
    return path


def age(path: Path, seconds: int = 10) -> None:
    """As if it had been written a while ago: the cache waits for files to settle."""
    status = path.stat()
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns - seconds * 10**9))


def sample_card() -> Card:
    return read_card_file(SAMPLE).cards[0]


def bank_of(path: Path) -> Bank:
    """The cards of one file with the one source they cite, as a bank without the shipped cards."""
    read = read_card_file(path)
    return Bank(read.cards, read.faults, lambda: {SOURCE.key: SOURCE}, claims, [user_deck(path)])


@cache
def claims() -> Mapping[str, Claim]:
    """The inventory that ships."""
    return read_claims(SAMPLE.parents[2] / "quizbank" / "claims.yaml")[0]


def several(folder: Path, *cards: Sequence[tuple[str, str]], name: str = "deck.yaml") -> Path:
    """A file with one sample card for each list of changes; each first string must be there."""
    head, body = changed().split("cards:\n")
    out = f"{head}cards:\n"
    for pairs in cards:
        card = body
        for old, new in pairs:
            assert old in card, old
            card = card.replace(old, new)
        out += card
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text(out, encoding="utf-8")
    return path


def place_of(path: Path, words: str, skip: int = 0) -> str:
    """``file:line`` of the line that holds these words, after ``skip`` others that do."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return f"{path}:{[number for number, line in enumerate(lines, 1) if words in line][skip]}"
