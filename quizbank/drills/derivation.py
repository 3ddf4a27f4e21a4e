"""Derivations: every line judged against the line before, and whether the last has arrived.

All lines of a true derivation are equal, the start and the goal too: so arriving is a matter of form
(:mod:`engine.answers.form`), and where the form leaves it open nothing is held against the person.

Points, with *m* milestones and so *m* + 1 stages from the start to the goal:

- every line true, the goal reached, and at least one line of the person's own between: 1, less 1/(*m* + 1) for
  each milestone that a hint showed;
- the goal reached without a line of the person's own between: 1/(*m* + 1), whatever hints were taken: it is
  true, and derives nothing. A line that repeats the start or the goal in another order is no line between;
- a line that does not follow, or an end before the goal: the stages up to the last milestone that a line of
  the person's own reached before it, less those that a hint showed; so a route of one's own costs nothing
  when it arrives and counts little when it does not;
- the last line as true as the goal but in a form of which the program cannot say whether it is final, or a
  line that could not be decided: no points either way;
- a line that could not be read: no points either way.

A milestone is reached by a line that is it up to trivial rewriting; a later one counts those before it. Of
milestones that trivial rewriting makes one, a line that is written as one of them reaches that one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Literal

from engine.answers.derivation import MOST_LINES, TOO_MANY_LINES, Line, lines_of
from engine.answers.form import Form, form_of
from engine.answers.judge import Case
from engine.answers.verdict import RefusalError, Verdict, at_line
from engine.errors import InputError
from engine.text import Text, same
from quizbank.card import DerivationDrill
from quizbank.drills.graded import Graded, GradedLine, Outcome

if TYPE_CHECKING:
    from quizbank.drills.grading import JudgeCase

Arrival = Literal["goal", "start", "milestone", "open", "unsimplified", "unclear"]
"""Where a true line stands: at the goal; at the start or a milestone; before the goal, because it still has a sum
or a name that the goal has not, or can be collected or cancelled; or nobody can say."""

_TOLD: dict[Arrival, Text] = {
    "start": Text(
        "the last line is still the start, written in another way", "最后一行还是起始式，只是换了写法"
    ),
    "milestone": Text(
        "the last line is on the way to the goal, not yet the goal",
        "最后一行是推导中的一步，还没有到达目标式",
    ),
    "open": Text(
        "the last line still has {words}, which the goal has not", "最后一行还含有 {words}，目标式中没有"
    ),
    "unsimplified": Text(
        "the last line has like terms left to collect, or a factor to cancel",
        "最后一行还有同类项可以合并，或因子可以约去",
    ),
    "unclear": Text(
        "the last line equals the goal, but is written differently; whether it is as final, judge for yourself",
        "最后一行与目标式相等，但写法不同；是否算推到了最后，请自行判断",
    ),
}
_UNCHECKED = "unchecked"


@dataclass(frozen=True)
class Route:
    """What is known of the way from a drill's start to its goal: the forms of its lines.

    Raises:
        InputError: a line of the drill cannot be read, or its declarations are at fault.
    """

    drill: DerivationDrill

    def form(self, line: str) -> Form:
        """The form of a typed line. Raises RefusalError where it cannot be read."""
        return form_of(line, self.drill.symbols, self.drill.mode)

    def _own(self, line: str) -> Form:
        try:
            return self.form(line)
        except RefusalError as refusal:
            raise InputError(
                Text(f"{self.drill.id}: {refusal.reason.en}", f"{self.drill.id}：{refusal.reason.zh}")
            ) from refusal

    @cached_property
    def start(self) -> Form:
        return self._own(self.drill.start)

    @cached_property
    def goal(self) -> Form:
        return self._own(self.drill.goal)

    @cached_property
    def milestones(self) -> tuple[Form, ...]:
        return tuple(self._own(milestone.line) for milestone in self.drill.milestones)

    @cached_property
    def largest(self) -> int:
        """The size up to which a line made of the goal's names and functions is taken to have arrived.

        A little above the goal's own, since a product may be multiplied out; always below that of the start and
        the milestones, where these are made of the goal's names. 0 where size tells nothing.
        """
        rivals = [one.size for one in (self.start, *self.milestones) if one.words <= self.goal.words]
        largest = min([self.goal.size + max(1, self.goal.size // 4), *(size - 1 for size in rivals)])
        return largest if largest >= self.goal.size else 0

    def arrival(self, line: str) -> tuple[Arrival, Text]:
        """Where a line equal to the goal stands, and what to tell the person (nothing at the goal)."""
        form = self.form(line)
        if form == self.goal:
            return "goal", same("")
        if places_of(form, self.start, self.milestones):
            return "milestone", _TOLD["milestone"]
        if form == self.start:
            return "start", _TOLD["start"]
        foreign = form.words - self.goal.words
        left = sorted(
            word.removesuffix("(")
            for word in foreign
            if not word.endswith("(") or word.removesuffix("(") in ("sum", "prod")
        )
        if left:
            told = _TOLD["open"]
            return "open", Text(told.en.format(words=", ".join(left)), told.zh.format(words="、".join(left)))
        if form.is_loose and not self.goal.is_loose:
            return "unsimplified", _TOLD["unsimplified"]
        if not foreign and form.size <= self.largest:
            return "goal", same("")
        return "unclear", _TOLD["unclear"]

    def reached(self, line: str) -> int:
        """How many stages lie behind a line: the place of the milestone it is, from 1; 0 for none."""
        form = self.form(line)
        return max(places_of(form, self.start, self.milestones), default=-1) + 1

    def is_between(self, line: str) -> bool:
        """Whether the line is neither the start nor the goal in another order."""
        return self.form(line).order not in (self.start.order, self.goal.order)


def places_of(form: Form, start: Form, milestones: Sequence[Form]) -> list[int]:
    """The places, from 0, of the milestones that a line is: those written as it is, else those of its form.

    A milestone that only works out a number of the start must be written so.
    """
    written = [place for place, milestone in enumerate(milestones) if form.order == milestone.order]
    return written or [place for place, milestone in enumerate(milestones) if form == milestone != start]


def form_faults(drill: DerivationDrill) -> Iterator[tuple[tuple[str | int, ...], Text]]:
    """What is wrong with the forms of a drill's lines: the field (``("milestones", 0, "line")``) and why.

    Whether the lines are equal is the grader's business: it must accept the milestones and the goal, typed.
    """
    route = Route(drill)
    try:
        if route.start == route.goal:
            yield ("goal",), Text("the goal is the start, written in another way", "目标式只是起始式换了写法")
        known = {"start": route.start, "goal": route.goal}
        for place, form in enumerate(route.milestones):
            for name, other in known.items():
                if form.order == other.order:
                    told = _ALREADY[name] if name in _ALREADY else _ALREADY["milestone"]
                    yield ("milestones", place, "line"), told.filled(n=name)
                    break
            known[str(place + 1)] = form
    except InputError as error:
        yield ("start",), error.text


_ALREADY = {
    "start": Text("this milestone is the start in another order", "这个里程碑只是起始式换了次序"),
    "goal": Text("this milestone is the goal in another order", "这个里程碑只是目标式换了次序"),
    "milestone": Text(
        "this milestone is milestone {n} in another order", "这个里程碑只是第 {n} 个里程碑换了次序"
    ),
}


def judge_step(drill: DerivationDrill, line: str, before: str, judge: JudgeCase) -> Verdict:
    """Judge a line, without its equals sign, against the line before; both typed.

    Where that is undecided, the line is held against the start and the goal as well, which every line equals.

    Raises:
        InputError: the line before or the drill is at fault.
    """
    verdict = judge_against(drill, line, before, judge)
    for other in (drill.start, drill.goal):
        if verdict.verdict != "undecided":
            break
        if other != before and (again := judge_against(drill, line, other, judge)).verdict == "equal":
            return again
    return verdict


def judge_against(drill: DerivationDrill, line: str, before: str, judge: JudgeCase) -> Verdict:
    """Judge a line against another, both typed, over the drill's names. Raises InputError as :func:`judge_step`."""
    options = {"where": dict(drill.where)} if drill.where else {}
    return judge(Case(drill.mode, line, before, drill.symbols, options))


