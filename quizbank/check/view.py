"""What the rules look at: the bank, places in its files, demonstrations and what they compute."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.answers.judge import judge
from engine.demos import load
from engine.errors import InputError
from engine.proof.derivation import ProofCache
from engine.proof.step import Status
from engine.text import LANGUAGES, Language, Text
from quizbank.bank import Bank
from quizbank.card import Card, ChoiceDrill, DerivationDrill, ExpressionDrill, NumberDrill, Value
from quizbank.drills.grading import Grader, JudgeCase
from quizbank.fault import Fault
from quizbank.mending import Mended
from quizbank.slots import Quantities
from quizbank.yaml_nodes import Document, Loc, read_document

if TYPE_CHECKING:
    from engine.demonstration import Run


class View:
    """The bank under check. A demonstration is built and run once for each set of parameters.

    ``mended`` are those of its cards, by id, that hold stand-ins for parts whose form is at fault.
    """

    def __init__(
        self,
        bank: Bank,
        quantities: Quantities,
        proofs: ProofCache | None = None,
        judge: JudgeCase = judge,
        mended: Mapping[str, Mended] | None = None,
    ) -> None:
        self.bank = bank
        self.mended = mended or {}
        self._untold: set[Fault] = set()
        self.quantities = quantities
        self.proofs = proofs
        self.grader = Grader({card.id: card for card in bank.cards}, quantities.value, judge=judge)
        self.steps = cache(self._steps)
        self._runs: dict[str, Run] = {}
        self._entries: dict[str, tuple[Document, dict[str, int]]] = {}

    def fault(self, card: Card, loc: Loc, en: str, zh: str, offset: int | None = None) -> Fault:
        """A fault at a value of a card, or at a character of the text that it is."""
        path = ".".join(str(step + 1) if isinstance(step, int) else step for step in loc)
        name = f"{card.id}, {path}" if path else card.id
        fault = Fault(self.place(card, loc, offset), Text(f"{name}: {en}", f"{name}：{zh}"))
        if card.id in self.mended and self.mended[card.id].stands_in(loc):
            self._untold.add(fault)
        return fault

    def is_told(self, fault: Fault) -> bool:
        """Whether a fault is worth telling: none of a stand-in, none of a text that YAML itself has changed."""
        if fault in self._untold:
            return False
        file, *place = fault.where.rsplit(":", 2)
        document, _ = self._entries.get(file, (None, {}))
        return document is None or not (
            place and place[0].isdigit() and int(place[0]) in document.faulty_lines
        )

    def place(self, card: Card, loc: Loc, offset: int | None = None) -> str:
        """``file:line:column``; the place of the entry where the file cannot be read again."""
        file = self.file(card)
        if file not in self._entries:
            self._entries[file] = self._read(file)
        document, positions = self._entries[file]
        if card.id not in positions:
            return card.place
        return document.place(("cards", positions[card.id], *loc), offset)

    def file(self, card: Card) -> str:
        """The file a card stands in, as places of it begin."""
        return card.place.rsplit(":", 2)[0]

    @cached_property
    def _files(self) -> dict[str, Path]:
        return {deck.label(file): file for deck in self.bank.decks for file in deck.files}

    def _read(self, file: str) -> tuple[Document, dict[str, int]]:
        """The file's tree, and the position in it of each card."""
        if file not in self._files:
            return Document(file, [], None), {}
        document = read_document(self._files[file], file)
        if document.root is None or "cards" not in document.root.entries:
            return document, {}
        positions: dict[str, int] = {}
        for position, node in enumerate(document.root.entries["cards"][1].items):
            if "id" in node.entries:
                positions.setdefault(str(node.entries["id"][1].value), position)
        return document, positions

    def _steps(self, demo_id: str) -> Mapping[str, Status]:
        """The names of a derivation's steps and the status each is expected to have."""
        kept = self.proofs.get(demo_id) if self.proofs is not None else None
        steps: Any = kept if kept is not None else load(demo_id).derive()
        return {step.name: step.expected for step in steps}

    def run(self, demo_id: str, given: Mapping[str, Value]) -> Run:
        """A run at seed 0.

        Raises:
            InputError: unknown demonstration or parameter, or a value out of range.
        """
        key = f"{demo_id} {sorted(given.items())}"
        if key not in self._runs:
            self._runs[key] = load(demo_id).run(given, seed=0)
            self.quantities.learn(self._runs[key], given)
        return self._runs[key]

    def known_demo(self, demo_id: str) -> bool:
        try:
            load(demo_id)
        except InputError:
            return False
        return True


def texts(card: Card) -> Iterator[tuple[Loc, Text]]:
    """Every text of a card in both languages, with its place in the entry."""
    yield ("question",), card.question
    yield ("answer",), card.answer
    if card.is_plain:
        return
    yield ("spoken",), card.spoken
    for i, point in enumerate(card.key_points):
        yield ("key_points", i, "text"), point.text
    yield ("trap", "popular"), card.trap.popular
    yield ("trap", "correction"), card.trap.correction
    for i, follow_up in enumerate(card.follow_ups):
        yield ("follow_ups", i, "question"), follow_up.question
        yield ("follow_ups", i, "answer"), follow_up.answer
    for i, source in enumerate(card.sources):
        yield ("sources", i, "where"), source.where
    for i, drill in enumerate(card.drills):
        yield ("drills", i, "question"), drill.question
        if isinstance(drill, ChoiceDrill):
            for j, option in enumerate(drill.options):
                yield ("drills", i, "options", j, "text"), option.text
                yield ("drills", i, "options", j, "feedback"), option.feedback
        elif isinstance(drill, NumberDrill | ExpressionDrill | DerivationDrill):
            for j, slip in enumerate(drill.slips):
                yield ("drills", i, "slips", j, "name"), slip.name
        if isinstance(drill, DerivationDrill):
            for j, milestone in enumerate(drill.milestones):
                yield ("drills", i, "milestones", j, "hint"), milestone.hint
    for i, cited in enumerate(card.cited):
        yield ("cited", i, "where"), cited.where


def single_texts(card: Card) -> Iterator[tuple[Loc, Language, str]]:
    """Every text of a card in one language; a text that is the same in both comes once."""
    for loc, text in texts(card):
        for language in LANGUAGES[:1] if text.en == text.zh else LANGUAGES:
            yield (*loc, language), language, text.of(language)


def drill_variables(card: Card, loc: Loc) -> dict[str, Value]:
    """The first variant's variables where the text at ``loc`` is part of a number drill."""
    if loc[0] == "drills" and isinstance(loc[1], int):
        drill = card.drills[loc[1]]
        if isinstance(drill, NumberDrill):
            return {name: values[0] for name, values in drill.vary.items()}
    return {}


def entry_places(document: Document, key: str) -> dict[str, str]:
    """Where each entry of a file that is a list begins, by the value of its ``key``."""
    places: dict[str, str] = {}
    for position, node in enumerate(document.root.items if document.root is not None else []):
        if key in node.entries:
            places.setdefault(str(node.entries[key][1].value), document.place((position,)))
    return places
