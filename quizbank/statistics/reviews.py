"""The reviews of the log as columns: a number each, so that a figure over a million of them is a matter of milliseconds.

A review is a grade that no undo takes back; what was known before it is what was stored with it. The columns of a
long log are kept in the cache folder and lengthened by what was written since: the log only grows, so what was
read once stays true, but for what an undo takes back later.
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from threading import get_ident
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quizbank.learning.log import ReviewLog

NEW, LEARNING, REVIEW = 0, 1, 2
NO_GAP = -1
KEPT_FROM = 20_000
"""Grades from which the columns are kept: fewer are read in a moment."""
FILE_NAME = "reviews.npz"
_FORMAT = 1

_ROW = np.dtype(
    [
        ("seq", np.int32),
        ("card", np.int32),
        ("day", np.int32),
        ("gap", np.int32),
        ("thinking_ms", np.int32),
        ("grading_ms", np.int32),
        ("stability", np.float64),
        ("rating", np.int8),
        ("came", np.int8),
        ("stands", np.bool_),
    ]
)
_COLUMNS = tuple(_ROW.names or ())
_LARGEST = 2**31 - 1
_GRADES = f"""
    SELECT seq, card, day, json_extract(before, '$.last_day'),
           min(coalesce(thinking_ms, 0), {_LARGEST}), min(coalesce(grading_ms, 0), {_LARGEST}),
           coalesce(json_extract(before, '$.stability'), 0), rating,
           CASE json_extract(before, '$.phase') WHEN 'new' THEN {NEW} WHEN 'review' THEN {REVIEW} ELSE {LEARNING} END,
           NOT EXISTS (SELECT 1 FROM entry AS undo WHERE undo.undoes = turn.id AND undo.kind = 'undo')
    FROM entry AS turn WHERE seq > ? AND kind = 'grade' ORDER BY seq
"""
_UNDONE_SINCE = """
    SELECT grade.seq FROM entry AS undo JOIN entry AS grade ON grade.id = undo.undoes
    WHERE undo.seq > ? AND undo.kind = 'undo'
"""


@dataclass(frozen=True)
class Reviews:
    """``columns``, each (reviews,), in the order in which the reviews were written here:

    ``card`` (place in ``cards``), ``day`` (``date.toordinal``), ``gap`` (learner's days since the card was last
    seen; :data:`NO_GAP` where it never was), ``thinking_ms``, ``grading_ms`` (0: not measured), ``stability`` in days
    before the review (0: none), ``rating``, ``came`` (:data:`NEW`, :data:`LEARNING`, :data:`REVIEW`), ``stands``
    (no undo takes it back), ``seq`` (its number in the log).
    """

    cards: tuple[str, ...]
    columns: Mapping[str, NDArray[Any]]

    def __getitem__(self, name: str) -> NDArray[Any]:
        return self.columns[name]

    def __len__(self) -> int:
        return len(self.columns["seq"])

    @property
    def is_later(self) -> NDArray[np.bool_]:
        """(reviews,): on a later day than the last of the card."""
        return np.asarray(self["gap"] >= 1)

    @property
    def is_recalled(self) -> NDArray[np.bool_]:
        return np.asarray(self["rating"] > 1)

    def where(self, chosen: NDArray[np.bool_]) -> Reviews:
        if chosen.all():
            return self
        return Reviews(self.cards, {name: column[chosen] for name, column in self.columns.items()})


def read_reviews(log: ReviewLog, cache: Path | None = None) -> Reviews:
    """The standing reviews of the log; ``cache`` is a folder to keep them in.

    Raises:
        InputError: the log cannot be read.
    """
    kept = None if cache is None else _kept(cache / FILE_NAME)
    found, mark = log.read(lambda connection: _lengthened(connection, kept))
    if cache is not None and len(found) >= KEPT_FROM and (kept is None or kept[1] != mark):
        _keep(cache / FILE_NAME, found, mark)
    return found.where(found["stands"])


Mark = tuple[int, str]
"""The last entry that was read: its number and its id. A log whose entry of that number has another id is another log."""


def _lengthened(connection: sqlite3.Connection, kept: tuple[Reviews, Mark] | None) -> tuple[Reviews, Mark]:
    row = connection.execute("SELECT seq, id FROM entry ORDER BY seq DESC LIMIT 1").fetchone()
    mark: Mark = (0, "") if row is None else (int(row[0]), str(row[1]))
    names: dict[str, int] = {}
    before: Mapping[str, NDArray[Any]] | None = None
    last = 0
    if kept is not None and _is_prefix(connection, kept[1]):
        last = kept[1][0]
        names = {card: place for place, card in enumerate(kept[0].cards)}
        before = kept[0].columns
        undone = [seq for (seq,) in connection.execute(_UNDONE_SINCE, (last,))]
        before["stands"][np.isin(before["seq"], undone)] = False
    ordinals = _Ordinals()

    def rows() -> Iterator[tuple[object, ...]]:
        for seq, card, day_text, last_day, *rest in connection.execute(_GRADES, (last,)):
            day = ordinals[day_text]
            gap = NO_GAP if last_day is None else day - ordinals[last_day]
            yield (seq, names.setdefault(card, len(names)), day, gap, *rest)

    new = np.fromiter(rows(), _ROW)
    columns = {}
    for name in _COLUMNS:
        # each column on its own in memory: that is what makes it fast
        parts = [new[name]] if before is None else [before[name], new[name]]
        columns[name] = np.concatenate(parts) if before is None or len(new) else before[name]
    return Reviews(tuple(names), columns), mark


class _Ordinals(dict[str, int]):
    """``date.toordinal`` of ISO 8601 days, each read once."""

    def __missing__(self, day: str) -> int:
        found = self[day] = date.fromisoformat(day).toordinal()
        return found


def _is_prefix(connection: sqlite3.Connection, mark: Mark) -> bool:
    row = connection.execute("SELECT id FROM entry WHERE seq = ?", (mark[0],)).fetchone()
    return row is not None and row[0] == mark[1]


def _kept(path: Path) -> tuple[Reviews, Mark] | None:
    """What was kept, None where that is nothing or cannot be read."""
    try:
        with path.open("rb") as opened, np.load(opened, allow_pickle=False) as file:
            if int(file["format"]) != _FORMAT:
                return None
            cards = tuple(json.loads(bytes(file["cards"])))
            columns = {name: file[f"of_{name}"] for name in _COLUMNS}
            if any(column.dtype != _ROW[name] for name, column in columns.items()):
                return None
            if len({len(column) for column in columns.values()}) != 1 or int(columns["card"].max()) >= len(
                cards
            ):
                return None
            return Reviews(cards, columns), (int(file["seq"]), str(file["id"]))
    except Exception:  # whatever a damaged file makes the reader raise: the log is read again
        return None


def _keep(path: Path, found: Reviews, mark: Mark) -> None:
    """Nothing happens where the folder cannot be written."""
    partial = path.with_suffix(f".{os.getpid()}-{get_ident()}.part")
    held: dict[str, Any] = {f"of_{name}": column for name, column in found.columns.items()}
    held["cards"] = np.frombuffer(json.dumps(found.cards).encode(), np.uint8)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with partial.open("wb") as file:
            np.savez(file, format=_FORMAT, seq=mark[0], id=mark[1], **held)
        partial.replace(path)
    except OSError:
        with suppress(OSError):
            partial.unlink(missing_ok=True)
