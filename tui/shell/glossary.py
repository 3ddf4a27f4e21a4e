"""`glossary`: the terms of the field in both languages."""

from __future__ import annotations

import sys

from engine.text import LANGUAGES, Language
from quizbank.glossary import Term
from quizbank.labels import SEE_CARD
from tui.shell.cards import width
from tui.shell.deck import open_deck
from tui.shell.emit import emit


def glossary(text: tuple[str, ...], as_json: bool, lang: Language) -> int:
    """The terms that hold every word given, or all of them. That there is none is an answer too."""
    terms = open_deck((), lang).bank.glossary.found(" ".join(text), lang)
    if as_json:
        emit([_json(term) for term in terms])
    else:
        for term in terms:
            _print(term, lang)
        said = {"en": f"{len(terms)} term{'' if len(terms) == 1 else 's'}", "zh": f"共 {len(terms)} 个术语"}
        print(said[lang], file=sys.stderr)
    return 0


def _json(term: Term) -> dict[str, object]:
    return {
        "key": term.key,
        "name": {"en": term.name.en, "zh": term.name.zh},
        "also": list(term.also),
        "avoid": list(term.avoid),
        "means": {"en": term.means.en, "zh": term.means.zh},
        "card": term.card or None,
    }


def _print(term: Term, language: Language) -> None:
    from quizbank.plain import prose_rows

    other = next(one for one in LANGUAGES if one != language)
    print(" · ".join(dict.fromkeys((term.name.of(language), term.name.of(other), *term.also))))
    for row in prose_rows(term.means.of(language), width(), 4):
        print(row)
    if term.card:
        print(f"    {SEE_CARD.of(language)} {term.card}")
