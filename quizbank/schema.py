"""The format of a card file, as models that check it and turn it into frozen cards.

:mod:`quizbank.card_file` reads a file through them; nothing past that boundary sees pydantic.

A card file holds one topic; ``tests/data/sample_cards.yaml`` is a complete one. In outline:

    topic: attention                  # one of quizbank.card.TOPICS
    cards:
      - id: attention-scale           # lower-case words joined by hyphens; never changes again
        level: core                   # core, deep, expert
        verdict: imprecise            # of the popular answer: true, imprecise, contested, false
        question: {en: …, zh: …}
        spoken: {en: …, zh: …}        # thirty seconds, as one says it
        answer: {en: …, zh: …}        # prose dialect of engine.notation.prose, with value slots
        key_points:                   # the rubric for recall
          - {id: variance, text: {en: …, zh: …}}
        trap:
          popular: {en: …, zh: …}     # the popular wrong version
          correction: {en: …, zh: …}
          refuted_by: D19.unit-variance-suffices      # a step or a check of one of the card's demonstrations
        follow_ups:                   # at least three, each with its answer
          - {question: {en: …, zh: …}, answer: {en: …, zh: …}, card: id-of-another-card}   # card: optional
        sources:                      # keys of bibliography.yaml; where: a text or one for both languages
          - {key: vaswani-2017, where: '§3.2.1'}
        demos:                        # set: the parameters at which the demonstration makes this card's point
          - {id: D19, set: {d_k: 256}}
        claims: [dot-product-variance] # ids of claims.yaml
        drills:                       # at least three, of at least two kinds; ids are unique in the card
          - kind: choice              # exactly one option is right; each has its own feedback
            id: unscaled-variance
            question: {en: …, zh: …}
            options:
              - {id: grows, text: {en: …, zh: …}, feedback: {en: …, zh: …}, right: true}
          - kind: number              # answer and slips: expressions of quizbank.arithmetic
            id: score-variance
            vary: {d_k: [64, 128]}    # variables; the question shows them as @{d_k}
            question: {en: …, zh: …}
            answer: D19.predicted.score_variance(d_k=d_k, scale=none)
            unit: ''                  # optional
            rel: 0.01                 # tolerance: rel, abs or both
            slips:
              - {value: sqrt(d_k), name: {en: …, zh: …}}
          - kind: expression          # typed and judged; the grammar is that of engine.answers
            id: softmax-jacobian
            question: {en: …, zh: …}
            mode: symbolic            # symbolic, matrix, asymptotic or set; symbolic where left out
            symbols: {p: 'vec:prob', i: index, j: index, n: dim}    # every name that may be typed, with its kind
            where: {p: simplex}       # optional: constraints on vectors
            answer: p_i*(delta(i,j) - p_j)
            slips:
              - {value: p_i*(1 - p_j), name: {en: …, zh: …}}
          - kind: derivation          # line by line from start to goal
            id: derive-variance
            question: {en: …, zh: …}
            mode: symbolic            # or matrix
            symbols: {sigma: pos, d_k: dim, i: index}
            start: sum(sigma^4, i, 1, d_k)
            goal: d_k*sigma^4
            milestones:               # lines on one way there, without the equals sign; each with its hint
              - {line: sigma^4*sum(1, i, 1, d_k), hint: {en: …, zh: …}}
            slips:
              - {value: d_k*sigma^2, name: {en: …, zh: …}}
          - {kind: code, id: write-attention, question: {en: …, zh: …}, spec: attention}   # a name of engine.coding
          - {kind: recall, id: say-it, question: {en: …, zh: …}}
        cited:                        # the numbers typed by hand, as they stand in the texts, and who gives them
          - {number: '30,522', key: devlin-2019, where: '§3'}

Every text is ``{en: …, zh: …}``; a plain string stands for both where it reads the same in both: a
source's ``where`` and an option's ``text``. Texts with formulas go into single quotes or ``|`` blocks.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Discriminator,
    Field,
    StringConstraints,
    Tag,
)
from pydantic_core import PydanticCustomError

from engine.text import Text, same
from quizbank import card as c
from quizbank.arithmetic import ExpressionError, parse
from quizbank.slot_grammar import find_slots

LONGEST_TEXT = 20_000
"""Characters in one language of one text."""


def _prose(text: str) -> str:
    if not text.strip():
        raise PydanticCustomError("blank", "the text is empty")
    try:
        find_slots(text)
    except ExpressionError as error:
        raise _refused(error) from None
    return text.rstrip("\n")


def _expression(source: str) -> str:
    try:
        parse(source)
    except ExpressionError as error:
        raise _refused(error) from None
    return source


def _word(given: object) -> object:
    """YAML reads the verdicts true and false as booleans."""
    return str(given).lower() if isinstance(given, bool) else given


def _refused(error: ExpressionError) -> PydanticCustomError:
    context = {"en": error.text.en, "zh": error.text.zh, "offset": error.offset}
    return PydanticCustomError("expression", "{en}", context)


Prose = Annotated[str, StringConstraints(max_length=LONGEST_TEXT), AfterValidator(_prose)]
Id = Annotated[str, StringConstraints(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$", max_length=64)]
Name = Annotated[str, StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$", max_length=40)]
DemoId = Annotated[str, StringConstraints(pattern=r"^D\d{2,3}$")]
Reference = Annotated[str, StringConstraints(pattern=r"^D\d{2,3}\.[A-Za-z0-9_-]+$")]
VerdictWord = Annotated[c.Verdict, BeforeValidator(_word)]
Finite = Annotated[float, Field(allow_inf_nan=False)]
Positive = Annotated[float, Field(allow_inf_nan=False, ge=0)]
Value = Annotated[
    Annotated[int, Tag("int")] | Annotated[Finite, Tag("float")] | Annotated[str, Tag("str")],
    Discriminator(lambda given: type(given).__name__),
]
Arithmetic = Annotated[
    Annotated[int, Tag("int")]
    | Annotated[Finite, Tag("float")]
    | Annotated[str, AfterValidator(_expression), Tag("str")],
    Discriminator(lambda given: type(given).__name__),
]


class Strict(BaseModel):
    """No unknown keys, no conversion between types."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


