"""A field says what the card says: formulas for MathJax, everything else as text, whatever it looks like."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from engine.notation.prose import clean
from engine.text import Text
from quizbank.sheets.anki.field import attribute, each, escaped, formula, gap, line, prose
from tests.notation.formulas import FORMULAS
from tests.sheets.anki.reading import Reader, source, sources
from tests.sheets.conftest import HOSTILE

ACTING = re.compile(r"\{\{|\}\}|::|\[(?:sound:|anki:|/?latex\]|/?\$)", re.IGNORECASE)
PIECES = (
    "<", ">", "&", "&amp;", '"', "'", "{", "}", "{{c1::", "}}", ":", "::", "\\", "\\(", "\\)", "\\[", "\\]", "(", ")", "[", "]",
    "[sound:x.mp3]", "[latex]", "[/latex]", "[$]", "[$$]", "[anki:tts", "<script>", "</div>", "<!--", "-->", "]]>", "\x1b]52;c;x\x07",
    "\u202e", "\u2066", "$", "注意力", " ", "\n", "a",
)  # fmt: skip
texts = st.lists(st.sampled_from(PIECES) | st.text(max_size=4), max_size=12).map("".join)


class Nodes(HTMLParser):
    """The text of a field, and the stretches in which MathJax looks for formulas: comments do not end one."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.stretches = [""]
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.stretches.append("")

    def handle_endtag(self, tag: str) -> None:
        self.stretches.append("")

    def handle_data(self, data: str) -> None:
        self.stretches[-1] += data


@given(texts)
def test_text_is_shown_as_it_stands_and_does_nothing(text: str) -> None:
    html = escaped(text)
    nodes = Nodes(html)
    assert "".join(nodes.stretches) == clean(text)
    assert not any(re.search(r"\\[()\[\]]", stretch) for stretch in nodes.stretches)
    assert not ACTING.search(html)
    assert set(re.findall(r"<(/?[a-z]+)", html)) <= {"span", "/span"}
    assert not re.search(r'[<>"{]', attribute(text))


@given(texts, texts)
@example("", "\\[\\]")
def test_a_gap_is_one_gap_and_holds_the_whole_text(first: str, second: str) -> None:
    html = gap(1, first.replace("$", "").replace("`", "")) + gap(2, second.replace("$", "").replace("`", ""))
    # Anki: from the opening to the first pair of closing braces, cut at the first pair of colons
    found = re.findall(r"\{\{c(\d+)::(.*?)\}\}", html, re.DOTALL)
    assert [number for number, _ in found] == ["1", "2"]
    assert re.sub(r"\{\{c\d+::.*?\}\}", "", html, flags=re.DOTALL) == ""
    for (_, held), text in zip(found, (first, second), strict=True):
        assert "::" not in held
        assert Reader(held).said("en") == source(text.replace("$", "").replace("`", ""))


@pytest.mark.parametrize("latex", FORMULAS.values(), ids=FORMULAS.keys())
def test_a_formula_stands_whole_between_the_marks(latex: str) -> None:
    renamed = re.sub(r"\\bm(?![A-Za-z])", r"\\boldsymbol", latex.strip())
    renamed = re.sub(r"\\arg(max|min)(?![A-Za-z])", r"\\operatorname*{arg\\,\1}", renamed)
    assert Reader(formula(latex)).said("en") == " ".join(f"${renamed}$".split())
    assert Reader(formula(latex, display=True)).said("en") == " ".join(f"$${renamed}$$".split())
    in_gap = formula(latex, cloze=True)
    assert "}}" not in in_gap
    assert "::" not in in_gap
    # to LaTeX a space between two braces is nothing
    assert re.sub(r"\s", "", Reader(in_gap).said("en")) == re.sub(r"\s", "", f"${renamed}$")


def test_what_is_no_formula_stands_as_it_was_written() -> None:
    for latex in (r"\href{javascript:alert(1)}{x}", r"\frac{a", r"x \) <script>", r"\def\x{y}"):
        assert Reader(formula(latex)).said("en") == f"`${latex}$`"
    assert "<script" not in formula(r"a \text{<script>} b")
    assert Reader(prose("$$ never closed")).said("en") == "$$ never closed"


def test_blocks_are_kept() -> None:
    text = "One $x$.\n\n- a `b`\n- c\n\n$$y$$\n\n```python\nif a < b:\n    return\n```\n\nLast."
    assert Reader(prose(text)).said("en") == source(text)
    assert prose(text).count("<ul>") == 1
    assert line("a\n\nb $x$") == r"a b \(x\)"


def test_each_language_is_marked_and_said_once_where_both_are_the_same() -> None:
    text = Text("A *star*, $x_i$.", "一颗*星*，$x_i$。")
    read = Reader(each(text, ("en", "zh")))
    assert {language: read.said(language) for language in ("en", "zh")} == sources(text)  # type: ignore[arg-type]
    assert Reader(each(text, ("zh",))).said("en") == ""
    assert each(Text("BERT", "BERT"), ("en", "zh")).count("BERT") == 1


def test_a_line_of_100_kilobytes_of_hostile_text() -> None:
    text = (HOSTILE * 700).replace("$", "").replace("`", "").replace("- >", "")
    assert len(text) > 90_000
    read = Reader(each(Text(text, text + "。"), ("en", "zh")))
    assert read.said("en") == source(text)
    assert set(read.tags) <= {"div", "p", "span", "ul", "li"}
