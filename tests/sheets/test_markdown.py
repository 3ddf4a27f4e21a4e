"""Markdown as its readers see it: formulas whole, hostile text as text, both languages of a paragraph together."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from engine.text import Text, same
from quizbank.bank import Bank
from quizbank.card import Card, DemoRef
from quizbank.sheets import markdown as module
from quizbank.sheets.document import Document, Heading, Note, Passage, Table
from quizbank.sheets.export import drawing
from quizbank.sheets.formats import FLAVOURS, FORMATS, Flavour, Options
from quizbank.sheets.markdown import markdown
from quizbank.sheets.markdown_prose import escaped, for_github
from quizbank.sheets.picture import Picture
from quizbank.slots import Quantities
from tests.sheets.formulas import formulas, squeezed

READER = MarkdownIt("commonmark").enable("table")


def page(*nodes: Any, languages: Any = ("en",)) -> Document:
    return Document(same("t"), languages, nodes)


def text_of(source: str) -> str:
    """What a reader of the Markdown reads, without formulas' delimiters being known."""

    def read(tokens: list[Token]) -> Iterator[str]:
        for token in tokens:
            if token.type in ("text", "code_inline", "code_block", "fence"):
                yield token.content
            elif token.type in ("softbreak", "hardbreak"):
                yield "\n"
            if token.children:
                yield from read(token.children)

    return "".join(read(READER.parse(source)))


def found_by_markdown_it(source: str, flavour: Flavour) -> Iterator[tuple[bool, str]]:
    """The formulas of a sheet for GitHub: code between dollars, and fences of mathematics."""
    assert flavour == "github"
    for token in READER.parse(source):
        if token.type == "fence" and token.info == "math":
            yield True, token.content
        children = token.children or []
        for before, code, after in zip(children, children[1:], children[2:], strict=False):
            if code.type == "code_inline" and before.content.endswith("$") and after.content.startswith("$"):
                yield False, code.content


def found_by_dollars(source: str) -> Iterator[tuple[bool, str]]:
    """The formulas of a sheet with plain dollars, as the reader with that extension finds them."""
    from mdit_py_plugins.dollarmath import dollarmath_plugin

    def read(tokens: list[Token]) -> Iterator[tuple[bool, str]]:
        for token in tokens:
            if token.type in ("math_inline", "math_block"):
                yield token.type == "math_block", token.content
            yield from read(token.children or [])

    reader = MarkdownIt("commonmark").enable("table").use(dollarmath_plugin, allow_space=False)
    yield from read(reader.parse(source))


def document_of(cards: Any, bank: Bank, quantities: Quantities, cache: Path | None = None) -> Document:
    made = drawing(cards, bank, quantities, FORMATS["md"], Options(), cache=cache)
    assert isinstance(made, Document)
    return made


def counted(found: Iterator[tuple[bool, str]]) -> Counter[tuple[bool, str]]:
    return Counter((alone, squeezed(latex)) for alone, latex in found)


@pytest.fixture(scope="module")
def sample(bank: Bank, card: Card, quantities: Quantities) -> Document:
    # a table with formulas, matrices, steps that are refuted
    backed = replace(card, demos=(DemoRef("D19", {"d_k": 64}), DemoRef("D23")))
    return document_of([backed], bank, quantities)


def test_every_formula_is_read_back_by_github(sample: Document) -> None:
    source = markdown(sample, "f", "github").text
    expected = counted((alone, for_github(latex)) for alone, latex in formulas(sample))
    assert counted(found_by_markdown_it(source, "github")) == expected
    assert sum(expected.values()) > 60


def test_every_formula_is_read_back_between_dollars(sample: Document) -> None:
    source = markdown(sample, "f", "plain").text
    assert counted(found_by_dollars(source)) == counted(formulas(sample))


def test_github_is_spared_the_macro_that_it_refuses() -> None:
    assert for_github(r"\operatorname{Var}(x)") == r"\mathop{\mathrm{Var}}\nolimits(x)"
    assert for_github(r"\operatorname*{argmax}_x f") == r"\mathop{\mathrm{argmax}}_x f"
    assert for_github(r"\operatorname{a\{b}_{\operatorname{c}}") == (
        r"\mathop{\mathrm{a\{b}}\nolimits_{\mathop{\mathrm{c}}\nolimits}"
    )
    assert for_github(r"\frac{a}{b}") == r"\frac{a}{b}"


