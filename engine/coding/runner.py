"""The run of a typed program against a specification, and what is said about it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from engine.coding import DEADLINE_SECONDS, faults
from engine.coding.compare import Difference, alike, arrays_of, first_difference
from engine.coding.outcome import Outcome, Verdict
from engine.coding.process import Execution, execute
from engine.coding.specification import Array, Case, Slip, Specification
from engine.text import Text

MAX_CHARACTERS = 40_000
TRUSTED_SECONDS = 60.0

Record = Mapping[str, Any]


@dataclass(frozen=True)
class Prepared:
    """The cases of a seed and what is right on each."""

    cases: tuple[Case, ...]
    expected: tuple[tuple[Array, ...], ...]


@lru_cache(maxsize=64)
def prepared(specification: Specification, seed: int) -> Prepared:
    """The cases drawn with ``seed``, and what the loops compute on them."""
    cases = tuple(specification.cases(seed))
    return Prepared(cases, tuple(specification.expected(case) for case in cases))


@lru_cache(maxsize=64)
def slips(specification: Specification, seed: int) -> tuple[tuple[Record, ...], ...]:
    """What each listed slip gives on the cases of ``seed``.

    Raises:
        InputError: no process can be started.
    """
    ready = prepared(specification, seed)
    sources = [slip.source for slip in specification.slips]
    arguments = [case.arguments for case in ready.cases]
    outputs = len(specification.outputs)
    return execute(specification.function, outputs, sources, arguments, TRUSTED_SECONDS).records


def shapes_of(case: Case) -> dict[str, tuple[int, ...] | str]:
    """The shapes of a case's arguments; of one that is no array its value."""
    return {
        name: value.shape if isinstance(value, np.ndarray) and value.ndim else _scalar(value)
        for name, value in case.arguments.items()
    }


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
    solution, *wrong = run_all(specification, sources, seed)
    faulty = [] if solution.verdict == "passed" else [faults.SOLUTION.filled(message=solution.message.en)]
    for slip, outcome in zip(specification.slips, wrong, strict=True):
        if outcome.verdict == "passed":
            faulty.append(faults.SLIP_ACCEPTED.filled(slip=slip.id))
        elif outcome.slip_id != slip.id:
            faulty.append(faults.SLIP_UNNAMED.filled(slip=slip.id, named=outcome.slip_id or "-"))
    return tuple(faulty)


def run_all(
    specification: Specification, sources: tuple[str, ...], seed: int = 0, deadline: float = TRUSTED_SECONDS
) -> list[Outcome]:
    """Several programs one after the other in one process: for programs that are known to end.

    Raises:
        InputError: no process can be started.
    """
    ready = prepared(specification, seed)
    arguments = [case.arguments for case in ready.cases]
    execution = execute(specification.function, len(specification.outputs), sources, arguments, deadline)
    return [
        _Judge(specification, seed, ready, execution, records, deadline).outcome()
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


class _Judge:
    def __init__(
        self,
        specification: Specification,
        seed: int,
        ready: Prepared,
        execution: Execution,
        records: tuple[Record, ...],
        deadline: float,
    ) -> None:
        self.specification = specification
        self.seed = seed
        self.ready = ready
        self.execution = execution
        self.deadline = deadline
        self.records = records

    def outcome(self) -> Outcome:
        total = len(self.ready.cases)
        fault = next((record for record in self.records if record.get("kind") in faults.LOADING), None)
        if fault is not None:
            message = faults.loading(fault, self.specification.function)
            verdict = faults.verdict_of(fault)
            return Outcome(
                verdict, message, total, line=faults.line_of(fault), printed=self.execution.printed
            )
        judged = [self._judge(index, record) for index, record in enumerate(self.records[:total])]
        passed = sum(one is None for one in judged)
        for index, one in enumerate(judged):
            if one is not None:
                return self._failed(index, one, passed)
        if len(judged) < total:
            return self._cut(len(judged), passed)
        message = faults.PASSED.filled(total=total)
        return Outcome("passed", message, total, passed, notes=self._notes(), printed=self.execution.printed)

    def _judge(self, index: int, record: Record) -> Difference | Record | None:
        """None where the case came out right, else what is wrong with it."""
        got = arrays_of(record, len(self.specification.outputs))
        if got is None:
            return record
        return first_difference(self.specification, got, self.ready.expected[index])

    def _failed(self, index: int, wrong: Difference | Record, passed: int) -> Outcome:
        specification, case = self.specification, self.ready.cases[index]
        slip = self._slip()
        shapes = shapes_of(case)
        head = faults.where(index, len(self.ready.cases), case.note, shapes)
        if isinstance(wrong, Difference):
            several = len(specification.outputs) > 1
            output = specification.outputs[wrong.output] if several else ""
            told, line = faults.difference(wrong, output), None
            verdict: Verdict = "failed"
        else:
            output = ""
            told = faults.calling(wrong, specification.outputs)
            verdict, line = faults.verdict_of(wrong), faults.line_of(wrong)
        message = faults.joined([head, told])
        return Outcome(
            verdict,
            faults.with_slip(message, slip.name) if slip else message,
            cases=len(self.ready.cases),
            passed=passed,
            case=index,
            note=case.note,
            shapes=shapes,
            output=output,
            difference=wrong.largest if isinstance(wrong, Difference) else None,
            where=wrong.where if isinstance(wrong, Difference) else None,
            got=wrong.got if isinstance(wrong, Difference) else "",
            expected=wrong.expected if isinstance(wrong, Difference) else "",
            line=line,
            slip=slip.name if slip else None,
            slip_id=slip.id if slip else "",
            notes=self._notes(),
            printed=self.execution.printed,
        )

    def _cut(self, index: int, passed: int) -> Outcome:
        """The process ended before it came to the end of the cases."""
        case, total = self.ready.cases[index], len(self.ready.cases)
        shapes = shapes_of(case)
        timeout = self.execution.ended == "timeout"
        told = faults.TIMEOUT.filled(seconds=f"{self.deadline:g}") if timeout else faults.died(self.execution)
        message = faults.joined([faults.where(index, total, case.note, shapes), told])
        return Outcome(
            "timeout" if timeout else "error",
            message,
            total,
            passed,
            index,
            case.note,
            shapes,
            printed=self.execution.printed,
        )

    def _notes(self) -> tuple[Text, ...]:
        return faults.notes(self.records)

    def _slip(self) -> Slip | None:
        """The listed slip that gives on every case just what this program gave."""
        outputs = len(self.specification.outputs)
        for slip, theirs in zip(self.specification.slips, slips(self.specification, self.seed), strict=True):
            if len(theirs) == len(self.records) and all(
                _same(self.specification, mine, other, outputs)
                for mine, other in zip(self.records, theirs, strict=True)
            ):
                return slip
        return None


def _same(specification: Specification, mine: Record, other: Record, outputs: int) -> bool:
    """Two programs gave the same on a case, or raised the same."""
    one, two = arrays_of(mine, outputs), arrays_of(other, outputs)
    if one is not None and two is not None:
        return alike(specification, one, two)
    raised = mine.get("kind") == other.get("kind") == "raised"
    return raised and mine.get("type") == other.get("type")


def _scalar(value: Any) -> str:
    return f"= {value:g}" if isinstance(value, float) else f"= {value}"