class TextModel(Strict):
    """One statement for an English and for a Chinese reader."""

    en: Prose
    zh: Prose

    def frozen_text(self) -> Text:
        return Text(self.en, self.zh)


EitherText = Annotated[
    Annotated[TextModel, Tag("both")] | Annotated[Prose, Tag("same")],
    Discriminator(lambda given: "same" if isinstance(given, str) else "both"),
]


def _text(given: TextModel | str) -> Text:
    return same(given) if isinstance(given, str) else given.frozen_text()


class SourceModel(Strict):
    key: Id
    where: EitherText


class DemoModel(Strict):
    id: DemoId
    set: dict[Name, Value] = {}


class KeyPointModel(Strict):
    id: Id
    text: TextModel


class TrapModel(Strict):
    popular: TextModel
    correction: TextModel
    refuted_by: Reference


class FollowUpModel(Strict):
    question: TextModel
    answer: TextModel
    card: Id | Literal[""] = ""


class OptionModel(Strict):
    id: Id
    text: EitherText
    feedback: TextModel
    right: bool = False


class ChoiceModel(Strict):
    kind: Literal["choice"]
    id: Id
    question: TextModel
    options: Annotated[list[OptionModel], Field(min_length=2, max_length=9)]

    def frozen_drill(self) -> c.ChoiceDrill:
        options = (c.Option(o.id, _text(o.text), o.feedback.frozen_text(), o.right) for o in self.options)
        return c.ChoiceDrill(self.id, self.question.frozen_text(), tuple(options))


class SlipModel(Strict):
    value: Arithmetic
    name: TextModel


