"""HTML as our prose: its words, its formulas between dollars, and nothing that acts.

Elements are never kept: line and paragraph ends, list items, code and the names of pictures survive, scripts and
styles go with all they hold. Formulas are what flashcard programs write: ``\\(…\\)``, ``\\[…\\]``, ``[$]…[/$]``,
``[$$]…[/$$]``, ``[latex]…[/latex]`` and ``<anki-mathjax>``. A dollar outside of them is a dollar.
"""

from __future__ import annotations

import re
from html.parser import HTMLParser

from engine.text import Text
from quizbank.fault import shown

_DROPPED = ("script", "style", "template", "iframe", "object", "noscript", "head", "title")
_BLOCKS = ("p", "div", "section", "article", "blockquote", "table", "ul", "ol", "dl", "h1", "h2", "h3", "h4", "h5",
           "h6", "hr")  # fmt: skip
_LINES = ("br", "tr", "dt", "dd")
_MATH = re.compile(
    r"\\\((?P<inline>.+?)\\\)|\\\[(?P<display>.+?)\\\]|\[\$\$\](?P<wide>.+?)\[/\$\$\]|\[\$\](?P<narrow>.+?)\[/\$\]"
    r"|\[latex\](?P<latex>.+?)\[/latex\]",
    re.DOTALL | re.IGNORECASE,
)
_SOUND = re.compile(r"\[sound:([^\]\n]{1,300})\]")
_CODE = re.compile(r"```.*?(?:```|\Z)|`[^`\n]*`", re.DOTALL)


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []
        self.media: list[str] = []
        self._dropped: list[str] = []
        self._math: list[str] = []
        self._pre = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag in _DROPPED:
            self._dropped.append(tag)
        elif self._dropped:
            return
        elif tag in _LINES:
            self.parts.append("\n")
        elif tag in _BLOCKS:
            self.parts.append("\n\n")
        elif tag == "li":
            self.parts.append("\n- ")
        elif tag == "pre":
            self._pre += 1
            self.parts.append("\n\n```\n")
        elif tag == "code" and not self._pre:
            self.parts.append("`")
        elif tag in ("td", "th"):
            self.parts.append(" ")
        elif tag in ("sup", "sub"):
            self.parts.append("^" if tag == "sup" else "_")
        elif tag == "anki-mathjax":
            opening = r"\[" if given.get("block") in ("true", "") else r"\("
            self._math.append(r"\]" if opening == r"\[" else r"\)")
            self.parts.append(opening)
        elif tag in ("img", "audio", "video", "source") and given.get("src"):
            name = str(given["src"])[:300]
            self.media.append(name)
            self.parts.append(f" ({name}) ")

    def handle_endtag(self, tag: str) -> None:
        if self._dropped:
            if tag == self._dropped[-1]:
                self._dropped.pop()
        elif tag in _BLOCKS:
            self.parts.append("\n\n")
        elif tag == "pre" and self._pre:
            self._pre -= 1
            self.parts.append("\n```\n\n")
        elif tag == "code" and not self._pre:
            self.parts.append("`")
        elif tag == "anki-mathjax" and self._math:
            self.parts.append(self._math.pop())

    def handle_data(self, data: str) -> None:
        if not self._dropped:
            self.parts.append(data if self._pre else re.sub(r"[ \t\n\r\f]+", " ", data))


def prose_of_html(source: str) -> tuple[str, tuple[Text, ...]]:
    """The text, and what was lost on the way: media are named and not taken."""
    reader = _Reader()
    reader.feed(source)
    reader.close()
    text = "".join(reader.parts).replace("\xa0", " ")
    media = [*reader.media, *_SOUND.findall(text)]
    text = _SOUND.sub(r"(\1)", text)
    lost = tuple(
        Text(
            f"names {shown(name, 80)}, which is not taken along",
            f"提到媒体文件 {shown(name, 80)}，未一并导入",
        )
        for name in dict.fromkeys(media)
    )
    return _tidied(_with_formulas(text)), lost


def _with_formulas(text: str) -> str:
    out, end = [], 0
    for found in _MATH.finditer(text):
        out.append(_without_dollars(text[end : found.start()]))
        out.append(_formula(found))
        end = found.end()
    return "".join([*out, _without_dollars(text[end:])])


def _formula(found: re.Match[str]) -> str:
    display = found.lastgroup in ("display", "wide")
    latex = " ".join(found[str(found.lastgroup)].split())
    if found.lastgroup == "latex":
        for opening, closing, is_display in (
            ("$$", "$$", True), (r"\[", r"\]", True), ("$", "$", False), (r"\(", r"\)", False),
            (r"\begin{displaymath}", r"\end{displaymath}", True), (r"\begin{math}", r"\end{math}", False),
            (r"\begin{equation*}", r"\end{equation*}", True), (r"\begin{equation}", r"\end{equation}", True),
        ):  # fmt: skip
            if (
                latex.startswith(opening)
                and latex.endswith(closing)
                and len(latex) > len(opening) + len(closing)
            ):
                latex, display = latex[len(opening) : -len(closing)].strip(), is_display
                break
    if not latex:
        return ""
    return f"\n\n$${latex}$$\n\n" if display else f"${latex}$"


def _without_dollars(text: str) -> str:
    """Dollars escaped, but for those in code."""
    out, end = [], 0
    for code in _CODE.finditer(text):
        out += [text[end : code.start()].replace("$", r"\$"), code[0]]
        end = code.end()
    return "".join([*out, text[end:].replace("$", r"\$")])


def _tidied(text: str) -> str:
    lines = [line.rstrip() for line in text.split("\n")]
    fenced = False
    for number, line in enumerate(lines):
        if line.startswith("```"):
            fenced = not fenced
        elif not fenced:
            lines[number] = re.sub(" {2,}", " ", line.strip())
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()
