"""An Anki package: the text, the tags and the names of media of its notes.

A package is a zip with a SQLite file. Nothing in it is trusted: sizes are bounded while it is unpacked, the file is
opened read-only from a copy, only its own plain tables are read, with a limit on the work, and every field goes
through :mod:`quizbank.importing.html_prose`. Schedules and media are not taken.
"""

from __future__ import annotations

import json
import re
import sqlite3
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from engine.errors import InputError
from engine.text import Text
from quizbank.fault import Fault, shown
from quizbank.importing.html_prose import prose_of_html
from quizbank.importing.note import LONGEST_FIELD, Note, Reading

LARGEST_PACKAGE = 2_000_000_000
"""Bytes; most of them media, which are never looked at."""
LARGEST_COLLECTION = 300_000_000
"""Bytes of the unpacked collection."""
MOST_NOTES = 100_000
_STEPS = 20_000_000
"""Instructions of SQLite's machine after which a file is held to be a trap."""
_CHUNK = 1 << 20
_FIELD = re.compile(r"\{\{(?![#^/!])(?:[^{}:]*:)*([^{}:]+)\}\}")
_CLOZE = re.compile(
    r"\{\{c(\d{1,3})::((?:(?!\{\{|\}\}|::).)*)(?:::((?:(?!\{\{|\}\}).)*))?\}\}", re.DOTALL | re.IGNORECASE
)
MOST_GAPS = 50
"""Numbers of one cloze that become cards."""
_DAMAGED = Text("this is no Anki package, or it is damaged", "不是 Anki 牌组包，或文件已损坏")


@dataclass(frozen=True)
class _Kind:
    """A note type: its fields by name, whether it is a cloze, and the fields of each template's two sides."""

    fields: tuple[str, ...]
    cloze: bool
    sides: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]


def read_package(path: Path) -> Reading:
    """The notes of an ``.apkg``, a card for each template and each number of a cloze.

    Raises:
        InputError: no package, a damaged or hostile one, or one in the newer form, with what to do about it.
    """
    where = shown(path, 300)
    try:
        if not path.is_file():
            raise InputError(Text("there is no such file", "文件不存在"), where)
        if path.stat().st_size > LARGEST_PACKAGE:
            raise InputError(Text("is larger than 2 GB", "超过 2 GB"), where)
        with zipfile.ZipFile(path) as package, TemporaryDirectory() as folder:
            copy = Path(folder) / "collection"
            _unpack(package, copy, where)
            return _collection(copy, where)
    except (zipfile.BadZipFile, zipfile.LargeZipFile, NotImplementedError, EOFError, RuntimeError) as error:
        raise InputError(_DAMAGED, where) from error
    except sqlite3.Error as error:
        if "interrupted" in str(error):
            raise InputError(Text("reading it takes too long", "读取用时过长"), where) from error
        raise InputError(_DAMAGED, where) from error
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError(
            Text("cannot be read: {why}", "无法读取：{why}").filled(why=shown(reason, 120)), where
        ) from error


def _unpack(package: zipfile.ZipFile, copy: Path, where: str) -> None:
    names = set(package.namelist())
    if "collection.anki21b" in names:
        raise InputError(
            Text(
                "this package has Anki's newer form; export it again with “Support older Anki versions” ticked",
                "此牌组包采用 Anki 的新格式；请在导出时勾选“支持旧版 Anki”后重新导出",
            ),
            where,
        )
    name = next((name for name in ("collection.anki21", "collection.anki2") if name in names), None)
    if name is None:
        raise InputError(_DAMAGED, where)
    written = 0
    with package.open(name) as source, copy.open("wb") as target:
        while chunk := source.read(_CHUNK):
            written += len(chunk)
            if written > LARGEST_COLLECTION:
                limit = LARGEST_COLLECTION // 1_000_000
                raise InputError(Text(f"unpacks to more than {limit} MB", f"解压后超过 {limit} MB"), where)
            target.write(chunk)


