"""Prose and formulas as Markdown, in two flavours.

``github`` writes formulas between ``$`…`$`` and in ```` ```math ```` fences, which GitHub keeps whole; ``plain``
writes ``$…$`` and ``$$`` for Obsidian, Typora and pandoc.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from engine.notation.prose import (
    Block,
    Code,
    CodeSpan,
    Display,
    ListItem,
    Math,
    Paragraph,
    Plain,
    Span,
    clean,
)
from engine.text import Language, Text
from quizbank.sheets.beside import is_plain_line, rows
from quizbank.sheets.formats import Flavour
from quizbank.sheets.reading import blocks_of

BREAK = "\\\n"
"""A line break inside a paragraph."""

_MARKUP = "\\`*_{}[]<>#|~&"
# in GitHub's text a dollar before a formula would open one, escaped or not; pandoc knows superscripts and citations
_SPECIAL: dict[Flavour, dict[str, str]] = {
    "github": {**{mark: f"\\{mark}" for mark in _MARKUP}, "$": "<span>$</span>"},
    "plain": {mark: f"\\{mark}" for mark in _MARKUP + "$^@"},
}
_ANY_SPECIAL = {flavour: re.compile(f"[{re.escape(''.join(marks))}]") for flavour, marks in _SPECIAL.items()}
# a line that begins like a list item, a quotation, a definition, a setext underline or a numbered item in any style
_LINE_START = re.compile(r"\s*(?:[-+=>:%]|\(?(?:[0-9]{1,9}|[A-Za-z]|[ivxlcIVXLC]{1,5})(?=[.)](?:\s|$)))")
# what some programs join to a dash or an ellipsis, or take for a highlight or a comment
_DOUBLED = re.compile(r"([-=%.:])(?=\1)")

_TAG_START = re.compile(r"<(?=[A-Za-z/!?])")

# GitHub puts a picture for a name between colons, in the finished text, where nothing is escaped any more
_PICTURE = re.compile(r":(?=(?:[0-9+\\_-]*[a-z][a-z0-9+\\_-]*|[+-]1|100|1234):)")

# GitHub refuses this macro; its letters are set and spaced alike by another
_OPERATOR = re.compile(r"\\operatorname(\*?)\s*(?=\{)")


def escaped(text: str, flavour: Flavour, starts: bool = True) -> str:
    """Text that Markdown shows as it stands, on one line; ``starts``: it may stand at the start of one."""
    text = clean(text)
    if "\n" in text:
        text = " ".join(text.split("\n"))
    special = _SPECIAL[flavour]
    shown = _ANY_SPECIAL[flavour].sub(lambda mark: special[mark[0]], text)
    if flavour == "github" and text.count(":") > 1:
        shown = _PICTURE.sub("<span>:</span>", shown)
    if _DOUBLED.search(shown):
        shown = _DOUBLED.sub(r"\1\\", shown)
    start = _LINE_START.match(shown) if starts else None
    if start is None:
        return shown
    # a letter cannot be escaped, so what follows the number is
    at = start.end() if shown[start.end() - 1].isalnum() else start.end() - 1
    return f"{shown[:at]}\\{shown[at:]}"


def math(latex: str, flavour: Flavour) -> str:
    """An inline formula; with a back-tick in it, which no formula may have, it is code."""
    if "`" in latex:
        return _code_span(f"${latex}$", in_table=False)
    return f"$`{for_github(latex)}`$" if flavour == "github" else f"${_without_tags(latex.strip())}$"


def display(latex: str, flavour: Flavour) -> str:
    """A formula on lines of its own."""
    if flavour == "plain":
        return f"$$\n{_without_tags(latex)}\n$$"
    fence = _fence(latex)
    return f"{fence}math\n{for_github(latex)}\n{fence}"


def _without_tags(latex: str) -> str:
    """The formula without what a program that knows no formulas would take for HTML; the space changes nothing."""
    return _TAG_START.sub("< ", latex)


def for_github(latex: str) -> str:
    r"""The formula without the macro that GitHub refuses (``\operatorname``)."""
    if r"\operatorname" not in latex:
        return latex
    parts = []
    at = 0
    for found in _OPERATOR.finditer(latex):
        end = _closing(latex, found.end())
        limits = "" if found[1] else r"\nolimits"
        parts.append(f"{latex[at : found.start()]}\\mathop{{\\mathrm{latex[found.end() : end]}}}{limits}")
        at = end
    return "".join(parts) + latex[at:]


def _closing(latex: str, opening: int) -> int:
    """The place after the brace that closes the one at ``opening``."""
    depth = 0
    for found in re.finditer(r"\\.|[{}]", latex[opening:]):
        depth += {"{": 1, "}": -1}.get(found[0], 0)
        if depth == 0:
            return opening + found.end()
    return len(latex)


def inline(spans: tuple[Span, ...], flavour: Flavour, in_table: bool = False, starts: bool = True) -> str:
    """A run of text, formulas and code; ``in_table``: no | in it may end the cell. ``starts`` as in :func:`escaped`."""
    parts: list[str] = []
    for span in spans:
        match span:
            case Plain():
                parts.append(escaped(span.text, flavour, starts and not parts))
            case Math():
                parts.append(math(without_bars(span.latex) if in_table else span.latex, flavour))
            case CodeSpan():
                parts.append(_code_span(span.text, in_table))
    return "".join(parts)


def without_bars(latex: str) -> str:
    """The formula without the character |."""
    return latex.replace(r"\|", r"\Vert ").replace("|", r"\vert ")


@lru_cache(maxsize=2048)
def line(text: str, flavour: Flavour, in_table: bool = False, starts: bool = True) -> str:
    """A one-paragraph text (a question, an option) as one line; ``in_table``, ``starts`` as in :func:`inline`."""
    if is_plain_line(text):
        return escaped(text.strip(), flavour, starts)
    return " ".join(
        inline(block.spans, flavour, in_table, starts)
        if isinstance(block, Paragraph | ListItem)
        else _block(block, flavour)
        for block in blocks_of(text)
    )


def prose(text: Text, languages: Sequence[Language], flavour: Flavour) -> str:
    """A whole text as Markdown blocks, the languages of a paragraph one after the other, list items kept together."""
    parts: list[str] = []
    after_item = False
    for row in rows(text, languages, blocks_of):
        item = all(len(blocks) == 1 and isinstance(blocks[0], ListItem) for _, blocks in row)
        if item:
            said = [inline(block.spans, flavour) for _, (block, *_) in row if isinstance(block, ListItem)]
            written = f"- {f'{BREAK}  '.join(said)}"
        else:
            written = "\n\n".join(_block(block, flavour) for _, blocks in row for block in blocks)
        if item and after_item:
            parts[-1] += "\n" + written
        else:
            parts.append(written)
        after_item = item
    return "\n\n".join(parts)


def _block(block: Block, flavour: Flavour) -> str:
    match block:
        case Paragraph():
            return inline(block.spans, flavour)
        case ListItem():
            return "- " + inline(block.spans, flavour)
        case Display():
            return display(block.latex, flavour)
        case Code():
            fence = _fence(block.text)
            # what stands after a fence is the language, no text: nothing of it may look like markup
            language = re.sub(r"[^A-Za-z0-9+.-]", "", block.language)
            return f"{fence}{language}\n{block.text}\n{fence}"


def _fence(text: str) -> str:
    return "`" * max(3, _longest_ticks(text) + 1)


def _code_span(text: str, in_table: bool) -> str:
    ticks = "`" * (_longest_ticks(text) + 1)
    pad = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{ticks}{pad}{text.replace('|', chr(92) + '|') if in_table else text}{pad}{ticks}"


def _longest_ticks(text: str) -> int:
    return max((len(run) for run in re.findall(r"`+", text)), default=0)
