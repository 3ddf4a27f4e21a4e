"""The run of a typed program against a specification, and the audit of a specification itself."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from engine.coding import DEADLINE_SECONDS, faults
from engine.coding.judging import Judgement, Prepared, Record
from engine.coding.outcome import Outcome
from engine.coding.process import execute
from engine.coding.specification import Specification
from engine.errors import InputError
from engine.text import Text

MAX_CHARACTERS = 40_000
TRUSTED_SECONDS = 60.0


@lru_cache(maxsize=64)
def prepared(specification: Specification, seed: int) -> Prepared:
    """The cases drawn with ``seed``, and what the loops compute on them."""
    cases = tuple(specification.cases(seed))
    return Prepared(cases, tuple(specification.expected(case) for case in cases))


@lru_cache(maxsize=64)
def slips(specification: Specification, seed: int) -> tuple[tuple[Record, ...], ...]:
    """What each listed slip gives on the cases of ``seed``.

    Raises:
        InputError: no process can be started, or it does not come to an end.
    """
    ready = prepared(specification, seed)
    sources = [slip.source for slip in specification.slips]
    arguments = [case.arguments for case in ready.cases]
    outputs = len(specification.outputs)
    execution = execute(specification.function, outputs, sources, arguments, TRUSTED_SECONDS)
    if execution.ended != "done":
        # nothing is kept of a run that was cut short: the next one is made anew
        raise InputError(faults.SLIPS_UNKNOWN)
    return execution.records


def run(
    specification: Specification, source: str, seed: int = 0, deadline: float = DEADLINE_SECONDS
) -> Outcome:
    """Run a typed program on the cases of ``seed`` and compare what it returns with the loops.

    The program runs in a process of its own, within ``deadline`` seconds and 512 MiB; whatever it does is an
    :class:`Outcome`. Not to be called in the thread that draws the screen.

    Raises:
        InputError: no process can be started.
    """
    # some editors begin a file with a byte-order mark
    source = source.removeprefix("\ufeff")
    refusal = _refusal(source)
    if refusal is not None:
        return refusal
    return run_all(specification, (source,), seed, deadline)[0]


def audit(specification: Specification, seed: int = 0) -> tuple[Text, ...]:
    """What is wrong with a specification itself: its solution is not accepted, or a listed slip is accepted or
    not named. Empty where all is well.

    Raises:
        InputError: no process can be started.
    """
    sources = (specification.solution, *(slip.source for slip in specification.slips))
    solution, *wrong = _judged(specification, sources, seed, TRUSTED_SECONDS, 1)
    faulty = [] if solution.verdict == "passed" else [faults.solution(solution.message)]
    for slip, outcome in zip(specification.slips, wrong, strict=True):
        if outcome.verdict == "passed":
            faulty.append(faults.SLIP_ACCEPTED.filled(slip=slip.id))
        elif (outcome.verdict, outcome.slip_id) != ("failed", slip.id):
            faulty.append(faults.SLIP_UNNAMED.filled(slip=slip.id, named=outcome.slip_id or "-"))
    return tuple(faulty)


def run_all(
    specification: Specification, sources: tuple[str, ...], seed: int = 0, deadline: float = TRUSTED_SECONDS
) -> list[Outcome]:
    """Several programs one after the other in one process: for programs that are known to end.

    Raises:
        InputError: no process can be started.
    """
    return _judged(specification, sources, seed, deadline, None)


def _judged(
    specification: Specification,
    sources: tuple[str, ...],
    seed: int,
    deadline: float,
    slips_at: int | None,
) -> list[Outcome]:
    """``slips_at`` is the place of the first slip where the sources hold them all: then they are not run again."""
    ready = prepared(specification, seed)
    arguments = [case.arguments for case in ready.cases]
    execution = execute(specification.function, len(specification.outputs), sources, arguments, deadline)

    def known() -> Sequence[tuple[Record, ...]]:
        return slips(specification, seed) if slips_at is None else execution.records[slips_at:]

    return [
        Judgement(specification, ready, execution, records, deadline, known).outcome()
        for records in execution.records
    ]


def _refusal(source: str) -> Outcome | None:
    if not source.strip():
        return Outcome("refused", faults.EMPTY)
    if len(source) > MAX_CHARACTERS:
        return Outcome("refused", faults.LONG.filled(limit=f"{MAX_CHARACTERS:,}"))
    if "\0" in source or any("\ud800" <= character <= "\udfff" for character in source):
        return Outcome("refused", faults.CHARACTERS)
    return None
