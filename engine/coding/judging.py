"""What is said of a typed program: its results against the expected ones, the first case that breaks it, the slip."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from engine.coding import faults
from engine.coding.compare import Difference, alike, arrays_of, first_difference
from engine.coding.outcome import Outcome, Verdict
from engine.coding.process import Execution
from engine.coding.specification import Array, Case, Slip, Specification
from engine.errors import InputError
from engine.text import Text

Record = Mapping[str, Any]


@dataclass(frozen=True)
class Prepared:
    """The cases of a seed and what is right on each."""

    cases: tuple[Case, ...]
    expected: tuple[tuple[Array, ...], ...]


class Judgement:
    """One program's records against what is right; ``known`` gives the records of the listed slips when asked."""

    def __init__(
        self,
        specification: Specification,
        ready: Prepared,
        execution: Execution,
        records: tuple[Record, ...],
        deadline: float,
        known: Callable[[], Sequence[tuple[Record, ...]]],
    ) -> None:
        self.specification = specification
        self.ready = ready
        self.execution = execution
        self.records = records
        self.deadline = deadline
        self.known = known

    def outcome(self) -> Outcome:
        """The verdict, and on the first case that is not right all there is to say."""
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
        try:
            known = self.known()
        except InputError:
            return None
        for slip, theirs in zip(self.specification.slips, known, strict=True):
            if len(theirs) == len(self.records) and all(
                _same(self.specification, mine, other, outputs)
                for mine, other in zip(self.records, theirs, strict=True)
            ):
                return slip
        return None


def shapes_of(case: Case) -> dict[str, tuple[int, ...] | str]:
    """The shapes of a case's arguments; of one that is no array its value."""
    return {
        name: value.shape if isinstance(value, np.ndarray) and value.ndim else _scalar(value)
        for name, value in case.arguments.items()
    }


def _same(specification: Specification, mine: Record, other: Record, outputs: int) -> bool:
    """Two programs gave the same on a case, or raised the same."""
    one, two = arrays_of(mine, outputs), arrays_of(other, outputs)
    if one is not None and two is not None:
        return alike(specification, one, two)
    raised = mine.get("kind") == other.get("kind") == "raised"
    return raised and mine.get("type") == other.get("type")


def _scalar(value: Any) -> str:
    return f"= {value:g}" if isinstance(value, float) else f"= {value}"
