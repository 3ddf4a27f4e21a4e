"""The derivation workbench, without a screen: which derivations there are, one's own, and what was written of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from engine.answers.derivation import lines_of
from engine.answers.verdict import RefusalError
from engine.errors import InputError
from engine.text import Text
from quizbank.card import Card, DerivationDrill
from quizbank.drills.derivation import Route, grade_derivation, judge_against
from quizbank.drills.graded import Graded
from quizbank.drills.grading import JudgeCase
from quizbank.fault import shown
from quizbank.notebook import Kept

OWN = "own"
"""The id of a drill made of one's own start and goal."""
_OWN_NAME = Text("Your own derivation", "自拟推导")
MODES: tuple[Literal["symbolic", "matrix"], ...] = ("symbolic", "matrix")


@dataclass(frozen=True)
class Task:
    """What is derived. ``card`` is empty where start and goal are the person's own."""

    card: str
    drill: DerivationDrill

    @property
    def key(self) -> str:
        return f"{self.card}/{self.drill.id}" if self.card else ""

    def as_json(self) -> dict[str, Any]:
        drill = self.drill
        return {
            "card": self.card,
            "drill": drill.id if self.card else "",
            "start": drill.start,
            "goal": drill.goal,
            "symbols": dict(drill.symbols),
            "mode": drill.mode,
            "where": dict(drill.where),
            "milestones": len(drill.milestones),
        }


def tasks(cards: Iterable[Card]) -> Iterator[Task]:
    """The derivations of the cards, in their order."""
    for card in cards:
        for drill in card.drills:
            if isinstance(drill, DerivationDrill):
                yield Task(card.id, drill)


def find_task(cards: Iterable[Card], name: str) -> Task:
    """The derivation a person names: ``card/drill``, a drill, or a card that has one.

    Raises:
        InputError: there is none, or there are several; the message lists them.
    """
    cards = list(cards)
    all_tasks = list(tasks(cards))
    found = [task for task in all_tasks if name in (task.key, task.drill.id, task.card)]
    exact = [task for task in found if task.key == name]
    if len(exact or found) == 1:
        return (exact or found)[0]
    if found:
        raise InputError(
            Text("{name} names several derivations: {keys}", "{name} 对应多道推导题：{keys}").filled(
                name=shown(name, 130), keys=", ".join(task.key for task in found)
            )
        )
    if any(card.id == name for card in cards):
        raise InputError(
            Text(
                "the card {name} has no derivation to write; `proofdeck derive --list` lists those there are",
                "卡片 {name} 没有推导题；`proofdeck derive --list` 列出全部推导题",
            ).filled(name=shown(name, 130))
        )
    raise InputError(
        Text(
            "there is no derivation {name}; `proofdeck derive --list` lists those there are",
            "没有推导题 {name}；`proofdeck derive --list` 列出全部推导题",
        ).filled(name=shown(name, 130))
    )


def own_task(
    start: str,
    goal: str,
    symbols: Mapping[str, str],
    judge: JudgeCase,
    mode: str = "symbolic",
    where: Mapping[str, str] | None = None,
) -> Task:
    """One's own start and goal over declared names; the two must be equal, as far as that can be told.

    Raises:
        InputError: a name, the start or the goal that cannot be used (``where`` says which), or the two
            are not equal, with the case that shows it.
    """
    if mode not in MODES:
        raise InputError(Text("the mode is symbolic or matrix", "模式只能是 symbolic 或 matrix"), "mode")
    drill = DerivationDrill(
        OWN, _OWN_NAME, start.strip(), goal.strip(), dict(symbols), (),
        mode, dict(where or {}),
    )  # fmt: skip
    route = Route(drill)
    for name, line in (("start", drill.start), ("goal", drill.goal)):
        try:
            route.form(line)
        except RefusalError as refusal:
            raise InputError(refusal.reason, name) from refusal
        except InputError as error:
            # of the declarations, which are read before the line
            raise InputError(error.text, error.where or "names") from error
    verdict = judge_against(drill, drill.start, drill.goal, judge)
    if verdict.is_refusal:
        raise InputError(verdict.reason, "start")
    if verdict.verdict == "different":
        found = verdict.counterexample
        assert found is not None
        values = [f"{name} = {value}" for name, value in found.values.items()]
        at_en = f"at {', '.join(values)} " if values else ""
        at_zh = f"取 {'，'.join(values)} 时，" if values else ""
        raise InputError(
            Text(
                f"start and goal are not equal: {at_en}the start is {found.input}, the goal {found.reference}",
                f"起始式与目标式不相等：{at_zh}起始式为 {found.input}，目标式为 {found.reference}",
            )
        )
    return Task("", drill)


@dataclass(frozen=True)
class Work:
    """Lines written for a task, graded. ``complete``: every line follows and the last has arrived at the goal."""

    task: Task
    graded: Graded
    complete: bool


def assess(task: Task, typed: str, judge: JudgeCase) -> Work:
    """Grade the lines written below a task's start, as in a paper, and say whether they are complete.

    Raises:
        InputError: the drill itself is at fault.
    """
    graded = grade_derivation(task.drill, typed, judge)
    lines = lines_of(typed)
    complete = (
        bool(graded.lines)
        and all(line.verdict == "equal" for line in graded.lines)
        and graded.outcome in ("right", "partial")
        and not lines[-1].hint
        and Route(task.drill).arrival(lines[-1].text)[0] == "goal"
    )
    return Work(task, graded, complete)


def kept_task(kept: Kept, cards: Iterable[Task]) -> Task:
    """What a kept derivation derives: the card's drill while its start and goal stand, else as it was kept."""
    for task in cards:
        drill = task.drill
        if task.key == kept.key and (drill.start, drill.goal, drill.mode) == (
            kept.start,
            kept.goal,
            kept.mode,
        ):
            return task
    mode: Literal["symbolic", "matrix"] = "matrix" if kept.mode == "matrix" else "symbolic"
    name = kept.drill or OWN
    drill = DerivationDrill(name, _OWN_NAME, kept.start, kept.goal, kept.symbols, (), mode, kept.where)
    return Task(kept.card, drill)


def kept_prose(kept: Kept) -> str:
    """A kept derivation as a list in the prose dialect: formulas where they can still be read, else as typed."""
    rows = [_formula(kept, kept.start, "")]
    rows += [_formula(kept, line.text, "= ") for line in lines_of("\n".join(kept.lines))]
    return "\n".join(f"- {row}" for row in rows)


def _formula(kept: Kept, text: str, sign: str) -> str:
    from engine.answers.reading import read_answer

    try:
        latex = read_answer(text, kept.symbols, kept.mode).latex
    except InputError:
        latex = ""
    return f"${sign}{latex}$" if latex else f"`{sign}{text.replace('`', chr(39))}`"
