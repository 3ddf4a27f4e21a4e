"""Prose and formulas as HTML: everything escaped, formulas as MathML, languages beside each other."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape as _escape

from engine.notation.mathml import NAMESPACE, mathml
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
from engine.notation.wide import CLOSING, OPENING
from engine.text import Language, Text
from quizbank.sheets.beside import is_plain_line, rows
from quizbank.sheets.reading import drawable

LANG: dict[Language, str] = {"en": "en", "zh": "zh-Hans"}

_CLOSING, _OPENING = "".join(CLOSING), "".join(OPENING)
_XMLNS = f' xmlns="{NAMESPACE}"'


def escaped(text: str) -> str:
    """Text that HTML shows as it stands, without control or direction-changing characters."""
    return _escape(clean(text), quote=True)


def apart(language: Language, markup: str, tag: str = "div", name: str = "") -> str:
    """Markup in an element that says its language."""
    named = f' class="{name}"' if name else ""
    return f'<{tag} lang="{LANG[language]}"{named}>{markup}</{tag}>'


def together(parts: Sequence[str]) -> str:
    """Elements beside each other; one by itself."""
    return parts[0] if len(parts) == 1 else f'<div class="pair">{"".join(parts)}</div>'


def inline(spans: tuple[Span, ...]) -> str:
    """A run of text, formulas and code. No line ends between a formula and the punctuation that belongs to it."""
    parts: list[str] = []
    before, taken = "", 0
    for span, after in zip(spans, (*spans[1:], None), strict=True):
        match span:
            case Plain():
                text = span.text[taken:]
                before, taken = "", 0
                if isinstance(after, Math):
                    kept = text.rstrip(_OPENING)
                    text, before = kept, text[len(kept) :]
                parts.append(escaped(text))
            case Math():
                marks = ""
                if isinstance(after, Plain):
                    taken = len(after.text) - len(after.text.lstrip(_CLOSING))
                    marks = after.text[:taken]
                drawn = formula(span.latex, False)
                if before or marks:
                    drawn = f'<span class="whole">{escaped(before)}{drawn}{escaped(marks)}</span>'
                before = ""
                parts.append(drawn)
            case CodeSpan():
                parts.append(f"<code>{escaped(span.text)}</code>")
    return "".join(parts)


def formula(latex: str, alone: bool) -> str:
    """A formula; ``alone`` on lines of its own. In HTML an element needs no namespace."""
    return mathml(latex, alone).replace(_XMLNS, "", 1)


def display(latex: str) -> str:
    """A formula on lines of its own, in a box that can be scrolled where the formula is too wide."""
    return f'<div class="display">{formula(latex, True)}</div>'


def line(text: str) -> str:
    """A one-paragraph text (a question, an option), for use inside a heading or a cell."""
    if is_plain_line(text):
        return escaped(text.strip())
    return " ".join(
        inline(block.spans) if isinstance(block, Paragraph | ListItem) else _alone(block)
        for block in _read(text)
    )


def _read(text: str) -> tuple[Block, ...]:
    return drawable(text, mathml)


def prose(text: Text, languages: Sequence[Language]) -> str:
    """A whole text as HTML blocks, the languages of a paragraph beside each other."""
    parts: list[str] = []
    in_list = False
    for row in rows(text, languages, _read):
        item = all(len(blocks) == 1 and isinstance(blocks[0], ListItem) for _, blocks in row)
        if item != in_list:
            parts.append("<ul>" if item else "</ul>")
            in_list = item
        if item:
            said = (
                apart(language, inline(blocks[0].spans))
                for language, blocks in row
                if isinstance(blocks[0], ListItem)
            )
            parts.append(f"<li>{together(list(said))}</li>")
        elif len(row) == 1 and len(row[0][1]) == 1 and isinstance(row[0][1][0], Display | Code):
            parts.append(_alone(row[0][1][0]))
        else:
            parts.append(together([_blocks(language, blocks) for language, blocks in row]))
    if in_list:
        parts.append("</ul>")
    return "\n".join(parts)


def _blocks(language: Language, blocks: Sequence[Block]) -> str:
    """Blocks of one language: a paragraph by itself, or several in a box."""
    if len(blocks) == 1 and isinstance(blocks[0], Paragraph):
        return apart(language, inline(blocks[0].spans), "p")
    parts: list[str] = []
    for block in blocks:
        match block:
            case Paragraph():
                parts.append(f"<p>{inline(block.spans)}</p>")
            case ListItem():
                if parts and parts[-1].endswith("</ul>"):
                    parts[-1] = f"{parts[-1].removesuffix('</ul>')}<li>{inline(block.spans)}</li></ul>"
                else:
                    parts.append(f"<ul><li>{inline(block.spans)}</li></ul>")
            case Display() | Code():
                parts.append(_alone(block))
    return apart(language, "".join(parts))


def _alone(block: Display | Code) -> str:
    if isinstance(block, Display):
        return display(block.latex)
    return f"<pre><code>{escaped(block.text)}</code></pre>"
