"""The glossary is whole, and the cards keep to its words: one name for one thing, in each language."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache

from engine.text import Text
from quizbank.bank import GLOSSARY, SHIPPED
from quizbank.card import Card
from quizbank.check.languages import chinese_slips
from quizbank.check.view import View, entry_places, single_texts
from quizbank.fault import Fault
from quizbank.glossary import Term
from quizbank.glossary_file import read_glossary
from quizbank.search import folded
from quizbank.slot_grammar import regions
from quizbank.yaml_nodes import read_document

_HANZI = re.compile(r"[\u3400-\u9fff]")
LABEL = f"{SHIPPED.name}/{GLOSSARY}"


def glossary_faults(view: View) -> Iterator[Fault]:
    """Faults of the glossary's form, names that two terms share, cards that are not there, slips of language."""
    if not any(deck.name for deck in view.bank.decks):
        return
    path = SHIPPED / GLOSSARY
    yield from read_glossary(path, LABEL)[1]
    yield from term_faults(view.bank.glossary.terms, view, entry_places(read_document(path, LABEL), "key"))


def term_faults(terms: tuple[Term, ...], view: View, places: Mapping[str, str]) -> Iterator[Fault]:
    first: dict[str, Term] = {}
    for term in terms:
        for en, zh in _slips(term, view):
            yield Fault(places.get(term.key, LABEL), Text(f"{term.key}: {en}", f"{term.key}：{zh}"))
        given = (*dict.fromkeys(term.name), *term.also, *term.avoid)
        for name in given:
            other = first.setdefault(folded(name), term)
            if other is not term or [folded(one) for one in given].count(folded(name)) > 1:
                yield Fault(
                    places.get(term.key, LABEL),
                    Text(
                        f"{term.key}: {name} names {other.key} already",
                        f"{term.key}：{name} 已经是 {other.key} 的名称",
                    ),
                )


def _slips(term: Term, view: View) -> Iterator[tuple[str, str]]:
    if term.card and term.card not in view.bank and not view.bank.faults:
        yield f"no card is called {term.card}", f"没有名为 {term.card} 的卡片"
    if _HANZI.search(term.name.en + term.means.en):
        yield "Chinese in the English name or explanation", "英文名称或解释中有汉字"
    if not _HANZI.search(term.means.zh):
        yield "the Chinese explanation holds no Chinese", "中文解释中没有汉字"
    for _, what in (*chinese_slips(term.name.zh), *chinese_slips(term.means.zh)):
        yield what.en, what.zh


def wording_faults(view: View, card: Card) -> Iterator[Fault]:
    """Words of the card for which the glossary has chosen another, outside of formulas and code."""
    terms = view.bank.glossary.terms
    for loc, _, text in single_texts(card):
        for region in regions(text):
            if region.kind != "plain":
                continue
            for word, better, key, at in avoided(terms, text, region.start, region.end):
                yield view.fault(
                    card,
                    loc,
                    f"{word}: the glossary says {better} ({key})",
                    f"{word}：术语表中的用词是 {better}（{key}）",
                    at,
                )


def avoided(
    terms: tuple[Term, ...], text: str, start: int = 0, end: int | None = None
) -> Iterator[tuple[str, str, str, int]]:
    """(word, the one to use, key of the term, offset) for each name that the glossary says to avoid."""
    instead = _instead(terms)
    if not instead:
        return
    for match in _pattern(terms).finditer(text, start, len(text) if end is None else end):
        word = match[0]
        if (term := instead.get(word.casefold())) is not None:
            yield word, term.name.zh if _HANZI.search(word) else term.name.en, term.key, match.start()


@cache
def _instead(terms: tuple[Term, ...]) -> Mapping[str, Term]:
    return {name.casefold(): term for term in terms for name in term.avoid}


@cache
def _pattern(terms: tuple[Term, ...]) -> re.Pattern[str]:
    """Any name to avoid, Latin ones as whole words; a right name that holds one is matched as a whole instead."""
    wrong = {name for term in terms for name in term.avoid}
    right = {name for term in terms for name in (*term.name, *term.also)}
    names = wrong | {name for name in right if any(other in name for other in wrong)}
    made = [
        re.escape(name) if _HANZI.search(name) else rf"(?<![\w-]){re.escape(name)}(?![\w-])"
        for name in sorted(names, key=lambda name: (-len(name), name))
    ]
    return re.compile("|".join(made), re.IGNORECASE)
