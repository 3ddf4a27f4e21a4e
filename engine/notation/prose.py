r"""The prose dialect of cards and demonstrations, read into blocks.

- Paragraphs are separated by blank lines; a line break inside one is a space, or nothing between
  two Chinese characters.
- A line that starts with ``- `` is a list item; indented lines continue it.
- ``$…$`` is an inline formula by pandoc's rule: the opening ``$`` is followed by a non-space, the
  closing one is preceded by a non-space and not followed by a digit. So "$5 and $10" is text.
  ``\$`` is a dollar.
- ``$$…$$`` on lines of its own is a display formula.
- `````code````` in single back-ticks is code; a fence of three back-ticks holds a code block.

Nothing else is markup: ``*``, ``[``, ``<`` and ``_`` are plain characters, so ``[MASK]`` and
``h[t-1]`` stand as written. This module imports neither math-core nor anything heavy.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TypeAlias

from engine.notation.error import NotationError
from engine.notation.wide import joins_tight
from engine.text import Text


@dataclass(frozen=True)
class Plain:
    text: str


@dataclass(frozen=True)
class Math:
    """An inline formula, LaTeX without dollars."""

    latex: str


@dataclass(frozen=True)
class CodeSpan:
    text: str


Span: TypeAlias = Plain | Math | CodeSpan


@dataclass(frozen=True)
class Paragraph:
    spans: tuple[Span, ...]


@dataclass(frozen=True)
class ListItem:
    spans: tuple[Span, ...]


@dataclass(frozen=True)
class Display:
    """A formula on lines of its own, LaTeX without dollars."""

    latex: str


@dataclass(frozen=True)
class Code:
    """A fenced block; ``text`` is verbatim, without the last line break."""

    language: str
    text: str


Block: TypeAlias = Paragraph | ListItem | Display | Code


_SEQUENCE = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]"  # CSI: colours, cursor, clear screen
    r"|(?:\x1b[\]PX^_]|\x9d|\x90|\x98|\x9e|\x9f)[^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)?"  # OSC, DCS, …
    r"|\x9b[0-?]*[ -/]*[@-~]"
    r"|\x1b[ -/]*[0-~]?"
)
# a table, not a character class: one of this size takes milliseconds to compile, before the first paint
_FORBIDDEN = dict.fromkeys(
    code
    for low, high in (
        (0x00, 0x08), (0x0B, 0x1F), (0x7F, 0x9F), (0xAD, 0xAD), (0x600, 0x605), (0x61C, 0x61C), (0x6DD, 0x6DD), (0x70F, 0x70F),
        (0x890, 0x891), (0x8E2, 0x8E2), (0x180E, 0x180E), (0x200B, 0x200F), (0x202A, 0x202E), (0x2060, 0x206F),
        (0xD800, 0xDFFF), (0xFEFF, 0xFEFF), (0xFFF9, 0xFFFB), (0x110BD, 0x110BD), (0x110CD, 0x110CD), (0x13430, 0x1343F),
        (0x1BCA0, 0x1BCA3), (0x1D173, 0x1D17A), (0xE0000, 0xE007F),
    )
    for code in range(low, high + 1)
)  # fmt: skip
_CHANGED = frozenset((*map(chr, _FORBIDDEN), "\u2028", "\u2029"))


def clean(text: str) -> str:
    """The text with all that could command a terminal or reorder what is read taken out.

    Whole escape sequences go (CSI, OSC, DCS and the like, with what they carry); then control
    characters except tab and line feed, bidirectional marks, overrides and isolates, invisible
    format characters, tag characters and lone surrogates. CR LF and CR become line feeds, the line
    and paragraph separators too. A tab stays: the places that lay text out expand it.
    """
    # nothing that is taken out is printable, and most texts hold nothing else but line feeds
    if text.isprintable() or text.replace("\n", "").isprintable() or _CHANGED.isdisjoint(text):
        return text
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\u2028", "\n").replace("\u2029", "\n")
    return _SEQUENCE.sub("", text).translate(_FORBIDDEN)


_FENCE = re.compile(r" {0,3}```+")
_ITEM = re.compile(r"- +")


def parse_prose(text: str) -> tuple[Block, ...]:
    """The blocks of a text, in order. The text is cleaned first (:func:`clean`).

    Raises:
        NotationError: a fence or a ``$$`` that is not closed, text beside a ``$$`` on its line, or
            an empty display formula; the offset is that of the cleaned text.
    """
    return _Reader(clean(text)).blocks()


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.out: list[Block] = []
        self.item = False
        self.lines: list[str] = []

    def blocks(self) -> tuple[Block, ...]:
        at = 0
        text = self.text
        while at < len(text):
            end = text.find("\n", at)
            end = len(text) if end < 0 else end
            line = text[at:end]
            stripped = line.strip()
            if not stripped:
                self._close()
            elif _FENCE.match(line):
                at = self._code(at, end)
                continue
            elif stripped.startswith("$$"):
                at = self._display(at + line.index("$$"))
                continue
            elif match := _ITEM.match(line):
                self._close()
                self.item = True
                self.lines.append(line[match.end() :])
            else:
                # a line that is not indented ends the list item before it
                if self.item and not line[0].isspace():
                    self._close()
                self.lines.append(stripped)
            at = end + 1
        self._close()
        return tuple(self.out)

    def _close(self) -> None:
        if self.lines:
            spans = parse_spans(joined(self.lines))
            self.out.append(ListItem(spans) if self.item else Paragraph(spans))
        self.lines = []
        self.item = False

    def _code(self, at: int, end: int) -> int:
        self._close()
        opening = self.text[at:end]
        match = _FENCE.match(opening)
        assert match is not None
        fence = match.group().strip()
        body: list[str] = []
        position = end + 1
        while position <= len(self.text):
            stop = self.text.find("\n", position)
            stop = len(self.text) if stop < 0 else stop
            line = self.text[position:stop]
            if line.strip() == fence:
                self.out.append(Code(opening[match.end() :].strip(), "\n".join(body)))
                return stop + 1
            body.append(line)
            position = stop + 1
        raise NotationError(Text("this code fence is not closed", "代码围栏没有闭合"), self.text, at)

    def _display(self, at: int) -> int:
        self._close()
        close = self.text.find("$$", at + 2)
        if close < 0:
            raise NotationError(Text("this $$ is not closed", "这个 $$ 没有闭合"), self.text, at)
        latex = self.text[at + 2 : close]
        if "\n\n" in latex.replace(" ", "").replace("\t", ""):
            raise NotationError(
                Text("this $$ is not closed before the blank line", "这个 $$ 在空行之前没有闭合"),
                self.text,
                at,
            )
        if not latex.strip():
            raise NotationError(Text("an empty formula", "公式为空"), self.text, at)
        end = self.text.find("\n", close)
        end = len(self.text) if end < 0 else end
        if self.text[close + 2 : end].strip():
            raise NotationError(
                Text("a display formula stands on lines of its own", "独立公式须自成一行"),
                self.text,
                close + 2,
            )
        self.out.append(Display(latex.strip()))
        return end + 1


def joined(lines: list[str]) -> str:
    """Lines of one paragraph as one line; no space arises between two wide characters."""
    out = lines[0].strip()
    for line in lines[1:]:
        line = line.strip()
        tight = bool(out) and joins_tight(out[-1], line[0])
        out += line if tight else f" {line}"
    return out


# every alternative begins with a literal, which lets the search skip to the next of these three characters
_SPAN = re.compile(
    r"\\\$"
    r"|`(?P<code>[^`\n]+)`"
    r"|\$(?<!\$\$)(?P<math>(?![\s$])(?:\\.|[^$\\])*?(?:\\.|[^\s$\\]))\$(?![0-9$])",
    re.DOTALL,
)


def parse_spans(line: str) -> tuple[Span, ...]:
    """The inline parts of one line: text, formulas, code. Never raises."""
    spans: list[Span] = []
    plain = ""
    at = 0
    for match in _SPAN.finditer(line):
        start, end = match.span()
        plain += line[at:start]
        at = end
        kind = match.lastgroup
        if kind is None:
            plain += "$"
            continue
        if plain:
            spans.append(Plain(plain))
            plain = ""
        spans.append(CodeSpan(match[kind]) if kind == "code" else Math(match[kind]))
    plain += line[at:]
    if plain:
        spans.append(Plain(plain))
    return tuple(spans)