def _collection(copy: Path, where: str) -> Reading:
    with closing(sqlite3.connect(f"{copy.as_uri()}?mode=ro&immutable=1", uri=True)) as connection:
        connection.execute("PRAGMA trusted_schema = OFF")
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, 50_000_000)
        steps = 0

        def over() -> bool:
            nonlocal steps
            steps += 10_000
            return steps > _STEPS

        connection.set_progress_handler(over, 10_000)
        plain = dict(
            connection.execute("SELECT name, type FROM sqlite_master WHERE name IN ('notes', 'col')")
        )
        if plain != {"notes": "table", "col": "table"}:
            # a view could compute anything
            raise InputError(_DAMAGED, where)
        models = connection.execute("SELECT models FROM col").fetchone()
        kinds = _kinds(models[0] if models else None)
        found = Reading()
        rows = connection.execute(
            "SELECT guid, mid, tags, flds FROM notes ORDER BY id LIMIT ?", (MOST_NOTES + 1,)
        )
        for number, (guid, model, tags, fields) in enumerate(rows, 1):
            place = f"{where}: {number}"
            if number > MOST_NOTES:
                why = Text(f"only the first {MOST_NOTES} notes are read", f"只读取前 {MOST_NOTES} 条笔记")
                found.left.append(Fault(place, why))
            elif not all(isinstance(value, str) for value in (guid, tags, fields)):
                found.left.append(Fault(place, Text("the note is damaged", "笔记已损坏")))
            elif any(len(field) > LONGEST_FIELD for field in fields.split("\x1f")):
                found.left.append(Fault(place, Text("a field is too long", "字段过长")))
            else:
                _take(place, guid, kinds.get(str(model)), tuple(tags.split()), fields.split("\x1f"), found)
        return found


def _kinds(models: object) -> dict[str, _Kind]:
    """The note types by id; those that cannot be read are left out, and their notes read as front and back."""
    try:
        given: Any = json.loads(models) if isinstance(models, str) else {}
    except (ValueError, RecursionError):
        given = {}
    kinds = {}
    for key, model in given.items() if isinstance(given, dict) else ():
        try:
            fields = tuple(str(field["name"]) for field in model["flds"])
            sides = tuple((_FIELD.findall(t["qfmt"]), _FIELD.findall(t["afmt"])) for t in model["tmpls"])
            kinds[str(key)] = _Kind(
                fields,
                model.get("type") == 1,
                tuple(
                    (
                        tuple(name for name in fields if name in asked),
                        tuple(name for name in fields if name in told and name not in asked),
                    )
                    for asked, told in sides
                ),
            )
        except (KeyError, TypeError, AttributeError):
            continue
    return kinds


def _take(
    place: str, guid: str, kind: _Kind | None, tags: tuple[str, ...], fields: list[str], found: Reading
) -> None:
    names = kind.fields if kind is not None else tuple(map(str, range(len(fields))))
    texts: dict[str, str] = {}
    lost: list[Text] = []
    for name, source in zip(names, fields, strict=False):
        texts[name], media = prose_of_html(source)
        lost += media
    found.remarks += [Fault(place, text) for text in dict.fromkeys(lost)]
    if kind is not None and kind.cloze:
        cards = list(_clozes(names, texts))
    else:
        sides = kind.sides if kind is not None and kind.sides else ((names[:1], names[1:]),)
        cards = list(_sides(sides, texts))
    if not cards:
        found.left.append(Fault(place, Text("question or answer is empty", "问题或答案为空")))
    words = tuple(word[:100] for word in tags)
    for suffix, question, answer in cards:
        found.notes.append(Note(place, question, answer, words, key=f"{guid}{suffix}"))


def _sides(
    sides: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...], texts: Mapping[str, str]
) -> Iterator[tuple[str, str, str]]:
    for number, (asked, told) in enumerate(sides):
        question = "\n\n".join(texts[name] for name in asked if texts.get(name))
        answer = "\n\n".join(texts[name] for name in told if texts.get(name))
        if question and answer:
            yield f"/{number}" if number else "", question, answer


def _clozes(names: tuple[str, ...], texts: Mapping[str, str]) -> Iterator[tuple[str, str, str]]:
    """A card a number: its gaps open in the question, the others filled; the answer is the whole text."""
    holder = next((name for name in names if _CLOZE.search(texts.get(name, ""))), None)
    if holder is None:
        return
    text = texts[holder]
    rest = [texts[name] for name in names if name != holder and texts.get(name)]
    answer = "\n\n".join([_CLOZE.sub(lambda gap: gap[2], text), *rest])
    for number in list(dict.fromkeys(gap[1] for gap in _CLOZE.finditer(text)))[:MOST_GAPS]:
        question = _CLOZE.sub(lambda gap, n=number: _gap(gap) if gap[1] == n else gap[2], text)  # type: ignore[misc]
        yield f"/c{number}", question, answer


def _gap(gap: re.Match[str]) -> str:
    """An open gap, with its hint; inside of a formula three dots."""
    before = gap.string[: gap.start()]
    if before.replace(r"\$", "").count("$") % 2:
        return r"\ldots "
    return f"[{gap[3]}]" if gap[3] else "[…]"
