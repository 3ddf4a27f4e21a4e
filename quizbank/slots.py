"""Filling value slots: results of demonstrations by name, computed at seed 0, kept on this machine.

The grammar of slots is :mod:`quizbank.slot_grammar`.

A kept value belongs to the code that computed it: the key holds a digest of the engine's source and
NumPy's version. Where everything is kept, NumPy is not imported.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass, replace
from functools import cache
from operator import is_
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypeVar

from engine.demos import find, load
from engine.errors import InputError
from engine.proof.derivation import engine_fingerprint
from engine.text import Text
from quizbank.arithmetic import Expression, ExpressionError, Number, Quantity
from quizbank.card import NumberDrill, Value
from quizbank.evaluation import evaluate
from quizbank.fault import shown
from quizbank.slot_grammar import Slot, fill, read_expression

if TYPE_CHECKING:
    from engine.demonstration import Run

Filled = TypeVar("Filled")

Scalars: TypeAlias = dict[str, float | int]
Kind: TypeAlias = Literal["measured", "predicted"]


def filled(value: Filled, fill: Callable[[str], str]) -> Filled:
    """A card, or any frozen part of it, with ``fill`` applied to every text; itself where that changes nothing."""
    return each_text(value, lambda text: Text(fill(text.en), fill(text.zh)))


def each_text(value: Filled, change: Callable[[Text], Text]) -> Filled:
    """A frozen value with every text in it changed; itself where that makes no difference."""
    made: Any
    if type(value) in _WITHOUT_TEXT:
        return value
    if isinstance(value, Text):
        made = change(value)
        return value if made == value else made
    if isinstance(value, tuple):
        parts = [each_text(part, change) for part in value]
        return value if all(map(is_, parts, value)) else tuple(parts)  # type: ignore[return-value]
    changes: dict[str, Any] = {}
    kind: type = type(value)
    for name in _fields(kind):
        before = getattr(value, name)
        made = each_text(before, change)
        if made is not before:
            changes[name] = made
    return replace(value, **changes) if changes else value  # type: ignore[type-var]


_WITHOUT_TEXT = frozenset((str, int, float, bool, type(None)))


@cache
def _fields(kind: type) -> tuple[str, ...]:
    """The fields of a dataclass, none of any other class."""
    return tuple(field.name for field in fields(kind)) if is_dataclass(kind) else ()


class QuantityError(ExpressionError):
    """A quantity that no demonstration has: unknown demonstration, result or parameter, or a bad value."""


class Quantities:
    """Quantities of demonstrations, from a cache folder (None: kept for this process only).

    ``fill`` fills the slots of a text; ``value`` evaluates an expression of a drill.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder
        self._known: dict[str, dict[str, Scalars]] = {}

    def fill(self, text: str, variables: Mapping[str, Value] | None = None) -> str:
        """The text with every value slot replaced by its number.

        Raises:
            ExpressionError: a slot that cannot be read or computed; ``offset`` is its place in the text.
        """
        if "@{" not in text:
            return text
        return fill(text, lambda slot: self.slot_value(slot, variables))

    def slot_value(self, slot: Slot, variables: Mapping[str, Value] | None = None) -> Value:
        """A slot's value. Raises as :meth:`fill`."""
        try:
            return evaluate(slot.expression, variables or {}, self.quantity)
        except ExpressionError as error:
            error.offset += slot.start + 2
            raise

    def value(self, expression: str | Expression, variables: Mapping[str, Value] | None = None) -> Number:
        """The value of a number drill's answer or slip at a variant's variables.

        Raises:
            ExpressionError: it cannot be read or computed, or is a word.
        """
        if isinstance(expression, str):
            expression = read_expression(expression)
        found = evaluate(expression, variables or {}, self.quantity)
        if isinstance(found, str):
            raise ExpressionError(
                Text("{w} is a word, not a number", "{w} 是文字，不是数").filled(w=shown(found)), 0
            )
        return found

    def answer(self, drill: NumberDrill, variables: Mapping[str, Value]) -> Number:
        """The reference of a number drill at a variant. Raises as :meth:`value`."""
        return self.value(drill.answer, variables)

    def quantity(self, quantity: Quantity, arguments: Mapping[str, Value]) -> Number:
        """One quantity at evaluated arguments. Raises QuantityError."""
        kind: Kind = "predicted" if quantity.predicted else "measured"
        try:
            scalars = self.scalars(quantity.demo, arguments, kind)
        except InputError as error:
            raise QuantityError(error.text, quantity.offset) from None
        if quantity.name not in scalars:
            raise QuantityError(
                Text(
                    "{d} has no {k} number {n}; it has {known}",
                    "{d} 没有名为 {n} 的{z}数值；可用的有 {known}",
                ).filled(
                    d=quantity.demo,
                    k=kind,
                    z="预测" if quantity.predicted else "实测",
                    n=shown(quantity.name),
                    known=", ".join(sorted(scalars)) or "—",
                ),
                quantity.offset,
            )
        return scalars[quantity.name]

    def scalars(self, demo: str, given: Mapping[str, Value], kind: Kind) -> Scalars:
        """Every number of one run at seed 0 by name; ``predicted`` ones need no experiment.

        Raises:
            InputError: unknown demonstration or parameter, or a value out of range.
        """
        demo_id = find(demo).id
        known = self._of_demo(demo_id)
        key = _key(kind, given)
        if key not in known:
            demonstration = load(demo_id)
            if kind == "predicted":
                from engine.demonstration import Params

                params = Params(demonstration.read(given), demonstration.samples.rest)
                known[key] = numbers_of(demonstration.predict(params))
                self._keep(demo_id)
            else:
                self.learn(demonstration.run(given, seed=0), given)
        return self._of_demo(demo_id)[key]

    def learn(self, run: Run, given: Mapping[str, Value]) -> None:
        """Keep the numbers of a run at seed 0 that was made anyway, at the parameters it was given."""
        known = self._of_demo(run.demo.id)
        known[_key("measured", given)] = numbers_of(run.results)
        known[_key("predicted", given)] = numbers_of(run.predicted)
        self._keep(run.demo.id)

    def _of_demo(self, demo_id: str) -> dict[str, Scalars]:
        if demo_id not in self._known:
            self._known[demo_id] = self._kept(demo_id)
        return self._known[demo_id]

    def _kept(self, demo_id: str) -> dict[str, Scalars]:
        if self.folder is None:
            return {}
        try:
            kept = json.loads(self._path(demo_id).read_text(encoding="utf-8"))
            return {
                key: {name: _a_number(value) for name, value in scalars.items()}
                for key, scalars in kept.items()
            }
        except (OSError, ValueError, TypeError, KeyError, AttributeError):
            return {}

    def _keep(self, demo_id: str) -> None:
        """Write what is known of a demonstration, with what another process has added since."""
        if self.folder is None:
            return
        path = self._path(demo_id)
        partial = path.with_suffix(f".{os.getpid()}.part")
        known = self._known[demo_id] = {**self._kept(demo_id), **self._known[demo_id]}
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            partial.write_text(json.dumps(known), encoding="utf-8")
            partial.replace(path)
        except OSError:
            # without a cache the numbers are computed again, nothing more
            return

    def _path(self, demo_id: str) -> Path:
        assert self.folder is not None
        return self.folder / f"{demo_id}-{_code()}.json"


@cache
def _code() -> str:
    from importlib.metadata import version

    return f"{engine_fingerprint()}-{version('numpy')}"


def _key(kind: Kind, given: Mapping[str, Value]) -> str:
    """Kind and arguments as text; 256 and 256.0 are the same argument."""

    def plain(value: Value) -> str:
        whole = isinstance(value, float) and value.is_integer() and abs(value) < 2**53
        return repr(int(value) if whole else value)

    return ",".join([kind, *(f"{name}={plain(value)}" for name, value in sorted(given.items()))])


def numbers_of(results: Mapping[str, Any]) -> Scalars:
    """What of the results is a single number; arrays and words are left out."""
    found: Scalars = {}
    for name, value in results.items():
        if getattr(value, "ndim", 0) or isinstance(value, str | list | tuple | dict):
            continue
        plain = value.item() if hasattr(value, "item") else value
        if isinstance(plain, bool | int | float):
            found[name] = int(plain) if isinstance(plain, bool) else plain
    return found


def _a_number(value: Any) -> float | int:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError("not a number")
    return value
