"""Drills on a sheet: what is asked, and the key with what the wrong answers get wrong."""

from __future__ import annotations

from collections.abc import Iterator

from engine.text import Text, same
from quizbank import labels
from quizbank.card import Card, CodeDrill, DerivationDrill, Option
from quizbank.sheets.document import Boxed, Bullets, Heading, Node, Passage
from quizbank.sheets.programs import program
from quizbank.sheets.questions import LETTERS, Asked
from quizbank.sheets.wording import capital, labelled


def question_nodes(index: int, asked: Asked, level: int) -> Iterator[Node]:
    """A drill under a heading of its own."""
    kind = capital(labels.KIND[asked.drill.kind])
    yield Heading(level, Text(f"{index}. {kind.en}", f"{index}. {kind.zh}"))
    yield from asked_nodes(asked)


def asked_nodes(asked: Asked) -> Iterator[Node]:
    """What is asked, with its options, the ends of a derivation, or how a program begins."""
    yield Passage(asked.question)
    if isinstance(asked.drill, CodeDrill):
        told = program(asked.drill.spec)
        yield Passage(told.task)
        yield Passage(Text(_program(told.start.en), _program(told.start.zh)))
    if isinstance(asked.drill, DerivationDrill):
        ends = ((labels.START, asked.drill.start), (labels.GOAL, asked.drill.goal))
        yield Bullets(tuple(labelled(label, same(f"`{end}`")) for label, end in ends))
    if asked.options:
        yield Bullets(tuple(_lettered(letter, option.text) for letter, option in _options(asked)))


def solution_nodes(asked: Asked, card: Card) -> Iterator[Node]:
    """The key of a drill, and what the wrong answers to it get wrong."""
    if asked.options:
        for letter, option in _options(asked):
            if option.right:
                yield Boxed(labelled(labels.KEY, same(letter)), option.feedback)
        wrong = (_lettered(letter, option.feedback) for letter, option in _options(asked) if not option.right)
        yield Bullets(tuple(wrong))
    elif isinstance(asked.drill, CodeDrill):
        yield Passage(same(_program(program(asked.drill.spec).solution)))
    elif asked.answer:
        yield Passage(labelled(labels.KEY, same(asked.answer)))
        if asked.slips:
            yield Bullets(tuple(labelled(same(value), name) for value, name in asked.slips))
    else:
        yield Bullets(tuple(point.text for point in card.key_points))


def _program(source: str) -> str:
    """A program as prose."""
    stripped = source.strip("\n")
    return f"```python\n{stripped}\n```"


def _options(asked: Asked) -> Iterator[tuple[str, Option]]:
    return zip(LETTERS, asked.options, strict=False)


def _lettered(letter: str, text: Text) -> Text:
    return Text(f"({letter}) {text.en}", f"({letter}) {text.zh}")
