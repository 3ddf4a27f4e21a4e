"""An answer beside the reference as labelled prose: what every screen, sheet and call says of it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from engine.answers.verdict import Counterexample, Shown
from engine.text import Text, same
from quizbank import labels
from quizbank.drills.graded import Graded

_MOST_VALUES = 8
"""Values named in a counterexample; more would not be read."""
_AT = Text(
    "at {values}: yours is {mine}, the reference {right}",
    "取 {values}：你的结果为 {mine}，参考答案为 {right}",
)
_AT_LINE = Text(
    "at {values}: this line is {mine}, the one before {right}",
    "取 {values}：这一行为 {mine}，上一行为 {right}",
)
_SIDES = Text("yours is {mine}, the reference {right}", "你的结果为 {mine}，参考答案为 {right}")
_SIDES_LINE = Text("this line is {mine}, the one before {right}", "这一行为 {mine}，上一行为 {right}")
_NO_VALUE = Text("undefined", "无定义")
_LINE = Text("line {n}", "第 {n} 行")


@dataclass(frozen=True)
class Told:
    """One thing said of an answer; ``text`` is prose, under ``label`` where it needs one."""

    text: Text
    label: Text | None = None


def told(graded: Graded) -> Iterator[Told]:
    """What was given, what is right, why, and the case that shows it, in the order to be read.

    Of a recall the key points follow with the person's ticks; its reference is the card's whole answer.
    """
    typed = graded.kind != "choice"
    given = Text(as_typed(graded.given.en), as_typed(graded.given.zh)) if typed else graded.given
    yield Told(given if graded.given.en.strip() else labels.SAID_ALOUD, labels.GIVEN)
    if graded.kind == "recall":
        for point in graded.ticks:
            sign = "?" if point.ticked is None else "✓" if point.ticked else "✗"
            yield Told(Text(f"{sign} {point.text.en}", f"{sign} {point.text.zh}"))
        return
    reference = graded.reference
    yield Told(Text(verbatim(reference.en), verbatim(reference.zh)) if typed else reference, labels.REFERENCE)
    if graded.slip is not None:
        yield Told(graded.slip, labels.SLIP)
    for text in graded.feedback:
        if text.en:
            yield Told(text)
    verdict = graded.verdict
    if verdict is not None and verdict.counterexample is not None and graded.kind != "number":
        # of a number the two sides are the answer and the reference, which stand above
        yield Told(counterexample(verdict.counterexample, verdict.line), labels.COUNTEREXAMPLE)


def counterexample(found: Counterexample, line: int | None = None) -> Text:
    """Where the two sides part. ``line``: the line of a derivation that does not follow from the one before."""

    def side(value: Shown) -> Text:
        return _NO_VALUE if value is None else same(_shown(value))

    values = [f"{name} = {_shown(value)}" for name, value in list(found.values.items())[:_MOST_VALUES]]
    if len(found.values) > _MOST_VALUES:
        values.append("…")
    of_formulas, of_lines = (_AT, _AT_LINE) if values else (_SIDES, _SIDES_LINE)
    words = of_formulas if line is None else of_lines
    mine, right = side(found.input), side(found.reference)
    text = Text(
        words.en.format(values=", ".join(values), mine=mine.en, right=right.en),
        words.zh.format(values="，".join(values), mine=mine.zh, right=right.zh),
    )
    if line is None:
        return text
    where = _LINE.filled(n=line)
    return Text(f"{where.en}, {text.en}", f"{where.zh}，{text.zh}")


def verbatim(text: str) -> str:
    """Prose that stands as ``text``, whatever it holds: a code span, or a fenced block where it has lines."""
    if not text.strip():
        return ""
    if "\n" not in text and "\r" not in text and "`" not in text:
        return f"`{text.strip()}`"
    ticks = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * max(3, ticks + 1)
    return f"{fence}\n{text}\n{fence}"


def as_typed(text: str) -> str:
    """What a person typed, as prose: words as words, anything that prose would take for markup verbatim."""
    words = re.fullmatch(r"[^$`\\=^_{}*/\n]*", text)
    return text.strip() if words and not re.match(r"\s*-\s", text) else verbatim(text)


def _shown(value: Shown) -> str:
    """No more than six figures of a float."""
    text = f"{value:.6g}" if isinstance(value, float) and not isinstance(value, bool) else str(value)
    return text.replace("$", "").replace("`", "")
