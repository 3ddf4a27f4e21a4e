"""A sheet as JSON: everything it says, as data, in the shape of ``sheet.schema.json``.

Texts are prose in the dialect of :mod:`engine.notation.prose`, formulas LaTeX. What a mode does not print is not in the
file: ``paper`` has no answer, and names drills and options by number and letter alone, since what their author called
them may tell it; the key of the same form has those names beside them. Each card and demonstration stands on a line of its own; the same sheet gives the same bytes.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from importlib.resources import files
from typing import Any

from engine.notation.prose import clean
from engine.text import Text
from quizbank.card import Card, CodeDrill, DerivationDrill, ExpressionDrill, NumberDrill
from quizbank.reference import Source
from quizbank.sheets.content import Backing, Sheet
from quizbank.sheets.data_evidence import demonstration
from quizbank.sheets.formats import Options, Progress, Written
from quizbank.sheets.programs import program
from quizbank.sheets.questions import LETTERS, Asked

FORMAT, VERSION = "proofdeck-sheet", 1


def write(sheet: Sheet, _options: Options, _folder: str, progress: Progress) -> Written:
    """The sheet as one JSON document."""
    document = _Data(sheet, progress).document()
    rows = []
    for name, value in document.items():
        if isinstance(value, list) and value:
            written = "[\n" + ",\n".join(_compact(item) for item in value) + "\n]"
        else:
            written = _compact(value)
        rows.append(f"{_compact(name)}: {written}")
    return Written("{\n" + ",\n".join(rows) + "\n}\n")


def sheet_schema() -> dict[str, Any]:
    """The JSON Schema of what :func:`write` writes."""
    text = (files("quizbank.sheets") / "sheet.schema.json").read_text(encoding="utf-8")
    schema: dict[str, Any] = json.loads(text)
    return schema


_ESCAPED = re.compile(r"\\(?:[\\\"nt]|(.))")
"""What JSON writes after a backslash; a group where it is a control character other than a tab or a line feed."""


def _compact(value: Any) -> str:
    written = _written(value)
    # looking at the whole is a tenth of the work of looking at each text
    sound = written.isprintable() and not any(_ESCAPED.findall(written))
    return written if sound else _written(_cleaned(value))


def _written(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def _cleaned(value: Any) -> Any:
    """The value with all that could command a terminal taken out of its texts."""
    if isinstance(value, str):
        return value if value.isprintable() else clean(value)
    if isinstance(value, dict):
        return {_cleaned(name): _cleaned(item) for name, item in value.items()}
    if isinstance(value, list) and value and not isinstance(value[0], float):
        return [_cleaned(item) for item in value]
    return value


class _Data:
    def __init__(self, sheet: Sheet, progress: Progress) -> None:
        self.sheet = sheet
        self.progress = progress
        self.answered = sheet.mode != "paper"
        self.demonstrations: dict[str, dict[str, Any]] = {}

    def said(self, text: Text) -> dict[str, str]:
        """A text in the languages of the sheet."""
        return {language: text.of(language) for language in self.sheet.languages}

    def document(self) -> dict[str, Any]:
        sheet = self.sheet
        # a paper asks its questions and nothing else of their cards
        shown = sheet.cards if self.answered or sheet.paper is None else ()
        cards = []
        for done, card in enumerate(shown):
            self.progress(done, len(shown))
            cards.append(self._card(card))
        used = {reference.key for card in shown for reference in card.sources} if self.answered else set()
        document: dict[str, Any] = {
            "format": FORMAT,
            "version": VERSION,
            "heading": {**vars(sheet.heading), "mode": sheet.mode, "languages": list(sheet.languages)},
            "of": "cards" if sheet.paper is None else "paper" if sheet.report is None else "self-test",
            "cards": cards,
            "demonstrations": list(self.demonstrations.values()),
            "bibliography": [_source(sheet.bibliography[key]) for key in sorted(used)],
        }
        if sheet.paper is not None:
            document["questions"] = list(self._questions())
        if sheet.report is not None and sheet.mode == "embedded":
            document["self_test"] = sheet.report.as_json()
        return document

    def _questions(self) -> Iterator[dict[str, Any]]:
        """The questions of a paper in their order; of one that is gone nothing but its name."""
        for number, item in enumerate(self.sheet.items, 1):
            question = item.question
            yield {
                "number": number,
                **({"card": question.variant.card} if self.answered else {}),
                "topic": question.topic,
                "level": question.level,
                "drill": None if item.asked is None else self._drill(number, item.asked, item.card),
            }

    def _card(self, card: Card) -> dict[str, Any]:
        asked = self.sheet.asked.get(card.id, ()) if self.sheet.paper is None else ()
        head = {
            "id": card.id,
            "kind": card.kind,
            "topic": card.topic,
            "level": card.level,
            "tags": list(card.tags),
            "needs": list(card.needs),
            "revised": self.sheet.revised.get(card.id),
            "question": self.said(card.question),
            "drills": [self._drill(number, drill, card) for number, drill in enumerate(asked, 1)],
        }
        if not self.answered:
            return {**head, "follow_ups": [{"question": self.said(one.question)} for one in card.follow_ups]}
        trap = {
            "popular": self.said(card.trap.popular),
            "correction": self.said(card.trap.correction),
            "refuted_by": card.trap.refuted_by,
        }
        return {
            **head,
            "verdict": card.verdict,
            "spoken": None if card.is_plain else self.said(card.spoken),
            "answer": self.said(card.answer),
            "key_points": [{"id": point.id, "text": self.said(point.text)} for point in card.key_points],
            "trap": None if card.is_plain else trap,
            "follow_ups": [
                {
                    "question": self.said(one.question),
                    "answer": self.said(one.answer),
                    "card": one.card or None,
                }
                for one in card.follow_ups
            ],
            "sources": [{"key": source.key, "where": self.said(source.where)} for source in card.sources],
            "claims": list(card.claims),
            "demonstrations": self._backed(card),
        }

    def _backed(self, card: Card) -> list[str]:
        """The keys of the demonstrations behind a card; each stands once in the document."""
        if self.sheet.mode != "embedded":
            return [demo.id for demo in card.demos]
        return [self._key(backing) for backing in self.sheet.backings.get(card.id, ())]

    def _key(self, backing: Backing) -> str:
        parameters = tuple(sorted(backing.params.items()))
        name = ", ".join(f"{name}={value}" for name, value in parameters)
        key = f"{backing.demo.id}({name})"
        if key not in self.demonstrations:
            self.demonstrations[key] = demonstration(key, backing, self.said)
        return key

    def _drill(self, number: int, asked: Asked, card: Card | None) -> dict[str, Any]:
        drill = asked.drill
        told: dict[str, Any] = {
            "number": number,
            **({"id": drill.id} if self.answered else {}),
            "kind": drill.kind,
            "question": self.said(asked.question),
        }
        if asked.options:
            told["options"] = [
                {
                    "letter": letter,
                    "text": self.said(option.text),
                    **(
                        {"id": option.id, "right": option.right, "feedback": self.said(option.feedback)}
                        if self.answered
                        else {}
                    ),
                }
                for letter, option in zip(LETTERS, asked.options, strict=False)
            ]
            return told
        key: dict[str, Any] = {}
        if isinstance(drill, NumberDrill):
            told["unit"] = drill.unit
            key = {"answer": asked.answer, "relative_tolerance": drill.rel, "absolute_tolerance": drill.abs}
        elif isinstance(drill, ExpressionDrill | DerivationDrill):
            told |= {"mode": drill.mode, "symbols": dict(drill.symbols), "where": dict(drill.where)}
            if isinstance(drill, ExpressionDrill):
                key = {"answer": drill.answer}
            else:
                told |= {"start": drill.start, "goal": drill.goal}
                key = {
                    "lines": [drill.start, *(milestone.line for milestone in drill.milestones), drill.goal]
                }
        elif isinstance(drill, CodeDrill):
            task, start, solution = program(drill.spec)
            told |= {
                "task": self.said(task),
                "program": {one: start.of(one) for one in self.sheet.languages},
            }
            key = {"answer": solution}
        elif card is not None:
            key = {"key_points": [point.id for point in card.key_points]}
        if asked.slips:
            key["slips"] = [
                {"value": value.strip("`"), "name": self.said(name)} for value, name in asked.slips
            ]
        return {**told, **key} if self.answered else told


def _source(source: Source) -> dict[str, Any]:
    return {
        "key": source.key,
        "authors": list(source.authors),
        "year": source.year,
        "title": source.title,
        "venue": source.venue,
        "link": source.link,
    }
