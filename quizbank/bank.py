"""The bank: every card that is asked, shipped and the person's own, with what the cards refer to.

Loading reads validated cards from the cache (:mod:`quizbank.card_cache`); PyYAML and pydantic are
imported only where a file is new or has changed.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from engine.errors import InputError
from engine.text import Text
from quizbank.card import Card, Outline
from quizbank.card_cache import (
    CardCache,
    Stamp,
    digest_of,
    packed,
    packed_cards,
    stamp,
    unpacked_cards,
    unpacked_claim,
    unpacked_fault,
    unpacked_set,
    unpacked_source,
    unpacked_term,
)
from quizbank.card_list import CardList, CardsById, Held, whole
from quizbank.card_set import CardSet
from quizbank.fault import Fault, shown
from quizbank.glossary import Glossary, Term
from quizbank.home import Home
from quizbank.reference import Claim, Source
from quizbank.teaching_order import teaching_order

if TYPE_CHECKING:
    from quizbank.search import SearchIndex

SHIPPED = Path(__file__).parent
"""Holds ``cards`` and the files beside them: bibliography, claims, complete topics, glossary, sets."""
BIBLIOGRAPHY = "bibliography.yaml"
COMPLETE = "complete.yaml"
GLOSSARY = "glossary.yaml"
SETS = "sets.yaml"
REFERRED_TO = (BIBLIOGRAPHY, "claims.yaml", COMPLETE, GLOSSARY, SETS)

Entry = TypeVar("Entry", Source, Claim, Term, CardSet)


@dataclass(frozen=True)
class Deck:
    """Card files in one folder. ``name`` is how places of its files begin."""

    files: tuple[Path, ...]
    name: str = ""
    bibliography: Path | None = None

    @property
    def bibliography_label(self) -> str:
        return f"{SHIPPED.name}/{BIBLIOGRAPHY}" if self.name else shown(self.bibliography, 300)

    def label(self, file: Path) -> str:
        return f"{self.name}/{file.name}" if self.name else shown(file, 300)


class Bank:
    """Cards in the order of :func:`quizbank.teaching_order.teaching_order`.

    ``faults`` are those of the person's own decks (and of the shipped one where it was loaded
    leniently); the cards they concern are not in ``cards``.
    """

    def __init__(
        self,
        cards: Iterable[Card],
        faults: Iterable[Fault] = (),
        bibliography: Callable[[], Mapping[str, Source]] = dict,
        claims: Callable[[], Mapping[str, Claim]] = dict,
        decks: Iterable[Deck] = (),
        complete: Callable[[], frozenset[str]] = frozenset,
        glossary: Callable[[], Mapping[str, Term]] = dict,
        sets: Callable[[], Mapping[str, CardSet]] = dict,
        fingerprint: Callable[[CardList], str] | None = None,
    ) -> None:
        cards = CardList.of(cards)
        self.cards = cards.chosen(teaching_order(cards.by_id.held))
        self.faults = tuple(faults)
        self.decks = tuple(decks)
        self._bibliography = bibliography
        self._claims = claims
        self._complete = complete
        self._glossary = glossary
        self._fingerprint = fingerprint or fingerprint_of
        self._sets = sets

    @property
    def by_id(self) -> CardsById:
        """The cards by id."""
        return self.cards.by_id

    @property
    def outlines(self) -> Mapping[str, Outline]:
        """What is known of the cards without reading them, by id."""
        return self.by_id.held

    def with_cards(self, cards: Iterable[Card]) -> Bank:
        """Other cards with the same faults and references."""
        return Bank(
            cards, self.faults, self._bibliography, self._claims, self.decks, self._complete, self._glossary, self._sets
        )  # fmt: skip

    @property
    def own_cards(self) -> CardList:
        """The cards of the person's own decks."""
        own = {deck.label(file) for deck in self.decks if not deck.name for file in deck.files}
        return self.cards.chosen(card_id for card_id, card in self.cards.outlines() if card.file in own)

    def card(self, card_id: str) -> Card:
        """The card with this id.

        Raises:
            InputError: no such card; the message offers the nearest ids.
        """
        found = self.by_id.get(card_id)
        if found is not None:
            return found
        from difflib import get_close_matches

        near = get_close_matches(card_id, self.by_id, n=3, cutoff=0.4)
        en = f"; nearest: {', '.join(near)}" if near else ""
        zh = f"；相近的有 {', '.join(near)}" if near else ""
        raise InputError(
            Text(
                f"no card is called {shown(card_id)}{en} (proofdeck list shows all)",
                f"没有名为 {shown(card_id)} 的卡片{zh}（proofdeck list 列出全部）",
            )
        )

    def card_set(self, set_id: str) -> CardSet:
        """The set with this id.

        Raises:
            InputError: no such set; the message names those there are.
        """
        if set_id in self.sets:
            return self.sets[set_id]
        known = ", ".join(self.sets)
        raise InputError(
            Text(
                f"no set is called {shown(set_id)}; there are: {known}",
                f"没有名为 {shown(set_id)} 的卡片集；可用的有 {known}",
            )
        )

    def of_set(self, set_id: str) -> CardList:
        """The cards of a set that are in this bank, in the order of the set. Raises as :meth:`card_set`."""
        return self.cards.chosen(card for card in self.card_set(set_id).cards if card in self.by_id)

    def __contains__(self, card_id: object) -> bool:
        return card_id in self.by_id

    @cached_property
    def bibliography(self) -> Mapping[str, Source]:
        """The sources by key."""
        return self._bibliography()

    @cached_property
    def claims(self) -> Mapping[str, Claim]:
        """The inventory of claims by id."""
        return self._claims()

    @cached_property
    def index(self) -> SearchIndex:
        """The cards, ready to be searched."""
        from quizbank.search import SearchIndex

        return SearchIndex(self.cards, self.glossary.synonyms())

    @cached_property
    def glossary(self) -> Glossary:
        """The terms of the field."""
        return Glossary(self._glossary().values())

    @cached_property
    def sets(self) -> Mapping[str, CardSet]:
        """The sets of cards by id."""
        return self._sets()

    @cached_property
    def complete(self) -> frozenset[str]:
        """The topics whose cards are declared to be all written."""
        return self._complete()

    @cached_property
    def fingerprint(self) -> str:
        """A digest of everything the cards say, whatever files they stand in."""
        return self._fingerprint(self.cards)


