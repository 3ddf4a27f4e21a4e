"""A card, as the rest of the program sees it: frozen, typed, already validated.

The YAML of a card file is checked at the file boundary (:mod:`quizbank.schema`); texts are prose in
the dialect of :mod:`engine.notation.prose` and may hold value slots (:mod:`quizbank.slots`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import product
from typing import Literal, Protocol, TypeAlias, get_args

from engine.text import Text

Topic = Literal[
    "convolution", "rnn", "lstm-gru", "seq2seq", "attention", "multi-head", "position", "block", "normalization",
    "training", "embeddings", "bert", "gpt", "decoding", "vit", "efficient", "memory", "code", "own",
]  # fmt: skip
TOPICS: tuple[Topic, ...] = get_args(Topic)
LEVELS = ("core", "deep", "expert")
VERDICTS = ("true", "imprecise", "contested", "false")
UNCHECKED = "unchecked"
"""In the place of a verdict where nobody has weighed the popular answer: on a plain card."""
KINDS = ("choice", "number", "expression", "derivation", "code", "recall")

Level = Literal["core", "deep", "expert"]
Verdict = Literal["true", "imprecise", "contested", "false"]
Standing = Literal["true", "imprecise", "contested", "false", "unchecked"]
Form = Literal["full", "plain"]
Value: TypeAlias = float | int | str


@dataclass(frozen=True)
class SourceRef:
    """A key of the bibliography, and the section, equation or table in it that carries the claim."""

    key: str
    where: Text


@dataclass(frozen=True)
class DemoRef:
    """A demonstration and the parameter values at which it makes this card's point."""

    id: str
    set: Mapping[str, Value] = field(default_factory=dict)


@dataclass(frozen=True)
class KeyPoint:
    """One line of the rubric: what a full answer must hold."""

    id: str
    text: Text


@dataclass(frozen=True)
class Trap:
    """The popular wrong version and what refutes it.

    ``refuted_by`` is ``D19.unit-variance-suffices`` (a step) or ``D19.score-variance`` (a check).
    """

    popular: Text
    correction: Text
    refuted_by: str


NOTHING_SAID = Text("", "")
NO_TRAP = Trap(NOTHING_SAID, NOTHING_SAID, "")


@dataclass(frozen=True)
class FollowUp:
    """What an interviewer asks next; ``card`` is the card that answers it at length, if one does."""

    question: Text
    answer: Text
    card: str = ""


@dataclass(frozen=True)
class Option:
    id: str
    text: Text
    feedback: Text
    right: bool = False


@dataclass(frozen=True)
class ChoiceDrill:
    id: str
    question: Text
    options: tuple[Option, ...]
    kind: Literal["choice"] = "choice"


@dataclass(frozen=True)
class Slip:
    """A wrong answer people give, and its name. ``value`` is arithmetic over quantities, as the answer."""

    value: str
    name: Text


@dataclass(frozen=True)
class NumberDrill:
    """A number the engine computes.

    ``vary`` lists the values each variable may take in a variant; the question names them as
    ``@{d_k}``. ``answer`` is arithmetic over quantities and variables (:mod:`quizbank.slots`).
    ``rel`` and ``abs`` are the tolerance; ``unit`` is part of the answer where not empty.
    """

    id: str
    question: Text
    answer: str
    vary: Mapping[str, tuple[Value, ...]] = field(default_factory=dict)
    unit: str = ""
    rel: float = 0.0
    abs: float = 0.0
    slips: tuple[Slip, ...] = ()
    kind: Literal["number"] = "number"

    def variants(self) -> Iterator[dict[str, Value]]:
        """Every combination of the variables, in a fixed order; one of no variables where there are none."""
        for values in product(*self.vary.values()):
            yield dict(zip(self.vary, values, strict=True))

    def accepts(self, given: float, reference: float) -> bool:
        """Whether a given number lies within the tolerance of the reference. NaN never does."""
        return given == reference or abs(given - reference) <= max(self.abs, self.rel * abs(reference))


@dataclass(frozen=True)
class RecallDrill:
    """Say it, then tick the card's key points."""

    id: str
    question: Text
    kind: Literal["recall"] = "recall"


