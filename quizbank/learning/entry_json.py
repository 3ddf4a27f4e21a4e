"""An entry of the review log as one line of JSON, and read back with nothing taken on trust.

A line is an object with these keys, in this order; those that do not apply to its kind are left out:

``id`` (UUID) · ``kind`` (grade, forward, bury, suspend, resume, undo, bookmark, unbookmark, note, report) ·
``card`` · ``at_ms`` (UTC milliseconds) · ``order_ms`` (orders the entries of a card) · ``day`` (the learner's, ISO 8601) · ``rating`` (1 to 4) ·
``thinking_ms`` · ``grading_ms`` · ``before``, ``after`` (states, the fields of
:class:`~quizbank.learning.memory.Memory`) · ``interval_ms`` · ``undoes`` (the id that an undo takes back) ·
``text`` (what a note or a report says) · ``edition`` (of the card that a report is about).
A grade has rating, states and interval, an undo has ``undoes``, a note ``text``, a report ``text`` and ``edition``,
the other kinds have none of these.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import fields
from datetime import UTC, date, datetime, timedelta
from typing import Any

from engine.errors import InputError
from engine.text import Text
from quizbank.fault import shown
from quizbank.learning.day import local_day
from quizbank.learning.entry import KINDS, LATEST_MS, LONGEST_TEXT, Entry
from quizbank.learning.memory import PHASES, Memory, Rating

LONGEST_LINE = 64_000
"""Characters; an entry has some 700."""
_LONGEST_CARD = 200
_ID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_EDITION = re.compile(r"[0-9a-f]{8,64}")
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_SURROGATE = re.compile(r"[\ud800-\udfff]")
_STATE_KEYS = tuple(field.name for field in fields(Memory))
_LATER_STATE_KEYS = frozenset({"wanted_day", "buried_day", "suspended"})
"""Fields that entries of the first versions of the log do not have."""
KEYS = (
    "id", "kind", "card", "at_ms", "order_ms", "day", "rating", "thinking_ms", "grading_ms",
    "before", "after", "interval_ms", "undoes", "text", "edition",
)  # fmt: skip
_ALWAYS = KEYS[:6]
_OF_A_GRADE = ("rating", "before", "after", "interval_ms")

_NOT_JSON = Text("is no JSON object", "不是 JSON 对象")
TOO_LONG = Text("the line is too long for an entry", "这一行过长，不可能是条目")
_UNKNOWN_KEY = Text("an entry has no {key}", "条目没有 {key} 这一项")
_MISSING = Text("{key} is missing", "缺少 {key}")
_OUT_OF_PLACE = Text("an entry of kind {kind} has no {key}", "类型为 {kind} 的条目没有 {key}")
_WRONG = Text("{key} cannot be {given}", "{key} 不能是 {given}")
_UNKNOWN_KIND = Text(
    "the kind {given} is unknown here; a newer version of the program may have written it",
    "未知的条目类型 {given}；可能由更新版本的程序写成",
)
_OTHER_DAY = Text(
    "at no place on Earth is {at_ms} a moment of the day {day}", "{at_ms} 这一时刻在任何时区都不属于 {day}"
)
_EARLY_ORDER = Text("order_ms lies before at_ms", "order_ms 早于 at_ms")


def line_of(entry: Entry) -> str:
    """The entry's line, without its end; equal entries give equal lines."""
    values: dict[str, object] = {
        "id": entry.id,
        "kind": entry.kind,
        "card": entry.card,
        "at_ms": entry.at_ms,
        "order_ms": entry.order_ms,
        "day": entry.day.isoformat(),
        "rating": entry.rating and int(entry.rating),
        "thinking_ms": entry.thinking_ms,
        "grading_ms": entry.grading_ms,
        "before": entry.before and entry.before.as_json(),
        "after": entry.after and entry.after.as_json(),
        "interval_ms": entry.interval and entry.interval // timedelta(milliseconds=1),
        "undoes": entry.undoes,
        "text": entry.text,
        "edition": entry.edition,
    }
    given = {key: value for key, value in values.items() if value is not None}
    return json.dumps(given, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def entry_of_line(line: str) -> Entry:
    """Read one line.

    Raises:
        InputError: what is wrong with it, with no place.
    """
    if len(line) > LONGEST_LINE:
        raise InputError(TOO_LONG)
    try:
        found = json.loads(line, object_pairs_hook=_distinct, parse_constant=_no_number)
    except (ValueError, RecursionError):
        raise InputError(_NOT_JSON) from None
    if not isinstance(found, dict):
        raise InputError(_NOT_JSON)
    return entry_of(found)


def entry_of(given: Mapping[str, object]) -> Entry:
    """An entry from its keys, each of the right type, in range and in place.

    Raises:
        InputError: what is wrong with them.
    """
    for key in given:
        if key not in KEYS:
            raise InputError(_UNKNOWN_KEY.filled(key=shown(key)))
    for key in _ALWAYS:
        if key not in given:
            raise InputError(_MISSING.filled(key=key))
    kind = _text(given, "kind")
    if kind not in KINDS:
        raise InputError(_UNKNOWN_KIND.filled(given=shown(kind)))
    _hold(given, kind, ("undoes",), kind == "undo")
    _hold(given, kind, _OF_A_GRADE, kind == "grade")
    _hold(given, kind, ("text",), kind in ("note", "report"))
    _hold(given, kind, ("edition",), kind == "report")
    if kind != "grade":
        _hold(given, kind, ("thinking_ms", "grading_ms"), False)
    at_ms, order_ms = (_whole(given, key, 0, LATEST_MS) for key in ("at_ms", "order_ms"))
    if order_ms < at_ms:
        raise InputError(_EARLY_ORDER)
    day = _day(given, "day")
    try:
        local_day(at_ms, UTC)
    except InputError:  # which speaks of this machine's clock
        raise _wrong("at_ms", at_ms) from None
    of_moment = datetime.fromtimestamp(at_ms // 1000, UTC).date()
    if abs(day - of_moment) > timedelta(days=1):
        raise InputError(_OTHER_DAY.filled(at_ms=at_ms, day=day))
    card = _text(given, "card")
    if not card or len(card) > _LONGEST_CARD or not card.isprintable():
        raise _wrong("card", card)

    def optional(key: str, reader: Callable[[str], Any]) -> Any:
        return reader(key) if key in given else None

    return Entry(
        id=_id(given, "id"),
        kind=kind,
        card=card,
        at_ms=at_ms,
        order_ms=order_ms,
        day=day,
        rating=optional("rating", lambda key: Rating(_whole(given, key, 1, 4))),
        thinking_ms=optional("thinking_ms", lambda key: _whole(given, key, 0, LATEST_MS)),
        grading_ms=optional("grading_ms", lambda key: _whole(given, key, 0, LATEST_MS)),
        before=optional("before", lambda key: _memory(given, key)),
        after=optional("after", lambda key: _memory(given, key)),
        interval=optional(
            "interval_ms", lambda key: timedelta(milliseconds=_whole(given, key, 1, 36500 * 86_400_000))
        ),
        undoes=optional("undoes", lambda key: _id(given, key)),
        text=optional("text", lambda key: _said(given, key)),
        edition=optional("edition", lambda key: _edition(given, key)),
    )


def _hold(given: Mapping[str, object], kind: str, keys: tuple[str, ...], wanted: bool) -> None:
    """These keys are all there, or none is."""
    for key in keys:
        if wanted and key not in given:
            raise InputError(_MISSING.filled(key=key))
        if not wanted and key in given:
            raise InputError(_OUT_OF_PLACE.filled(kind=kind, key=key))


def _memory(given: Mapping[str, object], name: str) -> Memory:
    state = given[name]
    if not isinstance(state, dict):
        raise _wrong(name, state)
    for key in state:
        if key not in _STATE_KEYS:
            raise _wrong(name, key)
    for key in _STATE_KEYS:
        if key not in state and key not in _LATER_STATE_KEYS:
            raise InputError(_MISSING.filled(key=f"{name}.{key}"))

    def optional(key: str, reader: Callable[[Mapping[str, object], str], Any]) -> Any:
        try:
            return None if state.get(key) is None else reader(state, key)
        except InputError:
            raise _wrong(f"{name}.{key}", state[key]) from None

    phase, suspended = state["phase"], state.get("suspended", False)
    if phase not in PHASES:
        raise _wrong(f"{name}.phase", phase)
    if not isinstance(suspended, bool):
        raise _wrong(f"{name}.suspended", suspended)
    found = Memory(
        phase=phase,
        step=optional("step", lambda of, key: _whole(of, key, 0, 100)),
        stability=optional("stability", lambda of, key: _number(of, key, 1e-9, 1e6)),
        difficulty=optional("difficulty", lambda of, key: _number(of, key, 1.0, 10.0)),
        last_ms=optional("last_ms", lambda of, key: _whole(of, key, 0, LATEST_MS)),
        last_day=optional("last_day", _day),
        due_ms=optional("due_ms", lambda of, key: _whole(of, key, 0, LATEST_MS)),
        due_day=optional("due_day", _day),
        reps=optional("reps", lambda of, key: _whole(of, key, 0, 10**9)),
        lapses=optional("lapses", lambda of, key: _whole(of, key, 0, 10**9)),
        wanted_day=optional("wanted_day", _day),
        buried_day=optional("buried_day", _day),
        suspended=suspended,
    )
    for key in ("reps", "lapses"):
        if getattr(found, key) is None:
            raise _wrong(f"{name}.{key}", None)
    return found


def _text(given: Mapping[str, object], key: str) -> str:
    value = given[key]
    if not isinstance(value, str):
        raise _wrong(key, value)
    return value


def _said(given: Mapping[str, object], key: str) -> str:
    """What a person wrote. It is cleaned where it is shown; here it need only be text that a file can hold."""
    value = _text(given, key)
    if len(value) > LONGEST_TEXT or "\0" in value or _SURROGATE.search(value):
        raise _wrong(key, value)
    return value


def _edition(given: Mapping[str, object], key: str) -> str:
    value = _text(given, key)
    if not _EDITION.fullmatch(value):
        raise _wrong(key, value)
    return value


def _id(given: Mapping[str, object], key: str) -> str:
    value = _text(given, key)
    if not _ID.fullmatch(value):
        raise _wrong(key, value)
    return value


def _whole(given: Mapping[str, object], key: str, low: int, high: int) -> int:
    value = given[key]
    if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
        raise _wrong(key, value)
    return value


def _number(given: Mapping[str, object], key: str, low: float, high: float) -> float:
    value = given[key]
    if not isinstance(value, int | float) or isinstance(value, bool) or not low <= value <= high:
        raise _wrong(key, value)
    return float(value)


def _day(given: Mapping[str, object], key: str) -> date:
    value = _text(given, key)
    try:
        if _DAY.fullmatch(value):
            return date.fromisoformat(value)
    except ValueError:
        pass
    raise _wrong(key, value)


def _wrong(key: str, given: object) -> InputError:
    return InputError(
        _WRONG.filled(key=key, given=shown(json.dumps(given, ensure_ascii=False, default=repr)))
    )


def _distinct(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key stands twice")
    return found


def _no_number(name: str) -> object:
    raise ValueError(name)