@pytest.mark.parametrize("flavour", FLAVOURS)
@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>",
        "]]> {{c1::x}} &amp; &#36;",
        "$5 and $10, $$ and $x",
        "*star* **bold** _under_ __dunder__ ~~gone~~ `tick",
        "![x](http://example.invalid/x.png) [a](b) [[wiki]] [^1]",
        "# no heading",
        "1. no list", "1) no list", "(A) no list", "iv. no list", "- no list", "+ no list", "> no quotation", ": no term",
        "===", "---", "%% hidden %%", "==marked==", "--set x=1 ... and so on",
        "| a | b |",
        ":smile: a::e_mail: \\:+1:",
        "h[t-1] [MASK] \\(x\\) \\n", "a^2^ H~2~O @smith someone@example.invalid",
    ],
)  # fmt: skip
def test_text_reads_as_it_stands(text: str, flavour: Flavour) -> None:
    heading = [] if text.startswith("- ") else [Heading(2, same(text))]
    for node in (Note(same(text)), Table(same(text), (same(text),), ()), *heading):
        source = markdown(page(node), "f", flavour).text
        assert text in text_of(source), source
        tags = {token.type for token in READER.parse(source)}
        assert not tags & {"list_item_open", "blockquote_open", "hr", "link_open", "image", "html_block"}
        inner = [child for token in READER.parse(source) for child in token.children or []]
        assert {child.content for child in inner if child.type == "html_inline"} <= {"<span>", "</span>"}
        assert not {child.type for child in inner} & {"image", "link_open", "code_inline", "strong_open"}


def test_github_puts_no_picture_for_a_name_between_colons() -> None:
    source = escaped(":smile: 1:30:15 s::e_mail: :+1:", "github")
    inner = [child for token in READER.parse(source) for child in token.children or []]
    # GitHub looks at one run of text at a time, with tags between them
    runs = "".join("\n" if child.type == "html_inline" else child.content for child in inner).split("\n")
    assert len(runs) > 6
    assert not [run for run in runs if re.search(r":([a-z_]+|\+1):", run)]


@given(st.text(max_size=60))
def test_any_text_is_one_paragraph_of_that_text(text: str) -> None:
    for flavour in FLAVOURS:
        source = f"x {escaped(text, flavour)} x"
        shown = " ".join(text_of(source).split())
        # control characters and what reorders text are left out
        assert len(shown) <= len(" ".join(text.split())) + 4
        assert [token.type for token in READER.parse(source)] == [
            "paragraph_open",
            "inline",
            "paragraph_close",
        ]


@pytest.mark.parametrize("flavour", FLAVOURS)
def test_what_would_command_or_reorder_is_left_out(flavour: Flavour) -> None:
    hostile = "a\x1b]52;c;eA==\x07b\u202ec\u2066d\x1b[2Je"
    source = markdown(page(Passage(same(hostile)), Note(same(hostile))), "f", flavour).text
    assert source == "abcde\n\n*abcde*\n"


@pytest.mark.parametrize("flavour", FLAVOURS)
def test_a_line_of_100_kb_is_written_whole(flavour: Flavour) -> None:
    text = "x_1 < [y] " * 10_000
    source = markdown(page(Passage(same(text))), "f", flavour).text
    assert text_of(source) == text.strip()


def test_a_bar_in_a_table_ends_no_cell() -> None:
    for flavour in FLAVOURS:
        row = (same("a $|x| + \\|y\\|$ `p|q` c|d"), same("2"))
        source = markdown(page(Table(same("t"), (same("h|h"), same("n")), (row,))), "f", flavour).text
        tokens = READER.parse(source)
        assert sum(token.type == "td_open" for token in tokens) == 2
        assert sum(token.type == "th_open" for token in tokens) == 2
        assert "p|q" in text_of(source)


def test_the_languages_of_a_paragraph_stand_together_and_a_shared_formula_once() -> None:
    text = Text("First $x$.\n\n$$y$$\n\nThen.", "先 $x$。\n\n$$y$$\n\n后。")
    source = markdown(page(Passage(text), languages=("en", "zh")), "f", "plain").text
    assert source == "First $x$.\n\n先 $x$。\n\n$$\ny\n$$\n\nThen.\n\n后。\n"
    alike = Text("- one\n- two", "- 一\n- 二")
    source = markdown(page(Passage(alike), languages=("en", "zh")), "f", "plain").text
    assert source == "- one\\\n  一\n- two\\\n  二\n"


