"""HTML as our prose: its words, its formulas between dollars, and nothing that acts.

Elements are never kept: line and paragraph ends, list items, code and the names of pictures survive, scripts and
styles go with all they hold. Formulas are what flashcard programs write: ``\\(…\\)``, ``\\[…\\]``, ``[$]…[/$]``,
``[$$]…[/$$]``, ``[latex]…[/latex]`` and ``<anki-mathjax>``. A dollar outside of them is a dollar.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape

from engine.text import Text
from quizbank.fault import shown

_DROPPED = ("script", "style", "template", "iframe", "object", "noscript", "head", "title")
_BLOCKS = ("p", "div", "section", "article", "blockquote", "table", "ul", "ol", "dl", "h1", "h2", "h3", "h4", "h5",
           "h6", "hr")  # fmt: skip
_LINES = ("br", "tr", "dt", "dd")
_RAW = ("script", "style")
"""What they hold is no HTML."""
_FORMULAS = (
    (r"\(", r"\)", False), (r"\[", r"\]", True), ("[$$]", "[/$$]", True), ("[$]", "[/$]", False),
    ("[latex]", "[/latex]", False),
)  # fmt: skip
_OPENING = re.compile("|".join(re.escape(opening) for opening, _, _ in _FORMULAS))
_TAG = re.compile(r"""</?([A-Za-z][^\s/<>"']{0,40})((?>[^<>"']+|"[^"]*"|'[^']*')*)>""")
_ATTRIBUTE = re.compile(r"""([A-Za-z-]{1,40})\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]{1,500}))""")
_SOUND = re.compile(r"\[sound:([^\]\n]{1,300})\]")
_CODE = re.compile(r"```.*?(?:```|\Z)|`[^`\n]*`", re.DOTALL)


def _tokens(source: str) -> Iterator[tuple[str, str, str]]:
    """(kind, name, rest): data, opening and closing tags. Linear in the length, whatever is left open.

    The standard library's parser is not: a hundred kilobytes of unclosed comments take it half a minute.
    """
    at, missing = 0, set()

    def end_of(mark: str, start: int) -> int:
        """Behind the next mark; the end of the source where there is none, which is looked for once."""
        found = -1 if mark in missing else source.find(mark, start)
        if found < 0:
            missing.add(mark)
            return len(source)
        return found + len(mark)

    while at < len(source):
        start = source.find("<", at)
        if start != at:
            yield "data", "", source[at : start if start >= 0 else len(source)]
        if start < 0:
            return
        tag = _TAG.match(source, start)
        if source.startswith("<!--", start):
            at = end_of("-->", start + 4)
        elif source.startswith(("<!", "<?"), start):
            at = end_of(">", start)
        elif tag:
            at, name = tag.end(), tag[1].lower()
            closing = source.startswith("</", start)
            yield "close" if closing else "open", name, tag[2]
            if not closing and name in _RAW:
                at = end_of(f"</{name}", at)
                at = end_of(">", at)
        else:
            yield "data", "", "<"
            at = start + 1


class _Reader:
    def __init__(self) -> None:
        self.parts: list[str] = []
        self.media: list[str] = []
        self._dropped: list[str] = []
        self._math: list[str] = []
        self._pre = 0

    def read(self, source: str) -> None:
        for kind, name, rest in _tokens(source):
            if kind == "data":
                self._data(unescape(rest))
            elif kind == "close":
                self._close(name)
            else:
                self._open(name, rest)

    def _open(self, tag: str, rest: str) -> None:
        given = {name.lower(): unescape(a or b or c) for name, a, b, c in _ATTRIBUTE.findall(rest)}
        if tag in _RAW:
            return
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
            opening = r"\[" if given.get("block") == "true" else r"\("
            self._math.append(r"\]" if opening == r"\[" else r"\)")
            self.parts.append(opening)
        elif tag in ("img", "audio", "video", "source") and given.get("src"):
            name = given["src"][:300]
            self.media.append(name)
            self.parts.append(f" ({name}) ")

    def _close(self, tag: str) -> None:
        if self._dropped:
            if tag in self._dropped:
                del self._dropped[self._dropped.index(tag) :]
        elif tag in _BLOCKS:
            self.parts.append("\n\n")
        elif tag == "pre" and self._pre:
            self._pre -= 1
            self.parts.append("\n```\n\n")
        elif tag == "code" and not self._pre:
            self.parts.append("`")
        elif tag == "anki-mathjax" and self._math:
            self.parts.append(self._math.pop())

    def _data(self, data: str) -> None:
        if not self._dropped:
            self.parts.append(data if self._pre else re.sub(r"[ \t\n\r\f]+", " ", data))


def prose_of_html(source: str) -> tuple[str, tuple[Text, ...]]:
    """The text, and what was lost on the way: media are named and not taken."""
    reader = _Reader()
    reader.read(source)
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
    """Formulas between dollars; an opening without its closing is text."""
    out: list[str] = []
    at = 0
    missing: set[str] = set()
    for found in _OPENING.finditer(text):
        opening, closing, display = next(form for form in _FORMULAS if form[0] == found[0])
        if found.start() < at or closing in missing:
            continue
        end = text.find(closing, found.end())
        if end < 0:
            missing.add(closing)
            continue
        out.append(_without_dollars(text[at : found.start()]))
        out.append(_formula(text[found.end() : end], opening, display))
        at = end + len(closing)
    return "".join([*out, _without_dollars(text[at:])])


def _formula(source: str, written: str, display: bool) -> str:
    latex = " ".join(source.split())
    if written == "[latex]":
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