def fingerprint_of(cards: Iterable[Card]) -> str:
    """As :attr:`Bank.fingerprint`."""
    return digest_of(
        line.encode("utf-8", "surrogatepass")
        for card in cards
        for line in (json.dumps(packed(replace(card, place="")), ensure_ascii=False), "\n")
    )


def load_bank(home: Home, decks: Sequence[Path] = (), lenient: bool = False) -> Bank:
    """The shipped cards and those of ``decks`` (folders of card files, or single files).

    A deck's faults do not end the program: they are in ``faults``, and its good cards are loaded.
    A card whose id is taken is a fault, because progress is kept by id.

    Raises:
        InputError: a deck path that is not there; a fault in the shipped bank, unless ``lenient``.
    """
    cache = CardCache(home.cache / "cards")
    shipped = shipped_deck()
    all_decks = [shipped, *(user_deck(Path(path)) for path in decks)]
    # as they are before they are read
    sources = stamp(file for deck in all_decks for file in deck.files)
    held: dict[str, Held] = {}
    faults: list[Fault] = []
    doubled: list[Fault] = []
    for deck in all_decks:
        for cards, found in _parts(deck, cache):
            faults += found
            if deck is shipped and found and not lenient:
                more = len(found) - 1
                raise InputError(
                    Text(
                        f"the shipped bank is damaged: {found[0].what.en} (and {more} more faults)",
                        f"内置题库已损坏：{found[0].what.zh}（另有 {more} 处）",
                    ),
                    found[0].where,
                )
            doubled += _hold(cards, held)

    def bibliography() -> Mapping[str, Source]:
        found: dict[str, Source] = {}
        for deck in reversed(all_decks):
            if deck.bibliography is not None:
                found.update(load_bibliography(deck, cache)[0])
        return found

    def fingerprint(cards: CardList) -> str:
        kept = cache.get("fingerprint", sources) if sources is not None else None
        found: str = next(kept, "") if kept is not None else ""
        if not found:
            found = fingerprint_of(cards)
            if sources is not None:
                cache.put("fingerprint", sources, [found])
        return found

    return Bank(
        CardList(tuple(held), CardsById(held)),
        faults + doubled,
        bibliography,
        lambda: load_claims(cache)[0],
        all_decks,
        _complete_topics,
        lambda: load_glossary(cache)[0],
        lambda: load_sets(cache)[0],
        fingerprint,
    )


def _complete_topics() -> frozenset[str]:
    from quizbank.reference_file import read_complete

    return read_complete(SHIPPED / COMPLETE)[0]


def shipped_deck() -> Deck:
    """The cards that come with the program."""
    files = tuple(sorted((SHIPPED / "cards").glob("*.yaml")))
    return Deck(files, f"{SHIPPED.name}/cards", SHIPPED / BIBLIOGRAPHY)


def user_deck(path: Path) -> Deck:
    """A folder's card files (``*.yaml``, ``*.yml``), or one file. A ``bibliography.yaml`` beside them adds sources.

    Raises:
        InputError: nothing there, or a folder without a card file.
    """
    try:
        if path.is_dir():
            found = sorted(file for file in path.iterdir() if file.suffix in (".yaml", ".yml"))
        else:
            found = [path] if path.exists() else []
    except (OSError, ValueError):
        found = []
    files = tuple(file for file in found if file.name != BIBLIOGRAPHY and not file.name.startswith("."))
    if not files:
        raise InputError(
            Text("no card file (*.yaml) is there", "此处没有卡片文件（*.yaml）"), shown(path, 300)
        )
    sources = files[0].parent / BIBLIOGRAPHY
    return Deck(files, bibliography=sources if sources.is_file() else None)