def test_a_code_block_stays_a_code_block() -> None:
    for flavour in FLAVOURS:
        source = markdown(page(Passage(same("````python\na = '```'\n````"))), "f", flavour).text
        (token,) = READER.parse(source)
        assert (token.type, token.info, token.content) == ("fence", "python", "a = '```'\n")


def test_a_folder_of_any_name_is_linked() -> None:
    from engine.demos import load
    from quizbank.sheets.document import Drawing

    (figure, *_) = load("D19").run({}).figures()
    source = markdown(page(Drawing(Picture.of(figure))), "my <sheet> (1)-figures", "github").text
    images = [
        child for token in READER.parse(source) for child in token.children or [] if child.type == "image"
    ]
    assert [image.attrs["src"] for image in images] == ["my%20%3Csheet%3E%20%281%29-figures/001.svg"]


# as pandoc reads it


def pandoc(source: str, reader: str) -> Any:
    assert shutil.which("pandoc"), "pandoc is needed for the slow tests"
    done = subprocess.run(
        ["pandoc", "-f", reader, "-t", "json"], input=source, capture_output=True, text=True, check=True
    )
    return json.loads(done.stdout)


def found_by_pandoc(tree: Any) -> Iterator[tuple[bool, str]]:
    if isinstance(tree, dict):
        if tree.get("t") == "Math":
            yield tree["c"][0]["t"] == "DisplayMath", tree["c"][1]
        for value in tree.values():
            yield from found_by_pandoc(value)
    elif isinstance(tree, list):
        for value in tree:
            yield from found_by_pandoc(value)


def said_by_pandoc(tree: Any) -> Iterator[str]:
    if isinstance(tree, dict):
        kind = tree.get("t")
        if kind in ("Str", "Space", "SoftBreak", "LineBreak"):
            yield tree.get("c", " ")
        elif kind in ("Code", "CodeBlock"):
            yield tree["c"][1]
        else:
            yield from said_by_pandoc(tree.get("c", ""))
    elif isinstance(tree, list):
        for value in tree:
            yield from said_by_pandoc(value)


@pytest.mark.slow
def test_the_whole_bank_is_read_back_by_pandoc_and_markdown_it(whole: Document) -> None:
    expected = counted(formulas(whole))
    assert sum(expected.values()) > 8000
    plain = markdown(whole, "f", "plain").text
    assert counted(found_by_pandoc(pandoc(plain, "markdown"))) == expected
    github = markdown(whole, "f", "github").text
    assert counted(found_by_markdown_it(github, "github")) == counted(
        (alone, for_github(latex)) for alone, latex in formulas(whole)
    )
    assert r"\operatorname" not in github


@pytest.mark.slow
def test_hostile_text_is_text_for_pandoc(hostile_card: Card, bank: Bank, quantities: Quantities) -> None:
    document = document_of([hostile_card], bank, quantities)
    tree = pandoc(markdown(document, "f", "plain").text, "markdown")
    said = re.sub(r"\s+", " ", "".join(said_by_pandoc(tree["blocks"])))
    for fragment in (
        "<script>alert(1)</script> ]]> $$ {{c1::x}} evil &amp; *star* _under_",
        "[MASK] h[t-1] | # 1. - > ![x](http://example.invalid/x.png)",
    ):
        assert fragment in said
    assert '"RawInline"' not in json.dumps(
        [block for block in tree["blocks"] if "script" in json.dumps(block)]
    )


def test_a_text_is_written_once_on_a_machine(
    bank: Bank, quantities: Quantities, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kind = FORMATS["md"]
    drawn = drawing(list(bank.cards)[:2], bank, quantities, kind, Options())
    first = kind.write(drawn, Options(), "figures", lambda *_: None, tmp_path)
    assert first == kind.write(drawn, Options(), "figures", lambda *_: None, None)
    monkeypatch.setattr(module, "prose", None)
    assert kind.write(drawn, Options(), "figures", lambda *_: None, tmp_path) == first
    # another flavour, and what is damaged, is written anew
    with pytest.raises(TypeError):
        kind.write(drawn, Options(flavour="plain"), "figures", lambda *_: None, tmp_path)
    for kept in (tmp_path / "sheets").iterdir():
        kept.write_bytes(kept.read_bytes()[:-1])
    with pytest.raises(TypeError):
        kind.write(drawn, Options(), "figures", lambda *_: None, tmp_path)
