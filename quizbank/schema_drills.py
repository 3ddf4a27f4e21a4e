"""The kinds of drill as written in a card file; :mod:`quizbank.schema` shows one of each."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from quizbank import card as c
from quizbank.schema_values import (
    Arithmetic,
    EitherText,
    Id,
    Name,
    Positive,
    Strict,
    TextModel,
    Value,
    either_text,
)


class OptionModel(Strict):
    id: Id
    """Unique in the drill; never shown."""
    text: EitherText
    """What is offered; a plain string where it reads the same in both languages."""
    feedback: TextModel
    """Why it is right, or which misconception it is."""
    right: bool = False
    """True for exactly one option."""


class ChoiceModel(Strict):
    kind: Literal["choice"]
    id: Id
    """Unique in the card; never changes again."""
    question: TextModel
    """What is asked."""
    options: Annotated[list[OptionModel], Field(min_length=2, max_length=9)]
    """Two to nine, of which one is right; every wrong one is a real misconception."""

    def frozen_drill(self) -> c.ChoiceDrill:
        options = (
            c.Option(o.id, either_text(o.text), o.feedback.frozen_text(), o.right) for o in self.options
        )
        return c.ChoiceDrill(self.id, self.question.frozen_text(), tuple(options))


class SlipModel(Strict):
    value: Arithmetic
    """The wrong answer, as arithmetic over quantities and variables."""
    name: TextModel
    """What went wrong, told to the person who gives it."""


class NumberModel(Strict):
    kind: Literal["number"]
    id: Id
    """Unique in the card; never changes again."""
    question: TextModel
    """What is asked; a variable is shown as @{name}."""
    answer: Arithmetic
    """Arithmetic over quantities of demonstrations and the variables: D19.predicted.score_variance(d_k=d_k)."""
    vary: dict[Name, Annotated[list[Value], Field(min_length=1, max_length=50)]] = Field(default_factory=dict)
    """The values each variable takes; a variant draws one of each."""
    unit: Annotated[str, StringConstraints(max_length=20)] = ""
    """Part of the answer where not empty: MiB, ms."""
    rel: Positive = 0.0
    """Relative tolerance."""
    abs: Positive = 0.0
    """Absolute tolerance."""
    slips: list[SlipModel] = Field(default_factory=list)
    """Wrong answers people give; none may lie within the tolerance."""

    def frozen_drill(self) -> c.NumberDrill:
        return c.NumberDrill(
            id=self.id,
            question=self.question.frozen_text(),
            answer=str(self.answer),
            vary={name: tuple(values) for name, values in self.vary.items()},
            unit=self.unit,
            rel=self.rel,
            abs=self.abs,
            slips=tuple(c.Slip(str(slip.value), slip.name.frozen_text()) for slip in self.slips),
        )


Line = Annotated[str, StringConstraints(min_length=1, max_length=400, pattern=r"^[^\n]*$")]
"""A line as a person types it; whether it can be read is the compiler's business."""


class TypedSlipModel(Strict):
    value: Line
    """The wrong answer, in the grammar a person types."""
    name: TextModel
    """What went wrong, told to the person who gives it."""

    def frozen_slip(self) -> c.Slip:
        return c.Slip(self.value, self.name.frozen_text())


class ExpressionModel(Strict):
    kind: Literal["expression"]
    id: Id
    """Unique in the card; never changes again."""
    question: TextModel
    """What is asked."""
    answer: Line
    """The reference, in the grammar a person types."""
    symbols: dict[Name, str]
    """Every name that may be typed, with its kind: real, pos, prob, posint, nat0, dim, index, 'vec:real', 'mat:n,d'."""
    mode: c.TypedMode = "symbolic"
    """What is compared: values, matrices, growth classes or sets."""
    where: dict[Name, str] = Field(default_factory=dict)
    """Constraints on vectors: {y: simplex}."""
    slips: list[TypedSlipModel] = Field(default_factory=list)
    """Wrong answers people give; none may equal the reference."""

    def frozen_drill(self) -> c.ExpressionDrill:
        return c.ExpressionDrill(
            id=self.id,
            question=self.question.frozen_text(),
            answer=self.answer,
            symbols=dict(self.symbols),
            mode=self.mode,
            where=dict(self.where),
            slips=tuple(slip.frozen_slip() for slip in self.slips),
        )


class MilestoneModel(Strict):
    line: Line
    """A line on the way, without its equals sign."""
    hint: TextModel
    """The thought that leads to it."""


class DerivationModel(Strict):
    kind: Literal["derivation"]
    id: Id
    """Unique in the card; never changes again."""
    question: TextModel
    """What is asked."""
    start: Line
    """The first line."""
    goal: Line
    """The last line."""
    symbols: dict[Name, str]
    """Every name that may be typed, with its kind: real, pos, prob, posint, nat0, dim, index, 'vec:real', 'mat:n,d'."""
    milestones: Annotated[list[MilestoneModel], Field(min_length=1, max_length=20)]
    """Lines on one way from the start to the goal, in order; neither of these two."""
    mode: Literal["symbolic", "matrix"] = "symbolic"
    """What each line is: values or matrices."""
    where: dict[Name, str] = Field(default_factory=dict)
    """Constraints on vectors: {y: simplex}."""
    slips: list[TypedSlipModel] = Field(default_factory=list)
    """Wrong ends people reach; none may equal the goal."""

    def frozen_drill(self) -> c.DerivationDrill:
        return c.DerivationDrill(
            id=self.id,
            question=self.question.frozen_text(),
            start=self.start,
            goal=self.goal,
            symbols=dict(self.symbols),
            milestones=tuple(c.Milestone(m.line, m.hint.frozen_text()) for m in self.milestones),
            mode=self.mode,
            where=dict(self.where),
            slips=tuple(slip.frozen_slip() for slip in self.slips),
        )


class CodeModel(Strict):
    kind: Literal["code"]
    id: Id
    """Unique in the card; never changes again."""
    question: TextModel
    """What is asked."""
    spec: Id
    """The specification it is judged by: a name of engine.coding. A deck holds no code that runs."""

    def frozen_drill(self) -> c.CodeDrill:
        return c.CodeDrill(self.id, self.question.frozen_text(), self.spec)


class RecallModel(Strict):
    kind: Literal["recall"]
    id: Id
    """Unique in the card; never changes again."""
    question: TextModel
    """What is to be said aloud; the card's key points are ticked."""

    def frozen_drill(self) -> c.RecallDrill:
        return c.RecallDrill(self.id, self.question.frozen_text())


DrillModel = Annotated[
    ChoiceModel | NumberModel | ExpressionModel | DerivationModel | CodeModel | RecallModel,
    Field(discriminator="kind"),
]