Part = tuple[list[tuple[str, Held]], list[Fault]]
"""Cards of some files with their ids, and the faults of these."""


def _parts(deck: Deck, cache: CardCache) -> Iterator[Part]:
    """The shipped files are kept as one, read at every start; a person's one by one, so that one they edit is read
    alone, and of a hundred thousand cards never more than a file is read at once."""
    for files in (deck.files,) if deck.name else ((file,) for file in deck.files):
        yield _part(deck, files, cache)


def _part(deck: Deck, files: Sequence[Path], cache: CardCache) -> Part:
    sources = stamp(files)
    kept = cache.get("cards", sources) if sources is not None else None
    if kept is not None:
        try:
            told = [unpacked_fault(row) for row in next(kept)]
            return [card for value in kept for card in unpacked_cards(value)], told
        except (TypeError, ValueError, KeyError, IndexError, StopIteration):
            pass
    from quizbank.card_file import read_card_file

    cards: list[Card] = []
    faults: list[Fault] = []
    for file in files:
        read = read_card_file(file, deck.label(file))
        cards += read.cards
        faults += read.faults
    values = list(packed_cards(cards))
    if sources is not None:
        cache.put("cards", sources, (packed(faults), *values))
    return [card for value in values for card in unpacked_cards(value)], faults


def _hold(cards: Iterable[tuple[str, Held]], held: dict[str, Held]) -> Iterator[Fault]:
    """Add the cards whose ids are free; a fault for every other."""
    for card_id, card in cards:
        if card_id not in held:
            held[card_id] = card
        else:
            what = Text("the id {i} is taken by {p}", "编号 {i} 已被 {p} 使用")
            place, taken = whole(card_id, card).place, whole(card_id, held[card_id]).place
            yield Fault(place, what.filled(i=card_id, p=taken))


def load_bibliography(deck: Deck, cache: CardCache) -> tuple[dict[str, Source], list[Fault]]:
    """A deck's sources by key, and the faults of its file."""

    def read(path: Path, label: str) -> tuple[dict[str, Source], tuple[Fault, ...]]:
        from quizbank.reference_file import read_bibliography

        return read_bibliography(path, label)

    assert deck.bibliography is not None
    return _references(
        "bibliography", deck.bibliography, deck.bibliography_label, cache, read, unpacked_source
    )


def load_claims(cache: CardCache) -> tuple[dict[str, Claim], list[Fault]]:
    """The inventory of claims by id, and the faults of its file."""

    def read(path: Path, label: str) -> tuple[dict[str, Claim], tuple[Fault, ...]]:
        from quizbank.reference_file import read_claims

        return read_claims(path, label)

    path = SHIPPED / "claims.yaml"
    return _references("claims", path, f"{SHIPPED.name}/{path.name}", cache, read, unpacked_claim)


def load_glossary(cache: CardCache) -> tuple[dict[str, Term], list[Fault]]:
    """The terms of the field by key, and the faults of their file."""

    def read(path: Path, label: str) -> tuple[dict[str, Term], tuple[Fault, ...]]:
        from quizbank.glossary_file import read_glossary

        return read_glossary(path, label)

    return _references(
        "glossary", SHIPPED / GLOSSARY, f"{SHIPPED.name}/{GLOSSARY}", cache, read, unpacked_term
    )


def load_sets(cache: CardCache) -> tuple[dict[str, CardSet], list[Fault]]:
    """The sets of cards by id, and the faults of their file."""

    def read(path: Path, label: str) -> tuple[dict[str, CardSet], tuple[Fault, ...]]:
        from quizbank.glossary_file import read_sets

        return read_sets(path, label)

    return _references("sets", SHIPPED / SETS, f"{SHIPPED.name}/{SETS}", cache, read, unpacked_set)


def _references(
    name: str,
    path: Path,
    label: str,
    cache: CardCache,
    read: Callable[[Path, str], tuple[dict[str, Entry], tuple[Fault, ...]]],
    unpack: Callable[[list[object]], Entry],
) -> tuple[dict[str, Entry], list[Fault]]:
    sources: Stamp | None = stamp([path])
    kept = cache.get(name, sources) if sources is not None else None
    if kept is not None:
        try:
            rows, faults_kept = kept
            return {key: unpack(row) for key, row in rows.items()}, [
                unpacked_fault(row) for row in faults_kept
            ]
        except (TypeError, ValueError, KeyError, IndexError, AttributeError):
            pass
    entries, faults = read(path, label)
    if sources is not None:
        cache.put(name, sources, [packed(entries), packed(faults)])
    return entries, list(faults)
