"""A question as it is put to a person: its text, and how what they type is read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from engine.text import Language, Text
from tui.answer_text import symbols_prose

if TYPE_CHECKING:
    from engine.answers.reading import Reading
    from engine.coding.specification import Specification
    from quizbank.card import Card, Drill, Value
    from quizbank.drills.variant import Variant


class Asked(NamedTuple):
    """A question as it is put. Of a choice ``options`` are in their order as (id, text).

    ``read`` says how a typed line is read, None where nothing is to be read. ``specification`` is that of a
    function to write.
    """

    question: Text
    options: tuple[tuple[str, Text], ...]
    unit: str
    drill: Drill
    read: Callable[[str], Reading] | None = None
    specification: Specification | None = None

    @property
    def kind(self) -> str:
        return self.drill.kind

    def more(self, language: Language) -> tuple[str, ...]:
        """What stands under the question, as prose: the names that may be used, the task of a function."""
        if self.drill.kind == "expression":
            return (symbols_prose(self.drill.symbols, self.drill.where, language),)
        if self.specification is not None:
            return (self.specification.task.of(language),)
        return ()


def asked(
    card: Card, drill: Drill, variant: Variant, fill: Callable[[str, Mapping[str, Value]], str]
) -> Asked:
    """The variant's question and options, with their slots computed by ``fill``.

    Raises:
        InputError: the drill names no specification that is there.
    """

    from quizbank.drills.variant import as_put

    def filled(text: Text) -> Text:
        en, zh = (fill(language, variant.variables) for language in text)
        return Text(en, zh)

    question = Asked(filled(as_put(card, drill)), (), "", drill)
    if drill.kind == "choice":
        texts = {option.id: option.text for option in drill.options}
        return question._replace(options=tuple((id_, filled(texts[id_])) for id_ in variant.options))
    if drill.kind == "number":
        return question._replace(unit=drill.unit, read=_number_reader(drill.unit))
    if drill.kind == "expression":
        return question._replace(read=partial(_read, drill.symbols, drill.mode))
    if drill.kind == "code":
        from engine.coding import load

        return question._replace(specification=load(drill.spec))
    return question


def _number_reader(unit: str) -> Callable[[str], Reading]:
    """Numbers are read with the units of the answer in force."""
    from engine.answers.arithmetic import read
    from engine.answers.reading import read_answer
    from engine.answers.verdict import RefusalError
    from quizbank.drills.grading import own_units

    words = own_units(unit)
    try:
        dimensions = read(f"1 {unit}", words).value.dimensions
    except RefusalError:
        dimensions = ()
    in_bytes = any(name == "byte" for name, _ in dimensions)
    return lambda typed: read_answer(typed, {}, "numeric", words=words, bytes_meant=in_bytes)


def _read(symbols: Mapping[str, str], mode: str, typed: str) -> Reading:
    from engine.answers.reading import read_answer

    return read_answer(typed, symbols, mode)
