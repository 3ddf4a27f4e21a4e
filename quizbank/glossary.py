"""The terms of the field, what each is called in either language, and a line that explains it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from engine.text import LANGUAGES, Language, Text
from quizbank.search import folded


@dataclass(frozen=True)
class Term:
    """One thing with its names.

    ``name`` is the one the cards use. ``also`` are other names for it, in either language; ``avoid`` are
    names that are understood where one searches, but that no card uses. ``card`` explains it at length.
    """

    key: str
    name: Text
    means: Text
    also: tuple[str, ...] = ()
    avoid: tuple[str, ...] = ()
    card: str = ""

    @property
    def names(self) -> tuple[str, ...]:
        """Everything it is called, the two names the cards use first."""
        return tuple(dict.fromkeys((*self.name, *self.also, *self.avoid)))


class Glossary:
    """The terms in the order of their English names."""

    def __init__(self, terms: Iterable[Term]) -> None:
        self.terms = tuple(sorted(terms, key=lambda term: folded(term.name.en)))

    def found(self, query: str, language: Language = "en") -> list[Term]:
        """The terms that hold every word of the query: those called so first, then those explained with it.

        Among equals they stand in the order of their names in ``language``.
        """
        words = folded(query).split()
        ranked = []
        for place, term in enumerate(self.terms):
            names = [folded(name) for name in term.names]
            text = " ".join((*names, *(folded(term.means.of(one)) for one in LANGUAGES)))
            if not all(word in text for word in words):
                continue
            whole = " ".join(words)
            rank = 0 if whole in names else 1 if any(name.startswith(whole) for name in names) else 2
            if rank == 2 and not all(any(word in name for name in names) for word in words):
                rank = 3
            order = folded(term.name.zh) if language == "zh" else ""
            ranked.append((rank if words else 0, order, place, term))
        return [term for *_, term in sorted(ranked, key=lambda entry: entry[:3])]

    def synonyms(self) -> Mapping[str, tuple[str, ...]]:
        """For each name, folded, the other names of whatever is called so."""
        found: dict[str, dict[str, None]] = {}
        for term in self.terms:
            names = tuple(dict.fromkeys(folded(name) for name in term.names))
            for name in names:
                found.setdefault(name, {}).update(dict.fromkeys(other for other in names if other != name))
        return {name: tuple(others) for name, others in found.items()}