def judge_lines(
    drill: DerivationDrill, lines: Sequence[Line], judge: JudgeCase
) -> Iterator[tuple[Line, Verdict | None]]:
    """Each line with its verdict; None for those behind the first that does not follow or cannot be read.

    A line that a hint gave is one of the drill's own and follows from any true line.
    """
    own = {milestone.line for milestone in drill.milestones}
    before = drill.start
    standing = True
    for line in lines:
        if not standing:
            yield line, None
            continue
        if line.hint and line.text in own:
            verdict = replace(judge_against(drill, line.text, line.text, judge), reason=_GIVEN)
        elif not line.follows:
            verdict = Verdict("invalid", _NO_MARK)
        else:
            verdict = judge_step(drill, line.text, before, judge)
        standing = verdict.verdict in ("equal", "undecided")
        before = line.text
        yield line, verdict


_GIVEN = Text("shown by a hint", "由提示给出")
_NO_MARK = Text("the line does not begin with =", "这一行没有以 = 开头")


def grade_derivation(drill: DerivationDrill, typed: str, judge: JudgeCase) -> Graded:
    """Grade the lines that a person wrote below the start; see the head of this module for the points.

    A line begins with ``=``, or with ``?=`` where a hint gave it. The verdict's ``line`` counts the start as 1.

    Raises:
        InputError: the drill's own start, goal or declarations are at fault.
    """
    lines = lines_of(typed)
    graded = Graded(
        kind="derivation",
        outcome="not-understood",
        points=None,
        given=same(typed),
        reference=same("\n".join(f"= {line}" for line in (*(m.line for m in drill.milestones), drill.goal))),
    )
    if not lines or len(lines) > MOST_LINES:
        reason = (
            TOO_MANY_LINES
            if lines
            else Text("write at least one line that begins with =", "请至少写一行以 = 开头的式子")
        )
        return replace(graded, feedback=(reason,), verdict=Verdict("unsafe" if lines else "invalid", reason))
    judged = list(judge_lines(drill, lines, judge))
    graded = replace(
        graded,
        lines=tuple(
            GradedLine(
                line.text,
                line.hint,
                verdict.verdict if verdict else _UNCHECKED,
                verdict.reading if verdict else "",
            )
            for line, verdict in judged
        ),
    )
    for number, (line, verdict) in enumerate(judged, 1):
        if verdict is not None and verdict.verdict not in ("equal", "undecided"):
            return _stopped(drill, graded, lines, number, replace(verdict, line=line.place + 1), judge)
    return _ended(drill, graded, judged, judge)


