"""An answer beside the reference as labelled prose: what every screen, sheet and call says of it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from engine.answers.verdict import Shown, Verdict
from engine.notation.prose import clean
from engine.text import Text, same
from quizbank import labels
from quizbank.drills.graded import Graded, GradedLine

_MOST_VALUES = 8
"""Values named in a counterexample; more would not be read."""
_AT = Text(
    "at {values}, yours is {mine}, the reference {right}",
    "取 {values} 时，你的结果为{mine}，参考答案为{right}",
)
_AT_LINE = Text(
    "at {values}, this line is {mine}, the one before {right}",
    "取 {values} 时，这一行为{mine}，上一行为{right}",
)
_SIDES = Text("yours is {mine}, the reference {right}", "你的结果为{mine}，参考答案为{right}")
_SIDES_LINE = Text("this line is {mine}, the one before {right}", "这一行为{mine}，上一行为{right}")
_NO_VALUE = Text("undefined", "无定义")
_SIGNS = {"equal": "✓", "different": "✗", "unchecked": "–"}


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
    if graded.kind == "code":
        # the listings are long: what broke stands before them
        yield from map(Told, graded.feedback)
    if graded.lines:
        yield from _lines(graded.lines)
    else:
        given = Text(as_typed(graded.given.en), as_typed(graded.given.zh)) if typed else graded.given
        yield Told(given if graded.given.en.strip() else labels.SAID_ALOUD, labels.GIVEN)
    if graded.kind == "recall":
        for point in graded.ticks:
            sign = "?" if point.ticked is None else "✓" if point.ticked else "✗"
            yield Told(Text(f"{sign} {point.text.en}", f"{sign} {point.text.zh}"))
        return
    reasons = graded.feedback if graded.kind != "code" else ()
    if graded.kind == "choice" and len(reasons) > 1:
        # why not the option taken stands beneath it, before the right one with its own reason
        yield Told(reasons[0])
        reasons = reasons[1:]
    yield Told(_reference(graded), labels.REFERENCE)
    if graded.slip is not None:
        yield Told(graded.slip, labels.SLIP)
    for text in reasons:
        if text.en:
            # what a verdict says is plain, and may quote what was typed
            yield Told(text if graded.kind == "choice" else Text(_plain(text.en), _plain(text.zh)))
    verdict = graded.verdict
    # of a number the two sides are the answer and the reference, which stand above
    if verdict is not None and graded.kind != "number":
        case = counterexample(verdict, verdict.line is not None)
        if case is not None:
            yield Told(case, labels.COUNTEREXAMPLE)


def right_answer(graded: Graded) -> Iterator[Told]:
    """What would have been right where nothing was answered (:meth:`quizbank.drills.grading.Grader.unanswered`)."""
    if graded.kind == "recall":
        for place, point in enumerate(graded.ticks):
            yield Told(point.text, None if place else labels.REFERENCE)
        return
    yield Told(_reference(graded), labels.REFERENCE)
    if graded.kind == "choice":
        yield from map(Told, graded.feedback)


def _reference(graded: Graded) -> Text:
    if graded.kind == "choice":
        return graded.reference
    reference = same(_short(graded.reference.en)) if graded.kind == "number" else graded.reference
    return Text(verbatim(reference.en), verbatim(reference.zh))


def _lines(lines: Sequence[GradedLine]) -> Iterator[Told]:
    """The lines of a derivation, numbered, each with its verdict, and whether a hint gave it."""
    for number, line in enumerate(lines, 1):
        mark, written = f"{number}. {_SIGNS.get(line.verdict, '?')}", verbatim(f"= {line.text}")
        hint = Text(f" ({labels.HINT.en})", f"（{labels.HINT.zh}）") if line.hint else same("")
        # a fence stands on a line of its own
        if written.startswith("```"):
            text = Text(f"{mark}{hint.en}\n{written}", f"{mark}{hint.zh}\n{written}")
        else:
            text = Text(f"{mark} {written}{hint.en}", f"{mark} {written}{hint.zh}")
        yield Told(text, labels.GIVEN if number == 1 else None)


def counterexample(verdict: Verdict, of_a_line: bool = False) -> Text | None:
    """Where the two sides part; None without a case, and where the reason names both sides, as it does of shapes.

    ``of_a_line``: they are a line of a derivation and the line before it.
    """
    found = verdict.counterexample
    if found is None:
        return None
    sides = (found.input, found.reference)
    if not found.values and all(isinstance(one, str) and one in verdict.reason.en for one in sides):
        return None

    def side(value: Shown) -> Text:
        # in Chinese a space stands before a number, and none before a word
        return _NO_VALUE if value is None else Text(_shown(value), f" {_shown(value)}")

    values = [f"{name} = {_shown(value)}" for name, value in list(found.values.items())[:_MOST_VALUES]]
    if len(found.values) > _MOST_VALUES:
        values.append("…")
    of_formulas, of_lines = (_AT, _AT_LINE) if values else (_SIDES, _SIDES_LINE)
    words = of_lines if of_a_line else of_formulas
    mine, right = side(found.input), side(found.reference)
    return Text(
        words.en.format(values=", ".join(values), mine=mine.en, right=right.en),
        words.zh.format(values="，".join(values), mine=mine.zh, right=right.zh),
    )


def verbatim(text: str) -> str:
    """Prose that stands as ``text``, whatever it holds: a code span, or a fenced block where it has lines."""
    text = clean(text)
    if not text.strip():
        return ""
    if "\n" not in text and "`" not in text:
        return f"`{text.strip()}`"
    ticks = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * max(3, ticks + 1)
    return f"{fence}\n{text}\n{fence}"


def as_typed(text: str) -> str:
    """What a person typed, as prose: words as words, anything that prose would take for markup verbatim."""
    text = clean(text)
    words = re.fullmatch(r"[^$`\\=^_{}*/\n]*", text)
    return text.strip() if words and not re.match(r"\s*-\s", text) else verbatim(text)


def _shown(value: Shown) -> str:
    """No more than six figures of a float."""
    text = f"{value:.6g}" if isinstance(value, float) and not isinstance(value, bool) else str(value)
    return _plain(text)


def _short(number: str) -> str:
    """A number with its unit: a fraction to no more than six figures, of a long whole number the thousands apart."""
    digits, space, unit = number.partition(" ")
    if digits.lstrip("-").isdecimal() and len(digits) > 5:
        return f"{int(digits):,}{space}{unit}"
    return f"{float(digits):.6g}{space}{unit}" if "." in digits or "e" in digits else number


def _plain(text: str) -> str:
    """Plain text as prose."""
    return text.replace("$", r"\$").replace("`", "'")
