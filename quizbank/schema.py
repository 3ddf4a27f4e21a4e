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
        needs: [softmax-saturation]  # optional: ids of the cards to know before

A card of one's own may be plain: a question and an answer, without a claim to be proved. It is shown as unchecked,
and as one to be believed where it names no demonstration. The topic ``own`` is for what fits no other:

      - kind: plain
        id: my-question-3f2a91c0
        question: What does a residual connection add?     # a string, or {en: …, zh: …}
        answer: The input of the block to its output.
        level: core                   # optional, as are tags and demos
        tags: [residual, block]
        demos: [{id: D34}]

Every text is ``{en: …, zh: …}``; a plain string stands for both where it reads the same in both: a
source's ``where`` and an option's ``text``. Texts with formulas go into single quotes or ``|`` blocks.

A derivation grades well where start and goal differ in form (:mod:`engine.answers.form`), not only in the order of
their terms, with at least one step between that is more than working out a number:

- the start a definition with its sum, product, bracket or quotient; the goal without it. A goal made of fewer names
  and functions than the start and the milestones lets the grader take other closed forms of it as arrived; where the
  goal is as large as these (an expansion, an addition theorem), only the goal up to trivial rewriting is, and other
  forms come back undecided;
- no milestone that a person might rightly stop at: one is held to be on the way, so an end there is graded in part;
- steps that grade well: collect, cancel, multiply out or factor, a sum over ``dim`` worked out or taken apart,
  ``delta`` picking a term, ``exp`` and ``ln`` joined or split, addition theorems, ``sigmoid`` and ``tanh`` written out,
  a value inserted, products of matrices under a transpose;
- not to be had: derivatives, limits, expectations as such (start one line later, where they have been taken),
  entries of a vector beyond the third where no ``dim`` is declared, lines of more than 400 characters;
- ``=`` chains, hints and the points they cost: :mod:`quizbank.drills.derivation`. ``tests/data/derivations.yaml`` has
  six to copy from.

Editors complete and check a card file from ``card.schema.json`` (what ``proofdeck schema`` prints) where its first
line is ``# yaml-language-server: $schema=PATH``, with the path from the card file to the schema.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Discriminator, Field, StringConstraints, Tag

from quizbank import card as c
from quizbank.schema_drills import DrillModel
from quizbank.schema_values import (
    DemoId,
    EitherText,
    Id,
    Name,
    Reference,
    Strict,
    TextModel,
    Value,
    VerdictWord,
    either_text,
)


class SourceModel(Strict):
    key: Id
    """A key of bibliography.yaml."""
    where: EitherText
    """The section, equation or table that carries the claim."""


class DemoModel(Strict):
    id: DemoId
    """Its number in the catalogue: D19."""
    set: dict[Name, Value] = Field(default_factory=dict)
    """Parameters at which it makes this card's point."""


class KeyPointModel(Strict):
    id: Id
    """Unique in the card."""
    text: TextModel
    """One thing a full answer holds."""


class TrapModel(Strict):
    popular: TextModel
    """The popular wrong version."""
    correction: TextModel
    """What is wrong with it."""
    refuted_by: Reference
    """A refuted step or a check of one of the demonstrations: D19.unit-variance-suffices."""


class FollowUpModel(Strict):
    question: TextModel
    """What an interviewer asks next."""
    answer: TextModel
    """Its answer, in short."""
    card: Id | Literal[""] = ""
    """The id of the card that answers it at length, if one does."""


class CitedModel(Strict):
    number: Annotated[str, StringConstraints(pattern=r"^\d[\d,.]*$", max_length=30)]
    """The number as it stands in the texts: 30,522."""
    key: Id
    """A key of bibliography.yaml."""
    where: EitherText
    """Where the source gives it."""