def _stopped(
    drill: DerivationDrill,
    graded: Graded,
    lines: Sequence[Line],
    number: int,
    verdict: Verdict,
    judge: JudgeCase,
) -> Graded:
    """At a line that does not follow, or cannot be read."""
    bad = lines[number - 1]
    reason = at_line(number, verdict.reason)
    verdict = replace(verdict, reason=reason)
    if verdict.verdict != "different":
        return replace(graded, feedback=(reason,), verdict=verdict)
    route = Route(drill)
    points = _stages(route, lines[: number - 1]) / (len(drill.milestones) + 1)
    slip = next((slip.name for slip in drill.slips if _is_slip(route, bad.text, slip.value, judge)), None)
    outcome: Outcome = "partial" if points else "wrong"
    return replace(graded, outcome=outcome, points=points, feedback=(reason,), slip=slip, verdict=verdict)


def _is_slip(route: Route, line: str, slip: str, judge: JudgeCase) -> bool:
    """Whether a wrong line is this slip. One without any value is known by its form alone."""
    # of a slip that cannot be read the judge says what is wrong with it
    with suppress(RefusalError):
        if route.form(line) == route.form(slip):
            return True
    return judge_against(route.drill, line, slip, judge).verdict == "equal"


def _stages(route: Route, lines: Sequence[Line]) -> int:
    """Stages that lines of the person's own reached, less those that a hint showed."""
    shown = {route.reached(line.text) for line in lines if line.hint}
    furthest = max((route.reached(line.text) for line in lines if not line.hint), default=0)
    return len(set(range(1, furthest + 1)) - shown)


def _ended(
    drill: DerivationDrill, graded: Graded, judged: Sequence[tuple[Line, Verdict | None]], judge: JudgeCase
) -> Graded:
    """Where no line is wrong: has the last arrived, and by whose doing?"""
    route, stages = Route(drill), len(drill.milestones) + 1
    lines = [line for line, _ in judged]
    own = [line for line in lines if not line.hint]
    verdicts = [verdict for _, verdict in judged if verdict is not None]
    reading = " = ".join(verdict.reading for verdict in verdicts if verdict.reading)

    def said(verdict: Verdict, outcome: Outcome, points: float | None, reason: Text) -> Graded:
        verdict = replace(verdict, reason=reason, reading=reading, line=None)
        if outcome == "undecided":
            verdict = replace(verdict, verdict="undecided")
        return replace(graded, outcome=outcome, points=points, feedback=(reason,), verdict=verdict)

    doubtful = next((verdict for verdict in verdicts if verdict.verdict == "undecided"), None)
    if doubtful is not None:
        number = verdicts.index(doubtful) + 1
        return said(doubtful, "undecided", None, at_line(number, doubtful.reason))
    last = verdicts[-1]
    arrival, told = route.arrival(lines[-1].text)
    if arrival == "goal" and lines[-1].hint:
        arrival, told = "milestone", _TOLD["milestone"]
    if arrival != "goal":
        reason = Text(f"every line follows; {told.en}", f"每一行都成立；{told.zh}")
        if arrival == "unclear":
            return said(last, "undecided", None, reason)
        return said(last, "partial", _stages(route, lines) / stages, reason)
    end = judge_against(drill, lines[-1].text, drill.goal, judge)
    if end.verdict != "equal":
        return said(
            end, "undecided", None,
            Text(f"every line follows, but the last is not the goal: {end.reason.en}", f"每一行都成立，但最后一行不是目标式：{end.reason.zh}"),
        )  # fmt: skip
    hints = len({line.text for line in lines if line.hint})
    if not any(route.is_between(line.text) for line in own):
        return said(
            last, "partial" if stages > 1 else "right", 1 / stages,
            Text(
                "true, but nothing is derived: no line of yours stands between the start and the goal",
                "结论成立，但没有推导：起始式与目标式之间没有一行是你写的",
            ),
        )  # fmt: skip
    points = max(1, stages - hints) / stages
    if hints:
        reason = Text(
            f"every line follows; hints gave {hints} of the {stages} stages",
            f"每一行都成立；{stages} 步中有 {hints} 步由提示给出",
        )
        return said(last, "partial", points, reason)
    return said(last, "right", 1.0, Text("right: every line follows", "正确：每一行都成立"))
