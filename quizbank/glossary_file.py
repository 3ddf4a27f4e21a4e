"""Reading the glossary and the sets of cards, which ship with the program.

- key: hidden-state                       - id: last-evening
  name: {en: hidden state, zh: 隐藏状态}       name: {en: The last evening, zh: 面试前夜}
  also: [h_t]                               about: {en: …, zh: …}
  avoid: [隐状态]                             for: read
  means: {en: …, zh: …}                     size: 20
  card: rnn-memory                          cards: [why-qkv, …]
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from pydantic import Field, StringConstraints

from quizbank.card_set import CardSet, Purpose
from quizbank.fault import Fault
from quizbank.glossary import Term
from quizbank.reference_file import read_entries
from quizbank.schema_values import EitherText, Id, Strict, TextModel, either_text

Name = Annotated[str, StringConstraints(min_length=1, max_length=80, pattern=r"^\S(?:[^\n]*\S)?$")]


class TermModel(Strict):
    key: Id
    name: EitherText
    """What the cards call it; one string where both languages write the same."""
    means: TextModel
    also: Annotated[list[Name], Field(default_factory=list)]
    avoid: Annotated[list[Name], Field(default_factory=list)]
    card: Id | None = None

    def frozen_term(self) -> Term:
        return Term(
            self.key,
            either_text(self.name),
            self.means.frozen_text(),
            tuple(self.also),
            tuple(self.avoid),
            self.card or "",
        )


class CardSetModel(Strict):
    id: Id
    name: TextModel
    about: TextModel
    purpose: Annotated[Purpose, Field(alias="for")]
    size: Annotated[int, Field(ge=1)]
    cards: Annotated[list[Id], Field(min_length=1)]

    def frozen_set(self) -> CardSet:
        return CardSet(
            self.id,
            self.name.frozen_text(),
            self.about.frozen_text(),
            self.purpose,
            self.size,
            tuple(self.cards),
        )


def read_glossary(path: Path, name: str = "") -> tuple[dict[str, Term], tuple[Fault, ...]]:
    """The terms by key, and every fault of the file."""
    return read_entries(path, name, TermModel, TermModel.frozen_term, lambda term: term.key)


def read_sets(path: Path, name: str = "") -> tuple[dict[str, CardSet], tuple[Fault, ...]]:
    """The sets of cards by id, and every fault of the file."""
    return read_entries(path, name, CardSetModel, CardSetModel.frozen_set, lambda found: found.id)
