"""The ``asymptotic`` mode: do two formulas grow alike, up to a constant factor, however their names grow?

Compared along rays: every choice of names that grow while the others stay fixed, together and at different
speeds. On each ray the logarithm of the ratio is followed to 10^512: it settles where the classes are the
same, and keeps moving where they are not. In between the answer is ``undecided``.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

from engine.answers import interval as iv
from engine.answers.characters import plain
from engine.answers.compare import shown_apart
from engine.answers.evaluate import Evaluation, Point
from engine.answers.expression import Node, free_names, latex
from engine.answers.interval import BeyondError, BlurredError, UndefinedError, Value
from engine.answers.symbolic import read_safely
from engine.answers.symbols import Declared, declare
from engine.answers.verdict import Counterexample, RefusalError, Shown, Verdict, reading_the_reference
from engine.errors import InputError
from engine.text import Text

MOST_NAMES = 4
_FIXED = Fraction(7)
_FAR = (10**128, 10**256, 10**512)
_SERIES = (_FAR, (2**18, 2**19, 2**20), (2**7, 2**8, 2**9))
"""Nearer points where the far ones are too large: for exponentials, then for factorials."""
_SETTLED = 0.01
_STILL = 1e-12
_MOVING = 0.3
_CLASS = re.compile(
    r"\s*\$?\s*(?:\\mathcal\s*\{\s*O\s*\}|O|Θ|\\Theta|Theta)\s*(?:\\left)?\s*\((.*)\)\s*\$?\s*", re.S
)


@dataclass(frozen=True)
class Ray:
    """The power with which each name grows; 0 where it stays fixed."""

    powers: Mapping[str, int]

    def point(self, t: int) -> Point:
        return Point({name: Fraction(t) ** power if power else _FIXED for name, power in self.powers.items()})

    def described(self) -> dict[str, Shown]:
        fast = {1: "→ ∞", 2: "→ ∞, as a square"}
        return {name: fast[power] if power else "fixed" for name, power in self.powers.items()}


def judge_growth(
    typed: str, reference: str, symbols: Mapping[str, str], options: Mapping[str, object] | None = None
) -> Verdict:
    """Judge ``O(…)``, ``Θ(…)`` or a bare formula; all three mean the class of exactly this growth.

    Raises:
        InputError: the reference, the declarations or the options are at fault, not the answer.
    """
    if options:
        raise InputError(Text("classes of growth have no options", "渐近作答没有选项"))
    declared = declare(symbols)
    with reading_the_reference():
        expected = read_class(reference, declared)
    try:
        answer = read_class(typed, declared)
    except RefusalError as refusal:
        return Verdict(refusal.verdict, refusal.reason)
    reading = rf"O\left({latex(answer)}\right)"
    names = sorted(free_names(answer) | free_names(expected))
    if len(names) > MOST_NAMES or any(
        symbols[name] not in ("pos", "posint", "nat0", "real") for name in names
    ):
        return Verdict("undecided", Text("too many names to follow", "变量过多，无法逐一考察"), reading)
    is_open = False
    for ray in _rays(names):
        moved = _movement(answer, expected, ray)
        if moved is None:
            is_open = True
        elif abs(moved) > _MOVING:
            reason = (
                Text("grows faster than the answer", "增长得比答案快")
                if moved > 0
                else Text("grows more slowly than the answer", "增长得比答案慢")
            )
            sides = shown_apart(_value(answer, ray.point(1024)), _value(expected, ray.point(1024)))
            return Verdict("different", reason, reading, Counterexample(ray.described(), *sides))
    if is_open:
        return Verdict(
            "undecided", Text("how the two compare could not be told", "无法判定两者增长的快慢"), reading
        )
    return Verdict("equal", Text("right: the same growth", "正确：同阶"), reading)


def read_class(text: str, declared: Declared) -> Node:
    """The formula, without the O or Θ around it unless that letter is declared. Raises RefusalError."""
    line = plain(text)
    match = _CLASS.fullmatch(line)
    if match and not {"O", "Theta"} & set(declared.kinds):
        line = match[1].removesuffix(r"\right")
    return read_safely(line, declared)


def _rays(names: list[str]) -> Iterator[Ray]:
    for powers in itertools.product((0, 1, 2), repeat=len(names)):
        # t² alone is the same ray as t alone
        if 1 in powers or not names:
            yield Ray(dict(zip(names, powers, strict=True)))


def _movement(answer: Node, expected: Node, ray: Ray) -> float | None:
    """How far the logarithm of the ratio still moves at the end of the ray; None where it cannot be followed."""
    iv.set_digits(30)
    for places in _SERIES:
        ratios: list[Any] = [_log_ratio(answer, expected, ray.point(t)) for t in places]
        if None in ratios:
            continue
        steps = [float(after - before) for before, after in itertools.pairwise(ratios)]
        dies_down = abs(steps[1]) < 0.7 * abs(steps[0])
        if abs(steps[1]) > _MOVING:
            return None if dies_down else steps[1]
        # a small movement that goes on may still add up: n^0.00001
        return steps[1] if abs(steps[1]) < _SETTLED and (dies_down or abs(steps[1]) < _STILL) else None
    return None


def _log_ratio(answer: Node, expected: Node, point: Point) -> Decimal | None:
    sides = [_value(side, point) for side in (answer, expected)]
    first, second = (iv.log_size(side) if side is not None else None for side in sides)
    return None if first is None or second is None else first - second


def _value(node: Node, point: Point) -> Value | None:
    try:
        return Evaluation(point).value(node)
    except (UndefinedError, BlurredError, BeyondError):
        return None
