"""What grading an answer gives, whatever the kind of question; stored with a sitting as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from engine.answers.verdict import Counterexample, Verdict
from engine.text import Text

Outcome = Literal["right", "partial", "wrong", "not-understood", "undecided", "to-tick"]


@dataclass(frozen=True)
class Tick:
    """A key point of a recall. ``proposed`` is what the overlap of words suggests; ``ticked`` what the person says.

    ``matched`` are the words of the answer that speak for it; ``overlap`` is their share of the point's words.
    """

    id: str
    text: Text
    overlap: float
    matched: tuple[str, ...]
    proposed: bool
    ticked: bool | None = None


@dataclass(frozen=True)
class GradedLine:
    """A line of a derivation, without its equals sign. ``hint``: it was shown, not found.

    ``verdict`` as of :class:`engine.answers.verdict.Verdict`, or ``unchecked`` behind the first bad line;
    ``reading`` is LaTeX, empty where the line was not read.
    """

    text: str
    hint: bool
    verdict: str
    reading: str


@dataclass(frozen=True)
class Graded:
    """An answer beside the reference.

    ``points`` run from 0 to 1; None where nothing was decided, which counts for nothing: not understood,
    undecided, or a recall the person has not ticked yet. ``feedback`` is in the order to be read.
    """

    kind: str
    outcome: Outcome
    points: float | None
    given: Text
    reference: Text
    feedback: tuple[Text, ...] = ()
    slip: Text | None = None
    verdict: Verdict | None = None
    ticks: tuple[Tick, ...] = ()
    lines: tuple[GradedLine, ...] = ()

    def as_json(self) -> dict[str, Any]:
        return {
            "kind": self.kind,
            "outcome": self.outcome,
            "points": self.points,
            "given": _both(self.given),
            "reference": _both(self.reference),
            "feedback": [_both(text) for text in self.feedback],
            "slip": self.slip and _both(self.slip),
            "verdict": self.verdict and self.verdict.as_json(),
            "ticks": [
                {
                    "id": tick.id,
                    "text": _both(tick.text),
                    "overlap": tick.overlap,
                    "matched": list(tick.matched),
                    "proposed": tick.proposed,
                    "ticked": tick.ticked,
                }
                for tick in self.ticks
            ],
            "lines": [
                {"text": line.text, "hint": line.hint, "verdict": line.verdict, "reading": line.reading}
                for line in self.lines
            ],
        }

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> Graded:
        """Read what :meth:`as_json` wrote, now or before derivations kept their lines."""
        slip, verdict = document["slip"], document["verdict"]
        return cls(
            kind=document["kind"],
            outcome=document["outcome"],
            points=document["points"],
            given=_text(document["given"]),
            reference=_text(document["reference"]),
            feedback=tuple(_text(text) for text in document["feedback"]),
            slip=slip and _text(slip),
            verdict=verdict and _verdict(verdict),
            ticks=tuple(
                Tick(
                    tick["id"],
                    _text(tick["text"]),
                    tick["overlap"],
                    tuple(tick["matched"]),
                    tick["proposed"],
                    tick["ticked"],
                )
                for tick in document["ticks"]
            ),
            lines=tuple(
                GradedLine(line["text"], line["hint"], line["verdict"], line["reading"])
                for line in document.get("lines", ())
            ),
        )


def _both(text: Text) -> dict[str, str]:
    return {"en": text.en, "zh": text.zh}


def _text(document: Mapping[str, str]) -> Text:
    return Text(document["en"], document["zh"])


def _verdict(document: Mapping[str, Any]) -> Verdict:
    found = document["counterexample"]
    return Verdict(
        document["verdict"],
        _text(document["reason"]),
        document["reading"],
        found and Counterexample(found["values"], found["input"], found["reference"]),
        document["line"],
    )
