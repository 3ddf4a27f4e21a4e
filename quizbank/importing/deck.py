"""A deck of plain cards made of a foreign file: written whole, sound by the rules of a card file, and accounted for."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from tempfile import TemporaryDirectory

from engine.errors import InputError
from engine.notation.check import faults as notation_faults
from engine.notation.prose import clean
from engine.text import Text
from quizbank.card_file import read_card_file
from quizbank.fault import Fault, shown
from quizbank.importing.note import Note, Reading
from quizbank.schema_values import LONGEST_TEXT
from quizbank.target import check_target, write_whole
from quizbank.yaml_nodes import LARGEST_FILE, MOST_NODES

MOST_CARDS = 4000
"""Cards of one file: it is to be read, and edited, as a whole."""
_VALUES = 16
"""Keys and values of an entry in the file, at most, without its tags."""
READ = (".csv", ".tsv", ".tab", ".txt", ".md", ".markdown", ".apkg")
_ID = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_REFUSED_IN_YAML = re.compile(
    r"[\x85\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]"
)


@dataclass(frozen=True)
class Imported:
    """Cards taken, as (place, id, question); what was left out and why; what a taken card lost."""

    taken: tuple[tuple[str, str, str], ...]
    left: tuple[Fault, ...]
    remarks: tuple[Fault, ...]


def import_deck(source: Path, target: Path, topic: str = "own", force: bool = False) -> Imported:
    """Read a CSV, TSV, Markdown file or Anki package, and write its questions as a card file.

    Nothing is written unless something was taken.

    Raises:
        InputError: the source cannot be read or holds nothing to take, or the target is in the way.
    """
    if target.suffix not in (".yaml", ".yml"):
        raise InputError(
            Text("a card file is called something.yaml", "卡片文件的名称应以 .yaml 结尾"), shown(target, 300)
        )
    check_target(target, force)
    reading = read(source)
    left, remarks = list(reading.left), list(reading.remarks)
    entries = list(_entries(reading, left, remarks))
    text = _file(topic, (entry for _, _, entry in entries))
    # the rules of a card file tell so many faults and no more, so what is left is looked at again
    while entries and (faulty := _refused(text, [note.where for note, _, _ in entries])):
        left += [fault for faults in faulty.values() for fault in faults]
        entries = [entry for place, entry in enumerate(entries) if place not in faulty]
        text = _file(topic, (entry for _, _, entry in entries))
    if not entries:
        more = left[0].what if left else Text("it is empty", "文件为空")
        where = left[0].where if left else shown(source, 300)
        raise InputError(
            Text(f"there is nothing in it to take over: {more.en}", f"没有可导入的内容：{more.zh}"), where
        )
    write_whole(target, text)
    taken = tuple((note.where, id_, " ".join(note.question.split())) for note, id_, _ in entries)
    # what is said of a note that is left is beside the point; what is said of the names of columns is not
    refused = {note.where for note in reading.notes} - {note.where for note, _, _ in entries}
    return Imported(taken, tuple(left), tuple(remark for remark in remarks if remark.where not in refused))


def read(source: Path) -> Reading:
    """The notes of a file, read by what its name ends in.

    Raises:
        InputError: of no kind that can be read, or as the readers.
    """
    from quizbank.importing.anki import read_package
    from quizbank.importing.markdown import read_markdown
    from quizbank.importing.tables import read_table

    match source.suffix.lower():
        case ".csv" | ".tsv" | ".tab" | ".txt":
            return read_table(source)
        case ".md" | ".markdown":
            return read_markdown(source)
        case ".apkg":
            return read_package(source)
    kinds = " ".join(READ)
    raise InputError(
        Text(f"files that can be imported end in one of {kinds}", f"可导入的文件以这些后缀结尾：{kinds}"),
        shown(source, 300),
    )


def _entries(reading: Reading, left: list[Fault], remarks: list[Fault]) -> Iterator[tuple[Note, str, str]]:
    """Each note with its id and its entry in the file."""
    first: dict[str, str] = {}
    size = values = 0
    for note in reading.notes:
        question, answer = _text(note.question), _text(note.answer)
        id_ = _id(note, question)
        entry = _entry(id_, question, answer, note)
        size += len(entry.encode("utf-8", "replace"))
        values += _VALUES + len(note.tags)
        if not question or not answer:
            left.append(Fault(note.where, Text("question or answer is empty", "问题或答案为空")))
        elif max(len(question), len(answer)) > LONGEST_TEXT:
            left.append(
                Fault(
                    note.where, Text(f"longer than {LONGEST_TEXT} characters", f"超过 {LONGEST_TEXT} 个字符")
                )
            )
        elif id_ in first:
            left.append(Fault(note.where, Text(f"the same as at {first[id_]}", f"与 {first[id_]} 处相同")))
        elif len(first) >= MOST_CARDS or size > LARGEST_FILE - 1000 or values > MOST_NODES:
            why = Text(
                "the deck would be too large from here on: split the file",
                "从此处起卡片文件过大：请拆分原文件",
            )
            left.append(Fault(note.where, why))
            return
        else:
            first[id_] = note.where
            for text in (question, answer):
                remarks += [
                    Fault(note.where, Text(f"a formula is shown as it is written: {fault.text.en}",
                                           f"有公式只能按原文显示：{fault.text.zh}"))
                    for fault in notation_faults(text)[:1]
                ]  # fmt: skip
            yield note, id_, entry


def _id(note: Note, question: str) -> str:
    """An id of its own where it has one of the right form, else words of the question and a digest of the key."""
    if _ID.fullmatch(note.key) and len(note.key) <= 64:
        return note.key
    words = re.findall(r"[a-z0-9]+", question.lower())
    digest = blake2b((note.key or " ".join(question.split())).encode("utf-8", "replace"), digest_size=4)
    slug = ""
    for word in words:
        if len(slug) + len(word) > 40:
            break
        slug += f"{word}-"
    return f"{slug}{digest.hexdigest()}"


def _text(given: str) -> str:
    """A text without what steers a terminal or is not seen, its lines without what hangs over at their ends."""
    text = _REFUSED_IN_YAML.sub("", clean(given)).expandtabs(4)
    return "\n".join(line.rstrip() for line in text.strip("\n").split("\n")).strip()


def _file(topic: str, entries: Iterator[str]) -> str:
    return f"topic: {topic}\ncards:\n{''.join(entries)}"


def _entry(id_: str, question: str, answer: str, note: Note) -> str:
    tags = [tag for tag in (_text(tag) for tag in note.tags) if tag and not re.search(r"\s", tag)]
    lines = [
        "  - kind: plain",
        f"    id: {_quoted(id_)}",
        *([f"    level: {note.level}"] if note.level != "core" else []),
        f"    question: {_scalar(question)}",
        f"    answer: {_scalar(answer)}",
        *([f"    tags: [{', '.join(_quoted(tag) for tag in tags)}]"] if tags else []),
    ]
    return "\n".join(lines) + "\n"


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _scalar(text: str) -> str:
    """A text of one line in single quotes, of more as a block: nothing in either is read as anything else."""
    if "\n" not in text:
        return _quoted(text)
    return "|-\n" + "\n".join(f"      {line}" if line else "" for line in text.split("\n"))


def _refused(text: str, places: list[str]) -> dict[int, list[Fault]]:
    """The entries that the rules of a card file refuse, with the faults told where the note stood."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "deck.yaml"
        path.write_text(text, encoding="utf-8", errors="replace", newline="\n")
        found = read_card_file(path, "deck")
    if not found.faults:
        return {}
    starts = [number for number, line in enumerate(text.split("\n"), 1) if line == "  - kind: plain"]
    faulty: dict[int, list[Fault]] = {}
    # that there are more faults than are told has no line, and is no entry's
    for fault in [fault for fault in found.faults if ":" in fault.where] or found.faults:
        line = int(fault.where.split(":")[1]) if fault.where.count(":") else 0
        place = max((n for n, start in enumerate(starts) if start <= line), default=0)
        faulty.setdefault(place, []).append(Fault(places[place], fault.what))
    return faulty
