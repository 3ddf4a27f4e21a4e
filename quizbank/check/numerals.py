"""Numbers in an answer are computed: one typed by hand is a definition, a year, or cited.

Looked at are the spoken and the full answer, key points, the trap and the answers of follow-ups. A number
typed there is a fault if

- it has three significant figures or more (zeros at the end of a whole number do not count), and is not a
  year (1900 to 2099, outside of formulas), not the right-hand side of a definition in a formula
  (``$d_k = 512$``: one symbol, ``=``, a whole number), and not in the card's ``cited`` list; or
- it is a decimal or a percentage of two figures that equals, to the figures shown, a quantity of the card's
  demonstrations: a slot belongs there.

Questions and drills give numbers as settings, and code is code; neither is looked at. A ``cited`` number that
stands in no text is a fault too.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from decimal import Decimal

from engine.errors import InputError
from engine.text import Text
from quizbank.arithmetic import Expression, ExpressionError, Number, Quantity, parts
from quizbank.card import Card, Value
from quizbank.check.languages import without_slots
from quizbank.check.prose_numbers import WrittenNumber, written_numbers
from quizbank.check.view import View, single_texts
from quizbank.evaluation import arguments_of
from quizbank.fault import Fault
from quizbank.slot_grammar import find_slots, regions
from quizbank.slots import Kind
from quizbank.yaml_nodes import Loc

FIGURES = 3
_SYMBOL = r"(?:[A-Za-z]|\\[A-Za-z]+(?:\{[A-Za-z]+\})?)'*(?:_(?:\{[^{}]*\}|\w))?"
_DEFINED = re.compile(rf"(?:^|[,;\s]){_SYMBOL}\s*=\s*$")
_ENDED = re.compile(r"\s*(?:$|[,;]|\\(?:,|;|quad|text))")


def numeral_faults(view: View, card: Card) -> Iterator[Fault]:
    cited = {_bare(number.number) for number in card.cited}
    seen: set[str] = set()
    known = _known(view, card)
    for loc, _, text in single_texts(card):
        if not _looked_at(loc):
            continue
        blanked = without_slots(text)
        for region in regions(blanked):
            if region.kind == "code":
                continue
            in_formula = region.kind != "plain"
            for number in written_numbers(blanked, region.start, region.end):
                if _bare(number.text) in cited:
                    seen.add(_bare(number.text))
                elif not (in_formula and _defines(blanked, number, region.start, region.end)):
                    yield from _typed(view, card, loc, number, in_formula, known)
    for i, entry in enumerate(card.cited):
        if _bare(entry.number) not in seen:
            yield view.fault(
                card,
                ("cited", i, "number"),
                f"{entry.number} stands in none of the card's answers",
                f"卡片的答案里没有 {entry.number}",
            )


def _looked_at(loc: Loc) -> bool:
    return loc[0] in ("spoken", "answer", "trap", "key_points") or (
        loc[0] == "follow_ups" and loc[2] == "answer"
    )


def _bare(number: str) -> str:
    return number.replace(",", "").rstrip(".")


def _typed(
    view: View, card: Card, loc: Loc, number: WrittenNumber, in_formula: bool, known: Mapping[float, str]
) -> Iterator[Fault]:
    year = not in_formula and re.fullmatch(r"(?:19|20)\d\d", number.text)
    if number.figures >= FIGURES and not year:
        yield view.fault(
            card,
            loc,
            f"{number.text} is typed by hand: use a value slot, or list it under cited with its source",
            f"{number.text} 是手写的数字：请改用值槽，或在 cited 中注明出处",
            number.start,
        )
    elif number.figures == FIGURES - 1 and ("." in number.text or number.percent):
        equal = _equal(number, known)
        if equal:
            yield view.fault(
                card,
                loc,
                f"{number.text} is typed by hand but equals {equal}: use a value slot",
                f"{number.text} 是手写的数字，却等于 {equal}：请改用值槽",
                number.start,
            )


def _defines(text: str, number: WrittenNumber, start: int, end: int) -> bool:
    """Whether the number is the whole right-hand side of ``symbol = number`` in a formula."""
    before = text[start : number.start].replace("$", " ")
    after = text[number.start + len(number.text) : end].replace("$", " ").rstrip()
    return "." not in number.text and bool(_DEFINED.search(before)) and bool(_ENDED.match(after))


def _equal(number: WrittenNumber, known: Mapping[float, str]) -> str:
    """The quantity that the number shows, empty where there is none."""
    scale = Decimal("0.01") if number.percent else Decimal(1)
    value, half = float(number.value * scale), float(number.half_unit * scale)
    for quantity, name in known.items():
        if abs(abs(quantity) - value) <= half * (1 + 1e-9):
            return name
    return ""


def _known(view: View, card: Card) -> dict[float, str]:
    """Every quantity of the card's demonstrations at its parameters and in its slots, by value."""
    found: dict[float, str] = {}
    asked: list[tuple[str, Mapping[str, Value], Kind]] = []
    for demo in card.demos:
        asked += [(demo.id, demo.set, "measured"), (demo.id, demo.set, "predicted")]
    for _, _, text in single_texts(card):
        for slot in find_slots(text):
            asked += _runs(slot.expression)
    for demo_id, given, kind in asked:
        try:
            numbers = view.quantities.scalars(demo_id, given, kind)
        except InputError:
            continue  # reported where it stands
        prefix = "predicted." if kind == "predicted" else ""
        for name, value in numbers.items():
            if math.isfinite(value):
                found.setdefault(float(value), f"{demo_id}.{prefix}{name}")
    return found


def _runs(expression: Expression) -> Iterator[tuple[str, Mapping[str, Value], Kind]]:
    for part in parts(expression):
        if isinstance(part, Quantity):
            try:
                yield (
                    part.demo,
                    arguments_of(part, {}, _refused),
                    "predicted" if part.predicted else "measured",
                )
            except InputError:
                continue  # a variable of a drill, or a run that depends on another


def _refused(quantity: Quantity, _: Mapping[str, Value]) -> Number:
    raise ExpressionError(Text("a quantity inside of an argument", "参数里含有量"), quantity.offset)
