"""What becomes a note in Anki, and what its fields say.

A card becomes a question with everything that stands behind it, and, where it has key points, a cloze that leaves out
one of them at a time: what a full answer must hold is what is forgotten first. Each drill becomes a note of its own,
in the variant that the sheet drew; to say the whole answer aloud (a recall) is what the question asks already.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from engine.notation.prose import clean
from engine.text import Language, Text, same
from quizbank import labels
from quizbank.card import Card
from quizbank.revisions import KEY_POINTS, QUESTION
from quizbank.sheets.anki.field import LANG, each, escaped, gap, line, plain
from quizbank.sheets.anki.nodes import Fields, Media
from quizbank.sheets.anki.note_type import CLOZE_FIELDS, QUESTION_FIELDS
from quizbank.sheets.content import Backing, Sheet
from quizbank.sheets.document import Citation, Drawing, Heading, Node, Pointer
from quizbank.sheets.drill_nodes import asked_nodes, solution_nodes
from quizbank.sheets.proof_nodes import Proofs
from quizbank.sheets.questions import Asked

LAYOUT_REVISED = 1796032800
"""2026-11-30T10:00:00Z: when what is written of an unchanged card last changed. Moved on, it makes every note newer.

That is also how a mended number or derivation reaches notes whose texts are as they were: the engine's part of a note
differs from machine to machine in its last digits, so it has no digest in the ledger.
"""
ROOT = "Proofdeck"


@dataclass(frozen=True)
class Note:
    """One note: ``guid`` is what Anki knows it by, ``revised`` (seconds, UTC) what it compares on the next import."""

    guid: str
    cloze: bool
    fields: tuple[str, ...]
    tags: tuple[str, ...]
    deck: str
    revised: int


class Notes:
    """The notes of one sheet; the plots they name gather in ``media``."""

    def __init__(self, sheet: Sheet) -> None:
        self.sheet = sheet
        self.languages: Sequence[Language] = sheet.languages
        self.media = Media()
        self.fields = Fields(sheet.languages, self.media)
        self._cited: dict[str, str] = {}
        self._written: dict[tuple[object, ...], tuple[str, str]] = {}

    def of(self, card: Card) -> Iterator[Note]:
        """The notes of a card of the sheet, in the order to be learnt."""
        yield self._question(card)
        if card.key_points:
            yield self._key_points(card)
        for asked in self.sheet.asked.get(card.id, ()):
            if asked.drill.kind != "recall":
                yield self._drill(card, asked)

    def _question(self, card: Card) -> Note:
        backings = self.sheet.backings.get(card.id, ())
        plots, proof = self._backed(backings)
        plainly = card.is_plain
        return self._note(
            card,
            QUESTION,
            "question",
            {
                "Question": each(card.question, self.languages),
                "Spoken": "" if plainly else each(card.spoken, self.languages),
                "Answer": each(card.answer, self.languages),
                "Key points": self._points(card),
                "Trap": "" if plainly else self._trap(card, backings),
                "Follow-ups": "".join(self._unfolded(one.question, one.answer) for one in card.follow_ups),
                "Plots": plots,
                "Proof": proof if backings or not plainly else plain(labels.NO_DEMONSTRATION, self.languages),
                "Sources": self._sources(card),
            },
        )

    def _key_points(self, card: Card) -> Note:
        texts = []
        for language in self.languages:
            gaps = "".join(
                f"<li>{gap(number, point.text.of(language))}</li>"
                for number, point in enumerate(card.key_points, 1)
            )
            texts.append(
                f'<div lang="{LANG[language]}"><p>{line(card.question.of(language), cloze=True)}</p><ol>{gaps}</ol></div>'
            )
        return self._note(
            card,
            KEY_POINTS,
            "key-points",
            {
                "Text": "".join(texts),
                "Extra": each(card.spoken, self.languages),
                "Sources": self._sources(card),
            },
            cloze=True,
        )

    def _drill(self, card: Card, asked: Asked) -> Note:
        return self._note(
            card,
            f"/{asked.drill.id}",
            asked.drill.kind,
            {
                "Question": self.fields.html(asked_nodes(asked)),
                # a key, and not the answer that the style heads a section with
                "Answer": f'<div class="key">{self.fields.html(solution_nodes(asked, card))}</div>',
                "Sources": self._sources(card),
            },
        )

    def _points(self, card: Card) -> str:
        return (
            "".join(
                f'<div lang="{LANG[language]}"><ul>'
                + "".join(f"<li>{line(point.text.of(language))}</li>" for point in card.key_points)
                + "</ul></div>"
                for language in self.languages
            )
            if card.key_points
            else ""
        )

    def _trap(self, card: Card, backings: Sequence[Backing]) -> str:
        refutation = Proofs.refutation(card.trap.refuted_by, backings)
        return (
            f'<div class="popular">{each(card.trap.popular, self.languages)}</div>'
            f'<div class="correction">{each(card.trap.correction, self.languages)}</div>'
            f"{self.fields.html([refutation])}"
        )

    def _unfolded(self, head: Text, body: Text) -> str:
        """A question whose answer shows when it is asked for."""
        return f"<details><summary>{each(head, self.languages, line)}</summary>{each(body, self.languages)}</details>"

    def _backed(self, backings: Sequence[Backing]) -> tuple[str, str]:
        """The plots of the demonstrations, and what they prove and measure."""
        # a note stands alone: what it points to as shown above is shown in the note itself
        proofs = Proofs(level=4)
        written = [self._backing(backing, tuple(proofs.nodes(backing))) for backing in backings]
        return "".join(plots for plots, _ in written), "".join(proof for _, proof in written)

    def _backing(self, backing: Backing, nodes: tuple[Node, ...]) -> tuple[str, str]:
        key = (backing.demo.id, tuple(sorted(backing.params.items())), len(nodes))
        if key not in self._written:
            title, *rest = nodes
            plots = self.fields.html((node for node in rest if isinstance(node, Drawing)), backing.demo.id)
            told = self.fields.html(node for node in rest if not isinstance(node, Drawing))
            name = title.text if isinstance(title, Heading | Pointer) else same(backing.demo.id)
            proof = f"<details><summary>{each(name, self.languages, line)}</summary>{told}</details>"
            self._written[key] = plots, proof
        return self._written[key]

    def _sources(self, card: Card) -> str:
        if card.id not in self._cited:
            cited = (Citation(self.sheet.bibliography[one.key], one.where) for one in card.sources)
            self._cited[card.id] = self.fields.html(cited)
        return self._cited[card.id]

    def _note(self, card: Card, part: str, kind: str, said: dict[str, str], cloze: bool = False) -> Note:
        names = CLOZE_FIELDS if cloze else QUESTION_FIELDS
        said["Card"] = escaped(card.id)
        # a note whose first field shows nothing would have no card
        if not re.sub(r"<[^>]*>", "", said[names[0]]).strip():
            said[names[0]] = escaped(card.id)
        return Note(
            f"proofdeck/{card.id}{part}",
            cloze,
            tuple(said.get(name, "") for name in names),
            tuple(_tag(one) for one in (*_standing(card, kind), *card.tags)),
            f"{ROOT}::{card.topic}",
            max(self.sheet.revised.get(f"{card.id}{part}", 0), LAYOUT_REVISED),
        )


def _standing(card: Card, kind: str) -> Iterator[str]:
    yield f"proofdeck::topic::{card.topic}"
    yield f"proofdeck::level::{card.level}"
    yield f"proofdeck::verdict::{card.verdict}"
    yield f"proofdeck::kind::{kind}"


def _tag(given: str) -> str:
    """A tag: Anki parts tags at white space."""
    return re.sub(r"\s+", "-", clean(given).strip()) or "-"
