"""A plain Markdown file of questions and answers, in one of two forms.

With ``Q:`` and ``A:`` lines (``问：``, ``答：``): each runs to the next of them, or to a heading.
Without: a heading of the second level or below is a question, and the text under it, up to the next heading, its
answer. A heading of the first level is the title. In both a line ``Tags: a, b`` (``标签：``) gives tags.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

from engine.text import Text
from quizbank.fault import Fault, shown
from quizbank.importing.note import Note, Reading, tags_of, text_of
from quizbank.slot_grammar import regions

_FENCE = re.compile(r" {0,3}(```+|~~~+)")
_HEADING = re.compile(r" {0,3}(#{1,6})\s+(.*?)(?:\s+#+)?\s*$")
_SPOKEN = re.compile(
    r"\s*(?:\*\*|__)?(Q|A|Question|Answer|问|答|问题|答案)(?:\*\*|__)?\s*[:：](?:\*\*|__)?\s*(.*)$", re.I
)
_TAGS = re.compile(r"\s*(?:Tags?|标签)\s*[:：]\s*(.*)$", re.I)
_ASKS = ("q", "question", "问", "问题")


@dataclass
class _Entry:
    line: int
    question: list[str]
    answer: list[str] = field(default_factory=list)
    tags: tuple[str, ...] = ()


def read_markdown(path: Path) -> Reading:
    """The questions of a Markdown file.

    Raises:
        InputError: as :func:`quizbank.importing.note.text_of`.
    """
    name, lines = shown(path, 300), text_of(path).split("\n")
    outside = _outside_of_code(lines)
    spoken = any(
        outside[n] and (said := _SPOKEN.match(line)) and said[1].lower() in _ASKS
        for n, line in enumerate(lines)
    )
    found = Reading()
    entries = (_spoken if spoken else _under_headings)(lines, outside, name, found)
    for entry in entries:
        question, answer = _prose(entry.question), _prose(entry.answer)
        where = f"{name}:{entry.line}"
        if question and answer:
            found.notes.append(Note(where, question, answer, entry.tags))
        elif question:
            found.left.append(Fault(where, Text("there is no answer to it", "没有对应的答案")))
        else:
            found.left.append(Fault(where, Text("the question is empty", "问题为空")))
    return found


def _outside_of_code(lines: list[str]) -> list[bool]:
    """Which lines stand outside of fenced code."""
    fence, outside = "", []
    for line in lines:
        mark = _FENCE.match(line)
        outside.append(not fence and not mark)
        if mark and not fence:
            fence = mark[1]
        elif mark and fence and mark[1].startswith(fence):
            fence = ""
    return outside


def _spoken(lines: list[str], outside: list[bool], name: str, found: Reading) -> list[_Entry]:
    entries: list[_Entry] = []
    part: list[str] | None = None
    for number, line in enumerate(lines):
        said = _SPOKEN.match(line) if outside[number] else None
        if said and said[1].lower() in _ASKS:
            entries.append(_Entry(number + 1, [said[2]]))
            part = entries[-1].question
        elif said and entries and not entries[-1].answer:
            part = entries[-1].answer
            part.append(said[2])
        elif outside[number] and _HEADING.match(line):
            part = None
        elif outside[number] and entries and (tags := _TAGS.match(line)):
            entries[-1].tags += tags_of(tags[1])
        elif part is not None:
            part.append(line)
        elif line.strip():
            found.left.append(
                Fault(f"{name}:{number + 1}", Text("neither question nor answer", "既非问题也非答案"))
            )
    return entries


def _under_headings(lines: list[str], outside: list[bool], name: str, found: Reading) -> list[_Entry]:
    entries: list[_Entry] = []
    part: list[str] | None = None
    for number, line in enumerate(lines):
        heading = _HEADING.match(line) if outside[number] else None
        if heading and len(heading[1]) > 1:
            entries.append(_Entry(number + 1, [heading[2]]))
            part = entries[-1].answer
        elif heading:
            part = None
        elif part is not None and outside[number] and (tags := _TAGS.match(line)):
            entries[-1].tags += tags_of(tags[1])
        elif part is not None:
            part.append(line)
        elif line.strip():
            found.left.append(
                Fault(f"{name}:{number + 1}", Text("stands under no question", "不在任何问题之下"))
            )
    return entries


def _prose(lines: list[str]) -> str:
    """Markdown as our prose: emphasis undone, links and images named, list signs one and the same."""
    text = "\n".join(lines).strip("\n").rstrip()
    out, end = [], 0
    for region in regions(text):
        if region.kind == "plain":
            continue
        out += [_plain(text[end : region.start]), text[region.start : region.end]]
        end = region.end
    return "".join([*out, _plain(text[end:])]).strip()


def _plain(text: str) -> str:
    text = re.sub(r"!\[([^\]\n]{0,300})\]\(([^)\s]{1,500}+)[^)\n]{0,300}+\)", r"\1 (\2)", text)
    text = re.sub(r"\[([^\]\n]{1,300})\]\(([^)\s]{1,500}+)[^)\n]{0,300}+\)", r"\1 (\2)", text)
    text = re.sub(r"(\*\*|__)(?=\S)([^\n]{1,500}?)(?<=\S)\1", r"\2", text)
    return re.sub(r"(?m)^(\s*)[*+] ", r"\1- ", text)
