"""Validated cards kept as JSON, so that a start needs neither PyYAML nor pydantic.

An entry is one file: a digest of what follows, then lines of JSON, the first of which is its key: path, size and
time of change of every source file, the program's version and reading code. JSON cannot run anything; an
entry that is damaged, stale or unreadable counts as none, and a folder that cannot be written is no
error. Of the values, a line each, only one is unpacked at a time: decoding lets no other thread run meanwhile.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from functools import cache
from hashlib import blake2b
from io import BytesIO
from itertools import groupby
from pathlib import Path
from typing import Any, TypeAlias

from engine.text import Text
from quizbank import __version__
from quizbank import card as c
from quizbank.bundle import TOGETHER, can_be_bundled, packed_bundle, unpacked_bundle
from quizbank.card_list import Held
from quizbank.card_set import CardSet
from quizbank.fault import Fault
from quizbank.glossary import Term
from quizbank.reference import Claim, Source

Stamp: TypeAlias = list[list[str | int]]
"""[path, size in bytes, time of change in ns] of each source file."""

_SETTLED_NS = 50_000_000
"""A file younger than this may change again within one tick of its clock, unseen; it is not kept yet."""


def stamp(paths: Iterable[Path]) -> Stamp | None:
    """The files' identity, or None where one of them cannot be looked at."""
    found: Stamp = []
    try:
        for path in paths:
            status = path.stat()
            found.append([str(path), status.st_size, status.st_mtime_ns])
    except (OSError, ValueError):
        return None
    return found


def digest(data: bytes) -> str:
    return digest_of((data,))


def digest_of(parts: Iterable[bytes]) -> str:
    """The digest of all parts one after the other, of which only one need be held at a time."""
    found = blake2b(digest_size=16)
    for part in parts:
        found.update(part)
    return found.hexdigest()


@cache
def _reading_code() -> list[list[int]]:
    """Size and time of change of the modules that read and keep card files."""
    here = Path(__file__).parent
    names = (
        "bank",
        "bundle",
        "card",
        "card_cache",
        "card_file",
        "schema",
        "schema_drills",
        "schema_values",
        "yaml_nodes",
        "slot_grammar",
        "arithmetic",
        "reference_file",
        "revisions",
        "card_set",
        "glossary",
        "glossary_file",
    )
    statuses = [(here / f"{name}.py").stat() for name in names]
    return [[status.st_size, status.st_mtime_ns] for status in statuses]


