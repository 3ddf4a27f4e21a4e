"""One guess beside the number it was a guess of."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

from engine.answers.arithmetic import Reading, read
from engine.answers.exact import middle
from engine.answers.verdict import RefusalError
from engine.errors import InputError
from engine.text import Text, same
from quizbank.arithmetic import Quantity, parse, parts
from quizbank.card import Card, NumberDrill, Value
from quizbank.drills.variant import find_drill
from quizbank.papers.results import Line, Report

Source = Literal["lab", "paper"]
Measure = Literal["factor", "range"]
"""factor: the decimal logarithm of guess over value; range: their difference over the range to guess in."""


@dataclass(frozen=True)
class Guess:
    """``guess`` was said before ``value`` was shown. ``demo`` computed the value, at ``parameters`` and ``seed``.

    ``scale`` and the range ``low`` to ``high`` are those of the headline guessed; a question of a paper is
    measured by the factor and has no range. ``name`` is the headline, or the drill as ``card/drill``.
    """

    source: Source
    at_ms: int
    demo: str
    name: str
    guess: float
    value: float
    scale: Literal["linear", "log"]
    low: float = 0.0
    high: float = 0.0
    unit: Text = field(default_factory=lambda: same(""))
    parameters: Mapping[str, Value] = field(default_factory=dict)
    seed: int = 0

    @property
    def measure(self) -> Measure:
        return "factor" if self.scale == "log" else "range"

    @property
    def error(self) -> float | None:
        """How far off, above zero for too high. None where no factor exists: a zero, or a sign too many.

        log scale: log10(guess / value); linear scale: (guess − value) / (high − low).
        """
        if not (math.isfinite(self.guess) and math.isfinite(self.value)):
            return None
        if self.scale == "log":
            if self.guess <= 0 or self.value <= 0:
                return None
            return math.log10(self.guess) - math.log10(self.value)
        width = self.high - self.low
        return (self.guess - self.value) / width if width > 0 else None

    @property
    def place(self) -> tuple[object, ...]:
        """What was guessed: a second guess of the same is no guess, the outcome was shown after the first."""
        return self.source, self.demo, self.name, tuple(sorted(self.parameters.items())), self.seed


def paper_guesses(reports: Iterable[Report], cards: Mapping[str, Card]) -> tuple[Guess, ...]:
    """The number drills answered in papers that are over, where the engine computed the reference; oldest first.

    An answer that was not understood, or whose drill is gone from the bank, is left out.
    """
    over = sorted(
        (report for report in reports if report.status != "open"), key=lambda report: report.started_ms
    )
    return tuple(guess for report in over for line in report.lines for guess in _of_line(report, line, cards))


def _of_line(report: Report, line: Line, cards: Mapping[str, Card]) -> Iterator[Guess]:
    graded, variant = line.graded, line.question.variant
    if graded is None or graded.kind != "number" or graded.outcome not in ("right", "wrong"):
        return
    try:
        _, drill = find_drill(cards, variant)
        if not isinstance(drill, NumberDrill):
            return
        demo = next((part.demo for part in parts(parse(drill.answer)) if isinstance(part, Quantity)), None)
        numbers = _both_numbers(graded.given.en, graded.reference.en)
    except (InputError, RefusalError):
        return
    if demo is not None and numbers is not None:
        given, reference = numbers
        yield Guess("paper", report.started_ms, demo, variant.key, given, reference, "log",
                    unit=same(drill.unit), parameters=dict(variant.variables))  # fmt: skip


def _both_numbers(given: str, reference: str) -> tuple[float, float] | None:
    """Both as numbers of the same unit; None where they are of different kinds, as bytes and seconds.

    Raises:
        RefusalError: one of them cannot be read.
    """
    words: tuple[str, ...] = ()
    try:
        expected = read(reference)
    except RefusalError:
        # a unit of the card's own, such as tokens
        words = (reference.split()[-1],)
        expected = read(reference, words)
    in_bytes = any(name == "byte" for name, _ in expected.value.dimensions)
    if in_bytes:
        expected = read(reference, words, bytes_meant=True)
    answer = read(given, words, in_bytes)
    if answer.value.dimensions != expected.value.dimensions:
        return None
    return _float(answer), _float(expected)


def _float(reading: Reading) -> float:
    return float(middle(reading.value.number))
