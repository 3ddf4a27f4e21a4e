"""What the engine says of a typed answer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Literal, TypeAlias

from engine.errors import InputError
from engine.text import Text

Outcome = Literal["equal", "different", "invalid", "unsafe", "undecided"]
Shown: TypeAlias = int | float | str | None


@dataclass(frozen=True)
class Counterexample:
    """Where the two sides part: the values given to the names, and what each side is there."""

    values: Mapping[str, Shown]
    input: Shown
    reference: Shown


@dataclass(frozen=True)
class Verdict:
    """The judgement of one typed answer.

    ``different`` comes with a counterexample. ``invalid`` (not understood) and ``unsafe`` (refused for its
    cost) carry no penalty; on ``undecided`` the person decides. ``reading`` is LaTeX: how the answer was
    read, empty where it was not. ``line`` is the first bad line of a derivation. ``slip`` is the number, from 0,
    of the slip the caller listed that a wrong answer made.
    """

    verdict: Outcome
    reason: Text
    reading: str = ""
    counterexample: Counterexample | None = None
    line: int | None = None
    slip: int | None = None

    @property
    def is_refusal(self) -> bool:
        return self.verdict in ("invalid", "unsafe")

    def as_json(self) -> dict[str, object]:
        """The verdict as ``proofdeck grade`` writes it; the key ``slip`` only where one was made."""
        shown = self.counterexample
        document: dict[str, object] = {
            "verdict": self.verdict,
            "reason": {"en": self.reason.en, "zh": self.reason.zh},
            "reading": self.reading,
            "counterexample": None
            if shown is None
            else {"values": dict(shown.values), "input": shown.input, "reference": shown.reference},
            "line": self.line,
        }
        return document if self.slip is None else document | {"slip": self.slip}


class RefusalError(Exception):
    """Raised while an answer is read or evaluated; becomes the verdict it names.

    ``at`` is the offset in the text as typed, where one place is to blame.
    """

    def __init__(
        self, verdict: Literal["invalid", "unsafe", "undecided"], reason: Text, at: int | None = None
    ) -> None:
        super().__init__(reason.en)
        self.verdict = verdict
        self.reason = reason
        self.at = at


def invalid(english: str, chinese: str, at: int | None = None, **values: object) -> RefusalError:
    """Not understood: where and why."""
    return RefusalError("invalid", _filled(english, chinese, values), at)


class UndeclaredError(RefusalError):
    """A name stands there that is not declared: it may be mended where names are declared, too."""


def undeclared(english: str, chinese: str, at: int | None = None, **values: object) -> UndeclaredError:
    """Not understood for want of a declaration."""
    return UndeclaredError("invalid", _filled(english, chinese, values), at)


def unsafe(english: str, chinese: str, at: int | None = None, **values: object) -> RefusalError:
    """Refused before it is computed: too long, too deep, too large."""
    return RefusalError("unsafe", _filled(english, chinese, values), at)


def _filled(english: str, chinese: str, values: Mapping[str, object]) -> Text:
    """Where nothing is to be filled in, braces are themselves: a message may show LaTeX."""
    text = Text(english, chinese)
    return text.filled(**values) if values else text


def at_line(place: int, reason: Text) -> Text:
    """A reason with its line before it, which a comma parts from it: the reason may hold a colon of its own."""
    return Text(f"in line {place}, {reason.en}", f"第 {place} 行，{reason.zh}")


@contextmanager
def reading_the_reference() -> Iterator[None]:
    """What is refused of a reference is a fault of its author: raises InputError with the reason."""
    try:
        yield
    except RefusalError as refusal:
        raise InputError(
            Text(
                f"the reference cannot be read: {refusal.reason.en}", f"参考答案无法读取：{refusal.reason.zh}"
            )
        ) from refusal