class CardModel(Strict):
    """One card as written in a file."""

    kind: Literal["full"] = "full"
    """Left out; a card with nothing but a question and an answer is of the kind plain."""
    id: Id
    """Lower-case words joined by hyphens; progress is kept by it, so it never changes again."""
    level: c.Level
    """How far an interviewer digs: core, deep, expert."""
    verdict: VerdictWord
    """How far the popular answer is true, by the inventory of claims."""
    question: TextModel
    """What an interviewer asks."""
    spoken: TextModel
    """The answer as one says it in thirty seconds."""
    answer: TextModel
    """The full answer, with value slots for its numbers: @{D19.score_variance(d_k=256)|.3g}."""
    key_points: Annotated[list[KeyPointModel], Field(min_length=1)]
    """The rubric for recall."""
    trap: TrapModel
    """The popular wrong version, and what refutes it."""
    follow_ups: list[FollowUpModel]
    """At least three, each with its answer; links to other cards make a chain of "why?"."""
    sources: list[SourceModel]
    """Who says so, and where."""
    demos: list[DemoModel]
    """The demonstrations that back it."""
    claims: list[Id]
    """Ids of claims.yaml that it takes a stand on."""
    drills: list[DrillModel]
    """At least three, of at least two kinds."""
    cited: list[CitedModel] = Field(default_factory=list)
    """Numbers typed by hand, and who gives them."""
    needs: list[Id] = Field(default_factory=list)
    """Ids of the cards to know before this one: they are met first."""

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
            sources=tuple(c.SourceRef(s.key, either_text(s.where)) for s in self.sources),
            demos=tuple(c.DemoRef(demo.id, dict(demo.set)) for demo in self.demos),
            claims=tuple(self.claims),
            drills=tuple(drill.frozen_drill() for drill in self.drills),
            cited=tuple(
                c.Cited(number.number, number.key, either_text(number.where)) for number in self.cited
            ),
            needs=tuple(self.needs),
            place=place,
        )


class PlainCardModel(Strict):
    """A person's own question and answer."""

    kind: Literal["plain"]
    """A question and an answer, unchecked."""
    id: Id
    """Lower-case words joined by hyphens; progress is kept by it, so it never changes again."""
    question: EitherText
    """What is asked."""
    answer: EitherText
    """What you want to be able to say."""
    level: c.Level = "core"
    """How far an interviewer digs: core, deep, expert."""
    tags: list[Annotated[str, StringConstraints(pattern=r"^\S+$", max_length=100)]] = Field(
        default_factory=list
    )
    """Words to find it by."""
    demos: list[DemoModel] = Field(default_factory=list)
    """Demonstrations that back it; without one it has to be believed."""

    def frozen_card(self, topic: str, place: str) -> c.Card:
        return c.Card(
            id=self.id,
            topic=topic,
            level=self.level,
            verdict="unchecked",
            question=either_text(self.question),
            spoken=c.NOTHING_SAID,
            answer=either_text(self.answer),
            key_points=(),
            trap=c.NO_TRAP,
            follow_ups=(),
            sources=(),
            demos=tuple(c.DemoRef(demo.id, dict(demo.set)) for demo in self.demos),
            claims=(),
            drills=(),
            kind="plain",
            tags=tuple(dict.fromkeys(self.tags)),
            place=place,
        )


def form_of(given: Any) -> str:
    """Which of the two forms an entry has: plain where it says so, else full."""
    kind = given.get("kind") if isinstance(given, dict) else getattr(given, "kind", None)
    return "plain" if kind == "plain" else "full"


AnyCard = Annotated[
    Annotated[CardModel, Tag("full")] | Annotated[PlainCardModel, Tag("plain")], Discriminator(form_of)
]


class CardFileModel(Strict):
    """A card file: one topic and its cards."""

    topic: c.Topic
    """The topic of every card in the file."""
    cards: list[AnyCard]
    """The cards, in the order they are taught."""


def json_schema() -> dict[str, Any]:
    """The JSON Schema of a card file, for editors; it ships as ``quizbank/card.schema.json``."""
    schema = _trimmed(CardFileModel.model_json_schema())
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **schema,
        "title": "Proofdeck card file",
    }


def _trimmed(part: Any) -> Any:
    """Without titles made of field names and descriptions of classes; mappings take no other keys than they name."""
    if isinstance(part, list):
        return [_trimmed(item) for item in part]
    if not isinstance(part, dict):
        return part
    kept = {
        key: {name: _trimmed(value) for name, value in item.items()} if key in _NAMED else _trimmed(item)
        for key, item in part.items()
        if key != "title" and not (key == "description" and "properties" in part)
    }
    if "patternProperties" in kept:
        kept["additionalProperties"] = False
    return kept


_NAMED = ("properties", "$defs", "patternProperties")
"""Parts of a schema whose keys are names of the format, not of JSON Schema."""
