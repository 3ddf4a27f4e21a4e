"""What came of a typed program."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from engine.text import Text

Verdict = Literal["passed", "failed", "error", "timeout", "memory", "refused"]


@dataclass(frozen=True)
class Outcome:
    """The verdict on a typed program, and the first case that broke it.

    ``failed``: it runs and its result is wrong. ``error``: it raised. ``refused``: it was not run, because Python
    cannot read it or it is none. All texts are plain (no prose markup) and hold no control characters; they may quote the program.
    """

    verdict: Verdict
    message: Text
    cases: int = 0
    passed: int = 0
    """Cases that came out right."""
    case: int | None = None
    """The first case that did not, counted from 0."""
    note: Text | None = None
    """What that case tries."""
    shapes: Mapping[str, tuple[int, ...] | str] = field(default_factory=dict)
    """Of its arguments; of one that is no array its value."""
    output: str = ""
    """The name of the output that is wrong, where there are several."""
    difference: float | None = None
    """The largest |got - expected| of real numbers; NaN or infinity where one side is."""
    where: tuple[int, ...] | None = None
    got: str = ""
    expected: str = ""
    """Both sides around that place."""
    line: int | None = None
    """Of the person's own program, counted from 1."""
    slip: Text | None = None
    slip_id: str = ""
    notes: tuple[Text, ...] = ()
    """What is not wrong but worth saying: an argument changed in place, float32."""
    printed: str = ""

    def as_json(self) -> dict[str, object]:
        """The outcome as one JSON object; NaN and infinity are strings."""

        def both(text: Text | None) -> dict[str, str] | None:
            return None if text is None else {"en": text.en, "zh": text.zh}

        difference = self.difference
        return {
            "verdict": self.verdict,
            "message": both(self.message),
            "cases": self.cases,
            "passed": self.passed,
            "case": self.case,
            "note": both(self.note),
            "shapes": {
                name: list(shape) if isinstance(shape, tuple) else shape
                for name, shape in self.shapes.items()
            },
            "output": self.output,
            "difference": str(difference)
            if difference is not None and not math.isfinite(difference)
            else difference,
            "where": None if self.where is None else list(self.where),
            "got": self.got,
            "expected": self.expected,
            "line": self.line,
            "slip": both(self.slip),
            "slip_id": self.slip_id,
            "notes": [both(note) for note in self.notes],
            "printed": self.printed,
        }
