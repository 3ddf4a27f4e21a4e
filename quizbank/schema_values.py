"""The values that card files and reference files are made of, each checked as it is read."""

from __future__ import annotations

from typing import Annotated

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Discriminator,
    Field,
    StringConstraints,
    Tag,
    WithJsonSchema,
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


Prose = Annotated[
    str,
    StringConstraints(max_length=LONGEST_TEXT),
    AfterValidator(_prose),
    WithJsonSchema({"type": "string", "maxLength": LONGEST_TEXT, "pattern": r"\S"}),
]
Id = Annotated[str, StringConstraints(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$", max_length=64)]
Name = Annotated[str, StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$", max_length=40)]
DemoId = Annotated[str, StringConstraints(pattern=r"^D\d{2,3}$")]
Reference = Annotated[str, StringConstraints(pattern=r"^D\d{2,3}\.[A-Za-z0-9_-]+$")]
VerdictWord = Annotated[
    c.Verdict, BeforeValidator(_word), WithJsonSchema({"enum": [*c.VERDICTS, True, False]})
]
Finite = Annotated[float, Field(allow_inf_nan=False)]
Positive = Annotated[float, Field(allow_inf_nan=False, ge=0)]
Value = Annotated[
    Annotated[int, Tag("int")] | Annotated[Finite, Tag("float")] | Annotated[str, Tag("str")],
    Discriminator(lambda given: type(given).__name__),
    WithJsonSchema({"type": ["number", "string"]}),
]
Arithmetic = Annotated[
    Annotated[int, Tag("int")]
    | Annotated[Finite, Tag("float")]
    | Annotated[str, AfterValidator(_expression), Tag("str")],
    Discriminator(lambda given: type(given).__name__),
    WithJsonSchema({"type": ["number", "string"]}),
]


class Strict(BaseModel):
    """No unknown keys, no conversion between types. What stands below a field describes it in editors."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, use_attribute_docstrings=True)


class TextModel(Strict):
    """One statement for an English and for a Chinese reader."""

    en: Prose
    """The English text."""
    zh: Prose
    """The Chinese text: the same numbers, formulas and slots in its own words."""

    def frozen_text(self) -> Text:
        return Text(self.en, self.zh)


EitherText = Annotated[
    Annotated[TextModel, Tag("both")] | Annotated[Prose, Tag("same")],
    Discriminator(lambda given: "same" if isinstance(given, str) else "both"),
]


def either_text(given: TextModel | str) -> Text:
    """A text given once for both languages, or in each."""
    return same(given) if isinstance(given, str) else given.frozen_text()