class CardCache:
    """Kept values in a folder, one file for each name."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def get(self, name: str, sources: Stamp) -> Iterator[Any] | None:
        """What was kept under this name for exactly these sources, value by value, else None."""
        try:
            kept = self._path(name, sources).read_bytes()
            check, _, body = kept.partition(b"\n")
            del kept
            if check.decode("ascii") != digest(body):
                return None
            lines = BytesIO(body)
            key = json.loads(lines.readline())
        except (OSError, ValueError, TypeError):
            return None
        return map(json.loads, lines) if key == self._key(sources) else None

    def put(self, name: str, sources: Stamp, values: Iterable[Any]) -> None:
        """Keep JSON values; nothing happens where the folder cannot be written."""
        newest = max((int(entry[2]) for entry in sources), default=0)
        if time.time_ns() - newest < _SETTLED_NS:
            return
        lines = (
            json.dumps(value, ensure_ascii=False, separators=(",", ":"))
            for value in (self._key(sources), *values)
        )
        # a path may hold bytes that are no UTF-8
        data = "\n".join(lines).encode("utf-8", "surrogatepass")
        path = self._path(name, sources)
        partial = path.with_suffix(f".{os.getpid()}.part")
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            partial.write_bytes(digest(data).encode() + b"\n" + data)
            partial.replace(path)
        except OSError:
            try:
                partial.unlink(missing_ok=True)
            except OSError:
                return

    def _key(self, sources: Stamp) -> list[Any]:
        return [__version__, _reading_code(), sources]

    def _path(self, name: str, sources: Stamp) -> Path:
        places = "\n".join(str(entry[0]) for entry in sources)
        return self.folder / f"{name}-{digest(places.encode('utf-8', 'surrogatepass'))}.json"


# values as JSON: dataclasses as lists of their fields in order, texts as [en, zh]


def packed(value: Any) -> Any:
    """A card, a fault, a source, a claim, a term or a set, and what they hold, as JSON values."""
    if isinstance(value, str):
        return value
    if isinstance(value, Text):
        return [value.en, value.zh]
    if isinstance(value, tuple | list):
        return [packed(item) for item in value]
    if names := _field_names(value.__class__):
        return [packed(getattr(value, name)) for name in names]
    if isinstance(value, Mapping):
        return {key: packed(item) for key, item in value.items()}
    return value


@cache
def _field_names(kind: type) -> tuple[str, ...]:
    """The fields of a dataclass, none of any other class."""
    return tuple(field.name for field in fields(kind)) if is_dataclass(kind) else ()


BATCH = 20
"""Cards kept as one value: few enough to be decoded at once, enough for the call to cost nothing."""


def packed_cards(cards: Iterable[c.Card]) -> Iterator[list[Any]]:
    """Cards as JSON values: in their order, bundles of plain ones and batches of others, each after what it is."""
    met: set[str] = set()

    def file_of_bundled(card: c.Card) -> str | None:
        # in a bundle a card is found by its id, so a second one of the same id is kept whole
        is_first = card.id not in met
        met.add(card.id)
        return card.file if is_first and can_be_bundled(card) else None

    for file, some in groupby(cards, file_of_bundled):
        held = list(some)
        size = BATCH if file is None else TOGETHER
        for first in range(0, len(held), size):
            part = held[first : first + size]
            yield ["whole", *packed(part)] if file is None else ["bundle", *packed_bundle(part)]


def unpacked_cards(value: list[Any]) -> Sequence[tuple[str, Held]]:
    """What :func:`packed_cards` made one value of: ids, each with its card or, for a plain one, its outline.

    Raises:
        TypeError, ValueError, KeyError, IndexError: it did not make this.
    """
    what, *rest = value
    if what == "bundle":
        return unpacked_bundle(rest)
    cards = [unpacked_card(row) for row in rest]
    return [(card.id, card) for card in cards]


_NO_TRAP = packed(c.NO_TRAP)
_once: Callable[[Any], Any] = sys.intern
"""The words that many cards share are held once."""


def unpacked_card(row: list[Any]) -> c.Card:
    """The card that :func:`packed` made this of.

    Raises:
        TypeError, ValueError, KeyError: it did not.
    """
    (
        id_, topic, level, verdict, question, spoken, answer, points, trap, follow_ups, sources, demos, claims,
        drills, cited, needs, kind, tags, place,
    ) = row  # fmt: skip
    return c.Card(
        id=id_,
        topic=_once(topic),
        level=_once(level),
        verdict=_once(verdict),
        question=Text(*question),
        spoken=Text(*spoken),
        answer=Text(*answer),
        key_points=tuple([c.KeyPoint(point, Text(*text)) for point, text in points]),
        trap=c.Trap(Text(*trap[0]), Text(*trap[1]), trap[2]) if trap != _NO_TRAP else c.NO_TRAP,
        follow_ups=tuple([c.FollowUp(Text(*ask), Text(*reply), card) for ask, reply, card in follow_ups]),
        sources=tuple([c.SourceRef(key, Text(*where)) for key, where in sources]),
        demos=tuple([c.DemoRef(demo, given) for demo, given in demos]),
        claims=tuple(claims),
        drills=tuple([_DRILLS[drill[-1]](drill) for drill in drills]),
        cited=tuple([c.Cited(number, key, Text(*where)) for number, key, where in cited]),
        needs=tuple(needs),
        kind=_once(kind),
        tags=tuple([_once(tag) for tag in tags]),
        place=place,
    )


def _choice(row: list[Any]) -> c.ChoiceDrill:
    id_, question, options, _ = row
    made = [
        c.Option(option, Text(*text), Text(*feedback), right) for option, text, feedback, right in options
    ]
    return c.ChoiceDrill(id_, Text(*question), tuple(made))


def _number(row: list[Any]) -> c.NumberDrill:
    id_, question, answer, vary, unit, rel, abs_, slips, _ = row
    return c.NumberDrill(
        id_,
        Text(*question),
        answer,
        {name: tuple(values) for name, values in vary.items()},
        unit,
        rel,
        abs_,
        _slips(slips),
    )


def _slips(rows: list[Any]) -> tuple[c.Slip, ...]:
    return tuple([c.Slip(value, Text(*name)) for value, name in rows])


def _expression(row: list[Any]) -> c.ExpressionDrill:
    id_, question, answer, symbols, mode, where, slips, _ = row
    return c.ExpressionDrill(id_, Text(*question), answer, symbols, mode, where, _slips(slips))


def _derivation(row: list[Any]) -> c.DerivationDrill:
    id_, question, start, goal, symbols, milestones, mode, where, slips, _ = row
    made = tuple([c.Milestone(line, Text(*hint)) for line, hint in milestones])
    return c.DerivationDrill(id_, Text(*question), start, goal, symbols, made, mode, where, _slips(slips))


def _code(row: list[Any]) -> c.CodeDrill:
    id_, question, spec, _ = row
    return c.CodeDrill(id_, Text(*question), spec)


def _recall(row: list[Any]) -> c.RecallDrill:
    id_, question, _ = row
    return c.RecallDrill(id_, Text(*question))


_DRILLS: dict[str, Any] = {
    "choice": _choice,
    "number": _number,
    "expression": _expression,
    "derivation": _derivation,
    "code": _code,
    "recall": _recall,
}


def unpacked_fault(row: list[Any]) -> Fault:
    where, what = row
    return Fault(where, Text(*what))


def unpacked_source(row: list[Any]) -> Source:
    key, authors, *rest = row
    return Source(key, tuple(authors), *rest)


def unpacked_claim(row: list[Any]) -> Claim:
    id_, system, topic, claim, verdict, kind, demos, graded = row
    return Claim(id_, system, topic, claim, verdict, kind, tuple(demos), graded)


def unpacked_term(row: list[Any]) -> Term:
    key, name, means, also, avoid, card = row
    return Term(key, Text(*name), Text(*means), tuple(also), tuple(avoid), card)


def unpacked_set(row: list[Any]) -> CardSet:
    id_, name, about, purpose, size, cards = row
    return CardSet(id_, Text(*name), Text(*about), purpose, size, tuple(cards))
