"""CSV and TSV: a question and an answer a row, with tags, a level and an id where there are columns for them."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from engine.text import Text
from quizbank.fault import Fault, shown
from quizbank.importing.html_prose import prose_of_html
from quizbank.importing.note import LONGEST_FIELD, Note, Reading, level_of, tags_of, text_of

COLUMNS = {
    "question": ("question", "q", "front", "问题", "正面", "题目"),
    "answer": ("answer", "a", "back", "答案", "回答", "背面"),
    "tags": ("tags", "tag", "标签"),
    "level": ("level", "难度"),
    "id": ("id", "编号"),
}
"""What a column may be called in the first row; without such a row the first four are in this order."""
_DIRECTIVE = re.compile(
    r"#(separator|html|tags column|columns|notetype|deck|guid column)[^:\n]*:(.*)", re.IGNORECASE
)
_SURPLUS = Text(
    "{n} fields where there are {most} columns: a field that holds the separator must stand in double quotes",
    "有 {n} 栏，而表格只有 {most} 列：含分隔符的一栏须用双引号括起来",
)
_SEPARATORS = {"tab": "\t", "comma": ",", "semicolon": ";", "pipe": "|"}


def read_table(path: Path) -> Reading:
    """The rows of a CSV or TSV file.

    ``#separator:…`` and ``#html:true`` lines at the top, as flashcard programs write them, are obeyed.

    A row with more fields than there are columns is left: most likely one of them holds a separator unquoted.

    Raises:
        InputError: as :func:`quizbank.importing.note.text_of`.
    """
    lines = text_of(path).split("\n")
    name = shown(path, 300)
    separator, html, first = "", False, 0
    while first < len(lines) and (said := _DIRECTIVE.match(lines[first])):
        if said[1].lower() == "separator":
            separator = _SEPARATORS.get(said[2].strip().lower(), said[2].strip()[:1])
        elif said[1].lower() == "html":
            html = said[2].strip().lower() == "true"
        first += 1
    body = "\n".join(lines[first:])
    if not separator:
        separator = "\t" if path.suffix.lower() in (".tsv", ".tab") else _separator(body)
    found = Reading()
    places: dict[str, int] | None = None
    most = 0
    for line, row in _rows(body, separator, first, name, found):
        if places is None:
            places = _header(row)
            named = places is not None
            places = places or {"question": 0, "answer": 1, "tags": 2, "level": 3}
            most = len(row) if named else max(len(row), len(places))
            found.remarks += [Fault(f"{name}:{line}", why) for why in _unread(row, places, named)]
            if named:
                continue
        fields = max(place for place, cell in enumerate(row, 1) if cell.strip())
        if fields > most:
            # taken as it is, its question would end at a comma and its last field be lost
            found.left.append(Fault(f"{name}:{line}", _SURPLUS.filled(n=fields, most=most)))
            continue
        _take(row, places, f"{name}:{line}", html, found)
    return found


def _rows(
    body: str, separator: str, before: int, name: str, found: Reading
) -> Iterator[tuple[int, Sequence[str]]]:
    """Each row that is not blank, with the line it begins at; what cannot be told apart is left."""
    reader = csv.reader(io.StringIO(body, newline=""), delimiter=separator, strict=True)
    while True:
        line = before + reader.line_num + 1
        try:
            row = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            why = Text(
                f"from here on the rows cannot be told apart ({shown(error, 80)})",
                f"从此处起无法分行（{shown(error, 80)}）",
            )
            found.left.append(Fault(f"{name}:{line}", why))
            return
        if any(cell.strip() for cell in row):
            yield line, row


def _separator(body: str) -> str:
    """The separator that gives the first row the most columns."""

    def columns(separator: str) -> int:
        try:
            row = next(csv.reader(io.StringIO(body[:LONGEST_FIELD], newline=""), delimiter=separator), [])
        except csv.Error:
            return 0
        return len(row)

    return max((",", "\t", ";"), key=columns)


def _header(row: Sequence[str]) -> dict[str, int] | None:
    names = [cell.strip().casefold() for cell in row]
    places = {
        column: next(place for place, name in enumerate(names) if name in known)
        for column, known in COLUMNS.items()
        if any(name in known for name in names)
    }
    return places if {"question", "answer"} <= places.keys() else None


def _unread(row: Sequence[str], places: dict[str, int], named: bool) -> Iterator[Text]:
    """What is to be said of columns that no card has a place for, at the first row."""
    if not named:
        if len(row) > len(places):
            yield Text("only the first four columns are read", "只读取前四列")
        return
    for place, cell in enumerate(row):
        if cell.strip() and place not in places.values():
            column = shown(cell.strip(), 40)
            yield Text(f"the column {column} is not read", f"{column} 这一列未读取")


def _take(row: Sequence[str], places: dict[str, int], where: str, html: bool, found: Reading) -> None:
    def cell(column: str) -> str:
        place = places.get(column, len(row))
        return row[place].strip() if place < len(row) else ""

    question, answer = cell("question"), cell("answer")
    if not question or not answer:
        missing = Text("question", "题目") if not question else Text("answer", "答案")
        why = Text(f"there is no {missing.en} in this row", f"这一行缺少{missing.zh}")
        found.left.append(Fault(where, why))
        return
    if max(len(question), len(answer)) > LONGEST_FIELD:
        found.left.append(Fault(where, Text("too long", "过长")))
        return
    if html:
        (question, lost), (answer, lost_too) = prose_of_html(question), prose_of_html(answer)
        found.remarks += [Fault(where, text) for text in (*lost, *lost_too)]
    level = level_of(cell("level"))
    if level is None:
        given = shown(cell("level"))
        found.remarks.append(
            Fault(where, Text(f"{given} is no level; core is used", f"没有 {given} 这一难度，按 core 处理"))
        )
    found.notes.append(Note(where, question, answer, tags_of(cell("tags")), level or "core", cell("id")))
