"""Reading the bibliography and the inventory of claims, which ship with the program.

- key: vaswani-2017                       - id: dot-product-variance
  authors: [Ashish Vaswani, …]              system: attention
  year: 2017                                topic: attention
  title: Attention Is All You Need          claim: 'If q and k have …'
  venue: NIPS 2017                          verdict: imprecise
  arxiv: '1706.03762'   # or doi, or url    kind: proved
                                            demos: [D19]
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Literal, Self, TypeVar

from pydantic import Field, StringConstraints, ValidationError, model_validator
from pydantic_core import PydanticCustomError

from engine.text import Text
from quizbank.card import Topic
from quizbank.fault import Fault, shown
from quizbank.reference import Claim, Source
from quizbank.schema_values import DemoId, Id, Strict, VerdictWord
from quizbank.validation_fault import validation_fault
from quizbank.yaml_nodes import MOST_FAULTS, TOO_MANY, read_document

Line = Annotated[str, StringConstraints(min_length=1, max_length=500, pattern=r"^\S[^\n]*$")]


class SourceModel(Strict):
    key: Id
    authors: Annotated[list[Line], Field(min_length=1)]
    year: Annotated[int, Field(ge=1800, le=2100)]
    title: Line
    venue: Line
    arxiv: Annotated[str, StringConstraints(pattern=r"^(\d{4}\.\d{4,5}|[a-z-]+/\d{7}|)$")] = ""
    doi: Annotated[str, StringConstraints(pattern=r"^(10\.\d{4,9}/\S+|)$")] = ""
    url: Annotated[str, StringConstraints(pattern=r"^(https?://[^\s<>\"]+|)$")] = ""

    @model_validator(mode="after")
    def _one_address(self) -> Self:
        if sum(map(bool, (self.arxiv, self.doi, self.url))) != 1:
            raise PydanticCustomError(
                "expression",
                "{en}",
                {
                    "en": "exactly one of arxiv, doi and url is needed",
                    "zh": "arxiv、doi、url 须且只须给出一个",
                },
            )
        return self

    def frozen_source(self) -> Source:
        return Source(
            self.key, tuple(self.authors), self.year, self.title, self.venue, self.arxiv, self.doi, self.url
        )


class ClaimModel(Strict):
    id: Id
    system: Line
    topic: Topic
    claim: Line
    verdict: VerdictWord
    kind: Literal["proved", "measured", "cited"]
    demos: list[DemoId]
    graded: bool = True

    def frozen_claim(self) -> Claim:
        return Claim(
            self.id,
            self.system,
            self.topic,
            self.claim,
            self.verdict,
            self.kind,
            tuple(self.demos),
            self.graded,
        )


def read_bibliography(path: Path, name: str = "") -> tuple[dict[str, Source], tuple[Fault, ...]]:
    """The sources by key, and every fault of the file."""
    return read_entries(path, name, SourceModel, SourceModel.frozen_source, lambda source: source.key)


def read_claims(path: Path, name: str = "") -> tuple[dict[str, Claim], tuple[Fault, ...]]:
    """The claims by id, and every fault of the file."""
    return read_entries(path, name, ClaimModel, ClaimModel.frozen_claim, lambda claim: claim.id)


class CompleteModel(Strict):
    """Topics whose cards are all written."""

    topics: list[Topic]


def read_complete(path: Path, name: str = "") -> tuple[frozenset[str], tuple[Fault, ...]]:
    """The topics declared complete, and every fault of the file."""
    document = read_document(path, name)
    if document.root is None:
        return frozenset(), tuple(document.faults)
    try:
        topics = CompleteModel.model_validate(document.root.plain()).topics
    except ValidationError as error:
        found = [validation_fault(document, (), details) for details in error.errors()]
        return frozenset(), (*document.faults, *found)
    return frozenset(topics), tuple(document.faults)


Model = TypeVar("Model", bound=Strict)
Entry = TypeVar("Entry")


def read_entries(
    path: Path,
    name: str,
    model: type[Model],
    freeze: Callable[[Model], Entry],
    key_of: Callable[[Entry], str],
) -> tuple[dict[str, Entry], tuple[Fault, ...]]:
    """The entries of a file that is a list, by key, and every fault of it; an entry at fault is left out."""
    document = read_document(path, name)
    faults = list(document.faults)
    entries: dict[str, Entry] = {}
    places: dict[str, str] = {}
    root = document.root
    if root is None or root.kind != "list":
        if not faults:
            faults.append(Fault(document.name, Text("the file must hold a list", "文件内容应为列表")))
        return {}, tuple(faults)
    for position, node in enumerate(root.items):
        try:
            entry = freeze(model.model_validate(node.plain()))
        except ValidationError as error:
            faults += [validation_fault(document, (position,), details) for details in error.errors()]
            if len(faults) > MOST_FAULTS:
                faults.append(Fault(document.name, TOO_MANY))
                break
            continue
        key, place = key_of(entry), document.place((position,))
        if key in entries:
            faults.append(
                Fault(
                    place,
                    Text("{k} is there twice; first at {p}", "{k} 重复；首次出现在 {p}").filled(
                        k=shown(key), p=places[key]
                    ),
                )
            )
            continue
        entries[key], places[key] = entry, place
    return entries, tuple(faults)