class NumberModel(Strict):
    kind: Literal["number"]
    id: Id
    question: TextModel
    answer: Arithmetic
    vary: dict[Name, Annotated[list[Value], Field(min_length=1, max_length=50)]] = {}
    unit: Annotated[str, StringConstraints(max_length=20)] = ""
    rel: Positive = 0.0
    abs: Positive = 0.0
    slips: list[SlipModel] = []

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
    name: TextModel

    def frozen_slip(self) -> c.Slip:
        return c.Slip(self.value, self.name.frozen_text())


class ExpressionModel(Strict):
    kind: Literal["expression"]
    id: Id
    question: TextModel
    answer: Line
    symbols: dict[Name, str]
    mode: c.TypedMode = "symbolic"
    where: dict[Name, str] = {}
    slips: list[TypedSlipModel] = []

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
    hint: TextModel


class DerivationModel(Strict):
    kind: Literal["derivation"]
    id: Id
    question: TextModel
    start: Line
    goal: Line
    symbols: dict[Name, str]
    milestones: Annotated[list[MilestoneModel], Field(min_length=1, max_length=20)]
    mode: Literal["symbolic", "matrix"] = "symbolic"
    where: dict[Name, str] = {}
    slips: list[TypedSlipModel] = []

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
    question: TextModel
    spec: Id

    def frozen_drill(self) -> c.CodeDrill:
        return c.CodeDrill(self.id, self.question.frozen_text(), self.spec)


class RecallModel(Strict):
    kind: Literal["recall"]
    id: Id
    question: TextModel

    def frozen_drill(self) -> c.RecallDrill:
        return c.RecallDrill(self.id, self.question.frozen_text())


class CitedModel(Strict):
    number: Annotated[str, StringConstraints(pattern=r"^\d[\d,.]*$", max_length=30)]
    key: Id
    where: EitherText


DrillModel = Annotated[
    ChoiceModel | NumberModel | ExpressionModel | DerivationModel | CodeModel | RecallModel,
    Field(discriminator="kind"),
]


class CardModel(Strict):
    """One card as written in a file."""

    id: Id
    level: c.Level
    verdict: VerdictWord
    question: TextModel
    spoken: TextModel
    answer: TextModel
    key_points: Annotated[list[KeyPointModel], Field(min_length=1)]
    trap: TrapModel
    follow_ups: list[FollowUpModel]
    sources: list[SourceModel]
    demos: list[DemoModel]
    claims: list[Id]
    drills: list[DrillModel]
    cited: list[CitedModel] = []

    def frozen_card(self, topic: str, place: str) -> c.Card:
        return c.Card(
            id=self.id,
            topic=topic,
            level=self.level,
            verdict=self.verdict,
            question=self.question.frozen_text(),
            spoken=self.spoken.frozen_text(),
            answer=self.answer.frozen_text(),
            key_points=tuple(c.KeyPoint(point.id, point.text.frozen_text()) for point in self.key_points),
            trap=c.Trap(
                self.trap.popular.frozen_text(), self.trap.correction.frozen_text(), self.trap.refuted_by
            ),
            follow_ups=tuple(
                c.FollowUp(f.question.frozen_text(), f.answer.frozen_text(), f.card) for f in self.follow_ups
            ),
            sources=tuple(c.SourceRef(s.key, _text(s.where)) for s in self.sources),
            demos=tuple(c.DemoRef(demo.id, dict(demo.set)) for demo in self.demos),
            claims=tuple(self.claims),
            drills=tuple(drill.frozen_drill() for drill in self.drills),
            cited=tuple(c.Cited(number.number, number.key, _text(number.where)) for number in self.cited),
            place=place,
        )


class CardFileModel(Strict):
    """A card file: one topic and its cards."""

    topic: c.Topic
    cards: list[CardModel]


def json_schema() -> dict[str, Any]:
    """The JSON Schema of a card file, for editors."""
    schema = CardFileModel.model_json_schema()
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **schema,
        "title": "Proofdeck card file",
    }
