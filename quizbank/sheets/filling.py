"""Slots and keys that were worked out before on this machine, so that a sheet works out what is new alone."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from importlib.metadata import version
from pathlib import Path

from quizbank import slot_grammar
from quizbank.arithmetic import Expression, Number
from quizbank.card import Value
from quizbank.card_cache import digest_of
from quizbank.sheets.memo import Memo
from quizbank.slots import Quantities


class Filling(Quantities):
    """What ``quantities`` fill and evaluate, each text and expression once."""

    def __init__(self, quantities: Quantities) -> None:
        super().__init__(quantities.folder)
        self._of = quantities
        self.known: Memo[str | float | int] = Memo("filled", _code, 40_000)

    def fill(self, text: str, variables: Mapping[str, Value] | None = None) -> str:
        """As :meth:`Quantities.fill`."""
        if "@{" not in text:
            return text
        return str(self.known.get(_key("fill", text, variables), lambda: self._of.fill(text, variables)))

    def value(self, expression: str | Expression, variables: Mapping[str, Value] | None = None) -> Number:
        """As :meth:`Quantities.value`."""
        if not isinstance(expression, str):
            return self._of.value(expression, variables)
        key = _key("value", expression, variables)
        found = self.known.get(key, lambda: self._of.value(expression, variables))
        assert not isinstance(found, str)
        return found


def _key(kind: str, text: str, variables: Mapping[str, Value] | None) -> str:
    return f"{kind} {text}\0{json.dumps(variables, sort_keys=True) if variables else ''}"


@cache
def _code() -> str:
    """A digest of what decides, beside the engine, what stands in a slot."""
    here = Path(slot_grammar.__file__).parent
    names = ("slots.py", "slot_grammar.py", "arithmetic.py", "evaluation.py")
    return f"{version('numpy')}-{digest_of((here / name).read_bytes() for name in names)[:16]}"
