"""Code written by hand: run against the specification that the drill names (:mod:`engine.coding`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.coding import load, run
from engine.text import Text, same
from quizbank.card import CodeDrill
from quizbank.drills.graded import Graded, Outcome

if TYPE_CHECKING:
    from engine.coding.outcome import Outcome as Ran

_OUTCOMES: dict[str, tuple[Outcome, float | None]] = {
    "passed": ("right", 1.0),
    "failed": ("wrong", 0.0),
    "error": ("wrong", 0.0),
    "memory": ("wrong", 0.0),
    # a busy machine may be to blame, so the person says
    "timeout": ("undecided", None),
    "refused": ("not-understood", None),
}


def grade_code(drill: CodeDrill, source: str) -> Graded:
    """Run the program on every case; right where all agree with the loops.

    Takes about a second, and up to the runner's deadline.

    Raises:
        InputError: there is no such specification, or no process can be started.
    """
    specification = load(drill.spec)
    ran = run(specification, source)
    outcome, points = _OUTCOMES[ran.verdict]
    return Graded(
        kind="code",
        outcome=outcome,
        points=points,
        given=same(source),
        reference=same(specification.solution.strip("\n")),
        feedback=report(ran),
    )


def report(ran: Ran) -> tuple[Text, ...]:
    """What came of a run, as prose: the first case that broke, with its shapes, the largest difference and the slip;
    then what is not wrong but worth saying."""
    return tuple(Text(_prose(text.en), _prose(text.zh)) for text in (ran.message, *ran.notes))


def _prose(plain: str) -> str:
    return plain.replace("$", r"\$").replace("`", "'")