TypedMode = Literal["symbolic", "matrix", "asymptotic", "set"]


@dataclass(frozen=True)
class ExpressionDrill:
    """A formula, a matrix expression, a growth class or a set, typed and judged by :mod:`engine.answers`.

    ``symbols`` declares every name with its kind (:mod:`engine.answers.symbols`); ``where`` holds
    constraints on vectors, such as ``{"y": "simplex"}``. ``answer`` and the values of ``slips`` are in
    the grammar a person types.
    """

    id: str
    question: Text
    answer: str
    symbols: Mapping[str, str]
    mode: TypedMode = "symbolic"
    where: Mapping[str, str] = field(default_factory=dict)
    slips: tuple[Slip, ...] = ()
    kind: Literal["expression"] = "expression"


@dataclass(frozen=True)
class Milestone:
    """A line on the way of a derivation, without its equals sign, and the thought that leads to it."""

    line: str
    hint: Text


@dataclass(frozen=True)
class DerivationDrill:
    """From ``start`` to ``goal``, line by line; each line is judged against the one before.

    ``milestones`` are lines on one way there, in order; the goal is not among them. ``slips`` are wrong
    ends people reach. ``symbols``, ``where`` and ``mode`` as in :class:`ExpressionDrill`.
    """

    id: str
    question: Text
    start: str
    goal: str
    symbols: Mapping[str, str]
    milestones: tuple[Milestone, ...]
    mode: Literal["symbolic", "matrix"] = "symbolic"
    where: Mapping[str, str] = field(default_factory=dict)
    slips: tuple[Slip, ...] = ()
    kind: Literal["derivation"] = "derivation"


@dataclass(frozen=True)
class CodeDrill:
    """Write it by hand: ``spec`` names a specification of :mod:`engine.coding`; a card holds no code that runs."""

    id: str
    question: Text
    spec: str
    kind: Literal["code"] = "code"


Drill = ChoiceDrill | NumberDrill | ExpressionDrill | DerivationDrill | CodeDrill | RecallDrill


@dataclass(frozen=True)
class Cited:
    """A number that stands in the card's texts as a source gives it: the only way to type one by hand.

    ``number`` is written as in the texts (``30,522``); ``key`` and ``where`` say who gives it.
    """

    number: str
    key: str
    where: Text


@dataclass(frozen=True, slots=True)
class Card:
    """One question an interviewer asks, complete; or, of the kind ``plain``, a person's own question and answer.

    A plain card has tags and may name demonstrations. All else of it is empty, its verdict is ``unchecked``, and
    both languages of a text are the same where it was written in one. ``needs`` are ids of the cards to know
    before; ``place`` is the file, line and column of its entry.
    """

    id: str
    topic: str
    level: Level
    verdict: Standing
    question: Text
    spoken: Text
    answer: Text
    key_points: tuple[KeyPoint, ...]
    trap: Trap
    follow_ups: tuple[FollowUp, ...]
    sources: tuple[SourceRef, ...]
    demos: tuple[DemoRef, ...]
    claims: tuple[str, ...]
    drills: tuple[Drill, ...]
    cited: tuple[Cited, ...] = ()
    needs: tuple[str, ...] = ()
    kind: Form = "full"
    tags: tuple[str, ...] = ()
    place: str = ""

    @property
    def is_plain(self) -> bool:
        return self.kind == "plain"

    @property
    def file(self) -> str:
        """The file that its entry stands in."""
        return self.place.rsplit(":", 2)[0]


class Outline(Protocol):
    """What is known of a card beside its id without reading what it says; a :class:`Card` is one too."""

    @property
    def topic(self) -> str: ...

    @property
    def level(self) -> Level: ...

    @property
    def verdict(self) -> Standing: ...

    @property
    def is_plain(self) -> bool: ...

    @property
    def file(self) -> str: ...

    @property
    def needs(self) -> tuple[str, ...]: ...

    @property
    def claims(self) -> tuple[str, ...]: ...

    @property
    def demos(self) -> tuple[DemoRef, ...]: ...

    @property
    def follow_ups(self) -> tuple[FollowUp, ...]: ...

    @property
    def drills(self) -> tuple[Drill, ...]: ...
