"""A paper: which drills, in which variant and order. Frozen when drawn; the same on resume, review and print."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.errors import InputError
from engine.text import Text
from quizbank.card import LEVELS, TOPICS
from quizbank.drills.variant import Variant, digest

FORMAT = 1
_LARGEST_FILE = 5_000_000
_ALPHABET = "23456789ABCDEFGHJKMNPQRSTUVWXYZ"
"""Letters and digits that are not mistaken for each other in print."""
_FORM_LENGTH = 6


@dataclass(frozen=True)
class Question:
    """One question of a paper; topic and level are those of its card when the paper was drawn."""

    variant: Variant
    topic: str
    level: str


@dataclass(frozen=True)
class Paper:
    """The questions in their order, and what was asked for: ``asked`` questions in ``minutes`` (None: no limit).

    Empty ``topics``, ``kinds``, ``levels`` stand for all of them. ``weights`` are those of the topics where the
    paper was weighted (None: it was balanced).
    """

    seed: int
    asked: int
    minutes: int | None
    topics: tuple[str, ...]
    kinds: tuple[str, ...]
    levels: tuple[str, ...]
    questions: tuple[Question, ...]
    weights: Mapping[str, float] | None = None

    @property
    def form(self) -> str:
        """A short name that stands on the paper and on its key; another paper has another."""
        text = json.dumps(self._contents(), sort_keys=True, ensure_ascii=False, separators=(",", ":"))
        number = int.from_bytes(digest("form", text)[:8])
        letters = []
        for _ in range(_FORM_LENGTH):
            number, place = divmod(number, len(_ALPHABET))
            letters.append(_ALPHABET[place])
        return "".join(letters)

    @property
    def shortfall(self) -> Text | None:
        """What to say where fewer questions exist than were asked for."""
        if len(self.questions) == self.asked:
            return None
        return Text(
            f"{self.asked} questions were asked for; the bank holds {len(self.questions)} of this kind",
            f"要求 {self.asked} 道题，题库中符合条件的只有 {len(self.questions)} 道",
        )

    def as_json(self) -> dict[str, Any]:
        return {"format": FORMAT, "form": self.form, **self._contents()}

    def text(self) -> str:
        """The paper as a file holds it."""
        return json.dumps(self.as_json(), ensure_ascii=False, indent=1) + "\n"

    def _contents(self) -> dict[str, Any]:
        # papers drawn without weights keep the form they had before there were any
        weights = {} if self.weights is None else {"weights": dict(self.weights)}
        return {
            "seed": self.seed,
            "asked": self.asked,
            "minutes": self.minutes,
            "topics": list(self.topics),
            "kinds": list(self.kinds),
            "levels": list(self.levels),
            **weights,
            "questions": [
                {**question.variant.as_json(), "topic": question.topic, "level": question.level}
                for question in self.questions
            ],
        }

    @classmethod
    def from_json(cls, document: Any, where: str = "") -> Paper:
        """Read what :meth:`as_json` wrote.

        Raises:
            InputError: not a paper, of a newer format, or changed after it was drawn; ``where`` names the file.
        """
        fields = document if isinstance(document, dict) else {}
        form = fields.get("format")
        if isinstance(form, int) and form > FORMAT:
            raise InputError(
                Text(
                    "a newer version of Proofdeck drew this paper; update to print it",
                    "这份试卷由较新版本的 Proofdeck 组成；请更新后再打印",
                ),
                where,
            )
        if form != FORMAT:
            raise _no_paper(where)
        try:
            paper = cls(
                seed=_whole(fields["seed"]),
                asked=_whole(fields["asked"]),
                minutes=None if fields["minutes"] is None else _whole(fields["minutes"]),
                topics=_words(fields["topics"]),
                kinds=_words(fields["kinds"]),
                levels=_words(fields["levels"]),
                questions=tuple(_question(question) for question in fields["questions"]),
                weights=_weights(fields.get("weights")),
            )
        except (KeyError, TypeError, InputError) as error:
            raise _no_paper(where) from error
        if fields.get("form") != paper.form:
            raise InputError(
                Text(
                    "this paper was changed after it was drawn, so no key fits it; draw it again (proofdeck paper)",
                    "这份试卷在组卷之后被改动过，没有答案与之对应；请重新组卷（proofdeck paper）",
                ),
                where,
            )
        return paper


def read_paper(path: Path) -> Paper:
    """A paper from its file. Raises InputError: it cannot be read, or as :meth:`Paper.from_json`."""
    where = str(path)
    try:
        with path.open("rb") as file:
            content = file.read(_LARGEST_FILE + 1)
        document = json.loads(content.decode("utf-8")) if len(content) <= _LARGEST_FILE else None
    except OSError as error:
        raise InputError(
            Text("the file cannot be read: {why}", "文件无法读取：{why}").filled(why=error.strerror or error),
            where,
        ) from error
    except json.JSONDecodeError as error:
        raise _no_paper(f"{where}:{error.lineno}:{error.colno}") from error
    except (ValueError, RecursionError) as error:
        raise _no_paper(where) from error
    return Paper.from_json(document, where)


def _question(document: Any) -> Question:
    if not isinstance(document, Mapping):
        raise TypeError
    topic, level = document["topic"], document["level"]
    if topic not in TOPICS or level not in LEVELS:
        raise TypeError
    return Question(Variant.from_json(document), topic, level)


def _whole(given: Any) -> int:
    if isinstance(given, bool) or not isinstance(given, int) or given < 0:
        raise TypeError
    return given


def _weights(given: Any) -> dict[str, float] | None:
    if given is None:
        return None
    if not isinstance(given, dict):
        raise TypeError
    for topic, weight in given.items():
        if topic not in TOPICS or isinstance(weight, bool) or not isinstance(weight, int | float):
            raise TypeError
        if not 0 < weight < float("inf"):
            raise TypeError
    return {topic: float(weight) for topic, weight in given.items()}


def _words(given: Any) -> tuple[str, ...]:
    if not isinstance(given, list) or not all(isinstance(word, str) for word in given):
        raise TypeError
    return tuple(given)


def _no_paper(where: str) -> InputError:
    return InputError(
        Text(
            "this is not a self-test paper; proofdeck paper draws one",
            "这不是自测试卷文件；可用 proofdeck paper 组一份",
        ),
        where,
    )
