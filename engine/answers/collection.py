"""The ``set`` mode: finite sets, tuples and intervals, their members compared as formulas.

{a, b, c}     a set: order and repetition do not matter
(a, b, c)     a tuple; with two members also an open interval: the two are compared alike
[a, b)        an interval: its ends and which of them belong to it
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from engine.answers.characters import plain
from engine.answers.compare import Comparison
from engine.answers.expression import Node, latex
from engine.answers.points import Sampler
from engine.answers.symbolic import FEWEST_AGREEING, decide, point_shown, read_safely
from engine.answers.symbols import Declared, declare
from engine.answers.verdict import (
    Counterexample,
    RefusalError,
    Shown,
    Verdict,
    invalid,
    reading_the_reference,
    unsafe,
)
from engine.errors import InputError
from engine.text import Text

MOST_MEMBERS = 12
_CLOSING = {"{": "}", "(": ")", "[": "]"}


@dataclass(frozen=True)
class Collection:
    """What was read: the outer brackets and the members between them."""

    opening: str
    closing: str
    members: tuple[Node, ...]

    @property
    def is_set(self) -> bool:
        return self.opening == "{"

    def latex(self) -> str:
        marks = {"{": r"\{", "}": r"\}"}
        inner = ", ".join(latex(member) for member in self.members)
        return f"{marks.get(self.opening, self.opening)}{inner}{marks.get(self.closing, self.closing)}"


def judge_collection(
    typed: str, reference: str, symbols: Mapping[str, str], options: Mapping[str, object] | None = None
) -> Verdict:
    """Judge a set, a tuple or an interval.

    Raises:
        InputError: the reference, the declarations or the options are at fault, not the answer.
    """
    if options:
        raise InputError(Text("sets have no options", "集合作答没有选项"))
    declared = declare(symbols)
    with reading_the_reference():
        expected = read_collection(reference, declared)
    try:
        answer = read_collection(typed, declared)
    except RefusalError as refusal:
        return Verdict(refusal.verdict, refusal.reason)
    reading = answer.latex()
    if answer.is_set != expected.is_set:
        reason = Text("a set in braces is not a tuple or an interval", "花括号的集合不同于元组或区间")
        return Verdict("different", reason, reading, Counterexample({}, reading, expected.latex()))
    if answer.is_set:
        return _sets(answer, expected, symbols, reading)
    return _ordered(answer, expected, symbols, reading)


def read_collection(text: str, declared: Declared) -> Collection:
    """Read brackets and what stands between them. Raises RefusalError."""
    line = plain(text).strip().replace(r"\{", "{").replace(r"\}", "}")
    line = line.strip("$ ").replace(r"\left", "").replace(r"\right", "").strip()
    if len(line) < 2 or line[0] not in _CLOSING or line[-1] not in _CLOSING.values():
        raise invalid(
            "write a set {a, b}, a tuple (a, b) or an interval [a, b)",
            "请写集合 {a, b}、元组 (a, b) 或区间 [a, b)",
        )
    if (line[0] == "{") != (line[-1] == "}"):
        raise invalid("a brace is closed by a brace", "花括号须以花括号结束")
    inner = line[1:-1]
    members = _split(inner) if inner.strip() else []
    if len(members) > MOST_MEMBERS:
        raise unsafe("at most {n} members", "最多 {n} 个元素", n=MOST_MEMBERS)
    if (line[0], line[-1]) not in (("{", "}"), ("(", ")")) and len(members) != 2:
        raise invalid("an interval has two ends", "区间应有两个端点")
    return Collection(line[0], line[-1], tuple(read_safely(member, declared) for member in members))


def _split(inner: str) -> list[str]:
    """The members between commas that stand in no bracket of their own."""
    parts, depth = [""], 0
    for character in inner:
        depth += (character in "([{") - (character in ")]}")
        if depth < 0:
            raise invalid("the brackets do not match", "括号不配对")
        if character == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    return parts


def _sets(answer: Collection, expected: Collection, symbols: Mapping[str, str], reading: str) -> Verdict:
    """Every member of either side needs an equal one on the other: the same at all points, or one at each."""
    open_ = False
    for side, other, theirs in ((answer, expected, True), (expected, answer, False)):
        for member in side.members:
            outcomes = {_compared(member, one, symbols).verdict for one in other.members}
            if "equal" in outcomes:
                continue
            if outcomes - {"different"}:
                open_ = True
                continue
            at, agreeing = _apart(member, other.members, symbols)
            if at is None:
                open_ = open_ or agreeing < FEWEST_AGREEING
                continue
            shown = latex(member)
            reason = (
                Text("a member that does not belong", "多了一个元素")
                if theirs
                else Text("a member is missing", "缺少一个元素")
            )
            values: tuple[Shown, Shown] = (shown, "absent") if theirs else ("absent", shown)
            return Verdict("different", reason, reading, Counterexample(at, *values))
    if open_:
        reason = Text("whether two members are equal could not be told", "有元素无法判定是否相等")
        return Verdict("undecided", reason, reading)
    return Verdict("equal", Text("right: the same set", "正确：同一个集合"), reading)


def _apart(
    member: Node, others: tuple[Node, ...], symbols: Mapping[str, str]
) -> tuple[Mapping[str, Shown] | None, int]:
    """A point where the member equals none of the others, and at how many it equals one: {x, y} is {max, min}."""
    sampler = Sampler(symbols, (member, *others))
    comparisons = [Comparison(member, other) for other in others]
    agreeing = 0
    for sample in sampler.samples():
        outcomes = {comparison.at(sample).outcome for comparison in comparisons}
        if outcomes <= {"differ", "input undefined", "reference undefined"}:
            return point_shown(sample.point), agreeing
        agreeing += sample.generic and "agree" in outcomes
    return None, agreeing


def _ordered(answer: Collection, expected: Collection, symbols: Mapping[str, str], reading: str) -> Verdict:
    """Brackets, number and each member in turn."""
    if len(answer.members) != len(expected.members):
        reason = Text("another number of members", "元素个数不同")
        sizes = len(answer.members), len(expected.members)
        return Verdict("different", reason, reading, Counterexample({}, *sizes))
    if (answer.opening, answer.closing) != (expected.opening, expected.closing):
        reason = Text("whether an end belongs to the interval", "端点的开闭不对")
        return Verdict("different", reason, reading, Counterexample({}, reading, expected.latex()))
    for place, (member, one) in enumerate(zip(answer.members, expected.members, strict=True), 1):
        verdict = _compared(member, one, symbols)
        if verdict.verdict != "equal":
            reason = Text(f"in member {place}, {verdict.reason.en}", f"第 {place} 项，{verdict.reason.zh}")
            return Verdict(verdict.verdict, reason, reading, verdict.counterexample)
    return Verdict("equal", Text("right: equal in every member", "正确：各项均相等"), reading)


def _compared(a: Node, b: Node, symbols: Mapping[str, str]) -> Verdict:
    return decide(a, b, Sampler(symbols, (a, b)), "")
