"""Answer sheets as their readers see them: whole, safe, self-contained, the same each time."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from markdown_it import MarkdownIt

from engine.demos import load
from engine.errors import InputError
from engine.text import Language, same
from quizbank.bank import Bank
from quizbank.card import Card, DemoRef
from quizbank.reference import Source
from quizbank.sheets.document import Document, Entry
from quizbank.sheets.export import drawing, export, figures_folder, made
from quizbank.sheets.formats import FORMATS, MODES, Format, Options
from quizbank.sheets.html import html
from quizbank.sheets.markdown import markdown
from quizbank.sheets.pdf.source import source as typst
from quizbank.slots import Quantities


def build(cards: Sequence[Card], bank: Bank, quantities: Quantities, **options: Any) -> Document:
    drawn = drawing(cards, bank, quantities, FORMATS["html"], Options(**options))
    assert isinstance(drawn, Document)
    return drawn


class Page(HTMLParser):
    """What a browser would see: text, addresses it would load, scripts, languages, balance of tags."""

    VOID = ("meta", "br", "img", "link", "input")

    def __init__(self, source: str) -> None:
        super().__init__()
        self.text = ""
        self.loads: list[str] = []
        self.links: list[str] = []
        self.tags: list[str] = []
        self.languages: set[str] = set()
        self.open: list[str] = []
        self.feed(source)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        if tag not in self.VOID:
            self.open.append(tag)
        for name, value in attrs:
            if name in ("src", "srcset", "data", "poster", "background") or (name == "href" and tag != "a"):
                self.loads.append(value or "")
            if name == "href" and tag == "a":
                self.links.append(value or "")
            if name == "lang":
                self.languages.add(value or "")
            assert not name.startswith("on")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in self.VOID:
            self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] not in ("style", "script"):
            self.text += data


@pytest.mark.parametrize("mode", MODES)
def test_html_is_one_balanced_file_that_loads_nothing(
    bank: Bank, card: Card, quantities: Quantities, mode: str
) -> None:
    document = build([card], bank, quantities, language="both", mode=mode)
    source = html(document)
    page = Page(source)
    assert page.open == []
    assert page.loads == []
    assert "script" not in page.tags
    assert page.languages >= {"en", "zh-Hans"}
    assert all(link.startswith(("https://", "#")) for link in page.links)
    targets = {link[1:] for link in page.links if link.startswith("#")}
    assert all(f'id="{target}"' in source for target in targets)
    assert [
        url for url in re.findall(r"url\(([^)]*)\)", source) if not url.strip('"').startswith("data:font/")
    ] == []
    assert "注意力分数为什么要除以" in page.text
    assert "Why are attention scores divided by" in page.text
    assert "@{" not in page.text


def test_modes_show_and_hide_the_answers(bank: Bank, card: Card, quantities: Quantities) -> None:
    texts = {
        mode: Page(html(build([card], bank, quantities, language="en", mode=mode))).text for mode in MODES
    }
    answer, feedback, question = (
        "variances of independent terms add",
        "softmax does that at any scale",
        "keep at",
    )
    assert answer not in texts["paper"]
    assert feedback not in texts["paper"]
    assert question in texts["paper"]
    for mode in ("embedded", "key"):
        assert answer in texts[mode]
        assert feedback in texts[mode]
    assert "≔" in texts["embedded"]
    assert "✓ proved" in texts["embedded"]
    form = re.compile(r"form ([0-9A-F]{8})")
    assert len({form.search(text)[1] for text in texts.values()}) == 1  # type: ignore[index]


def test_options_stand_in_the_same_order_on_paper_and_key(
    bank: Bank, card: Card, quantities: Quantities
) -> None:
    orders = []
    for mode, pick in (("paper", "text"), ("key", "feedback")):
        text = Page(html(build([card], bank, quantities, language="en", mode=mode, seed=5))).text
        drill = card.drills[0]
        letters = {}
        for option in drill.options:  # type: ignore[union-attr]
            words = getattr(option, pick).en.split(".")[0]
            at = text.index(words)
            letters[option.id] = re.findall(r"\(([A-H])\)|Key: ([A-H])", text[:at])[-1]
        orders.append({name: "".join(found) for name, found in letters.items()})
    assert orders[0] == orders[1]


@pytest.mark.parametrize("flavour", ["github", "plain"])
def test_markdown_keeps_formulas_and_figures(
    bank: Bank, card: Card, quantities: Quantities, flavour: str
) -> None:
    document = build([card], bank, quantities, language="both", mode="embedded")
    written = markdown(document, "x-figures", flavour)  # type: ignore[arg-type]
    assert (r"$`\sqrt{d_k}`$" if flavour == "github" else r"$\sqrt{d_k}$") in written.text
    shown = re.findall(r"\(<x-figures/(\d{3}\.svg)>\)", written.text)
    assert shown == list(written.beside)
    assert shown
    # alone in its paragraph an image would be captioned twice by pandoc
    assert all(f"{name}>)\\\n**" in written.text for name in shown)
    (rule,) = re.findall(r"^\| (-.*) \|$", written.text, re.MULTILINE)
    claim, predicted, *_ = map(len, rule.split(" | "))
    assert claim > 2 * predicted
    tokens = MarkdownIt("commonmark").enable("table").parse(written.text)
    assert not any(token.type == "html_block" and "<a id=" not in token.content for token in tokens)
    assert sum(token.type == "table_open" for token in tokens) == 1


@pytest.mark.parametrize("flavour", ["github", "plain"])
def test_hostile_text_is_text_in_markdown(
    bank: Bank, hostile_card: Card, quantities: Quantities, flavour: str
) -> None:
    document = build([hostile_card], bank, quantities, language="en", mode="embedded")
    text = markdown(document, "f", flavour).text  # type: ignore[arg-type]
    assert "\x1b" not in text
    assert "\u202e" not in text
    rendered = MarkdownIt("commonmark").enable("table").render(text)
    page = Page(rendered.replace("<br>", ""))
    assert "script" not in page.tags
    assert not [source for source in page.loads if "example.invalid" in source]
    for fragment in ("<script>alert(1)</script>", "*star*", "_under_", "[MASK]", "h[t-1]", "{{c1::x}}"):
        assert fragment in page.text


def test_hostile_text_is_text_in_html(bank: Bank, hostile_card: Card, quantities: Quantities) -> None:
    page = Page(html(build([hostile_card], bank, quantities, language="en", mode="embedded")))
    assert "script" not in page.tags
    assert page.loads == []
    for fragment in ("<script>alert(1)</script>", "]]>", "$$", "{{c1::x}}", "&amp;", "[MASK]"):
        assert fragment in page.text
    assert "\x1b" not in page.text
    assert "\u202e" not in page.text


@pytest.mark.parametrize("format_", ["md", "html"])
def test_the_same_call_gives_the_same_bytes(
    bank: Bank, card: Card, quantities: Quantities, tmp_path: Path, format_: str
) -> None:
    written = []
    for name in ("a", "b"):
        folder = tmp_path / name
        folder.mkdir()
        path = folder / f"sheet.{format_}"
        export([card], bank, quantities, path, format_, Options(date="2026-11-29"))  # type: ignore[arg-type]
        written.append({file.name: file.read_bytes() for file in folder.rglob("*") if file.is_file()})
    assert written[0] == written[1]
    assert b"2026-11-29" in written[0][f"sheet.{format_}"]


def test_an_existing_file_is_kept_unless_forced(
    bank: Bank, card: Card, quantities: Quantities, tmp_path: Path
) -> None:
    path = tmp_path / "mine.html"
    path.write_text("precious", encoding="utf-8")
    with pytest.raises(InputError, match="--force"):
        export([card], bank, quantities, path, "html")
    assert path.read_text(encoding="utf-8") == "precious"
    export([card], bank, quantities, path, "html", Options(force=True))
    assert path.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    assert [entry.name for entry in tmp_path.iterdir()] == ["mine.html"]


@pytest.mark.parametrize("where", ["folder", "missing/x.md", "file/x.md"])
def test_a_path_that_cannot_be_written_is_one_clear_line(
    bank: Bank, card: Card, quantities: Quantities, tmp_path: Path, where: str
) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_text("", encoding="utf-8")
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(InputError) as caught:
        export([card], bank, quantities, tmp_path / where, "md")
    assert "\n" not in caught.value.line("en")
    assert sorted(tmp_path.rglob("*")) == before


def test_a_link_to_itself_is_one_clear_line(
    bank: Bank, card: Card, quantities: Quantities, tmp_path: Path
) -> None:
    (tmp_path / "a.html").symlink_to("b.html")
    (tmp_path / "b.html").symlink_to("a.html")
    with pytest.raises(InputError, match="link"):
        export([card], bank, quantities, tmp_path / "a.html", "html", Options(force=True))


@pytest.mark.parametrize("format_", ["md", "html", "pdf", "apkg", "json"])
def test_a_card_that_cannot_be_read_stands_as_it_was_written(
    bank: Bank, card: Card, quantities: Quantities, format_: Format
) -> None:
    """As in the terminal: one slip in a deck of one's own costs nobody the sheet."""
    slip = replace(
        card,
        question=same(r"Why $\frac{a$ ?"),
        answer=same("$$\\undefined$$\n\n- $\\frac{a$\n"),
        spoken=same("before\n```python\nnever <b> closed"),
        demos=(),
    )
    written = made([slip], bank, quantities, format_, Options(language="en")).content
    assert written
    if format_ == "html":
        page = Page(str(written))
        assert r"1. Why $\frac{a$ ?" in page.text
        assert r"$$\undefined$$" in page.text
        assert "before ```python never <b> closed" in page.text


def test_a_sheet_given_up_leaves_nothing_behind(
    bank: Bank, card: Card, quantities: Quantities, tmp_path: Path
) -> None:
    def stop(_done: int, _all: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        export([card], bank, quantities, tmp_path / "x.md", "md", progress=stop)
    assert list(tmp_path.iterdir()) == []


def test_the_figures_of_a_markdown_sheet_lie_beside_it(
    bank: Bank, card: Card, quantities: Quantities, tmp_path: Path
) -> None:
    path = export([card], bank, quantities, tmp_path / "deck.md", "md", Options(language="zh"))
    folder = figures_folder(path)
    linked = re.findall(r"\(<([^>]+\.svg)>\)", path.read_text(encoding="utf-8"))
    assert linked
    assert all((tmp_path / name).read_text(encoding="utf-8").startswith("<svg") for name in linked)
    assert {file.name for file in folder.iterdir()} == {Path(name).name for name in linked}


@pytest.mark.parametrize("date", ["2026-13-01", "yesterday", "2026-02-30", "20261129"])
def test_a_bad_date_is_refused(
    bank: Bank, card: Card, quantities: Quantities, tmp_path: Path, date: str
) -> None:
    with pytest.raises(InputError):
        export([card], bank, quantities, tmp_path / "x.md", "md", Options(date=date))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_formulas_in_the_table_of_checks_are_formulas(bank: Bank, card: Card, quantities: Quantities) -> None:
    backed = replace(card, demos=(DemoRef("D23"), DemoRef("D41")))
    claims = [check.claim.en for key in ("D23", "D41") for check in load(key).run({}).checks]
    assert any("$" in claim for claim in claims)
    document = build([backed], bank, quantities, language="en", mode="embedded")
    assert "$" not in Page(html(document)).text
    written = markdown(document, "figures", "github").text
    rows = [row for row in written.splitlines() if row.startswith("| ")]
    assert len(rows) > len(claims)
    assert {len(re.findall(r"(?<!\\)\|", row)) for row in rows} == {6}


@pytest.mark.parametrize(("language", "end"), [("en", "so poorly? JMLR."), ("zh", "so poorly? JMLR。")])
def test_a_title_that_is_a_question_ends_with_its_own_mark(language: Language, end: str) -> None:
    asked = Source("a", ("A. Author",), 2019, "Why do they do so poorly?", "JMLR", url="https://x.invalid")
    entry = Document(same("t"), (language,), (Entry(asked),))
    assert end in Page(html(entry)).text
    assert end in markdown(entry, "f").text
    assert f"""so poorly?";]#"{end.removeprefix("so poorly?")}""" in typst(entry).text


def test_counts_stand_in_full_and_steps_are_numbered(bank: Bank, card: Card, quantities: Quantities) -> None:
    backed = replace(card, demos=(DemoRef("D52"),))
    seen = Page(html(build([backed], bank, quantities, language="zh", mode="embedded"))).text
    assert "4,456,448" in seen
    assert "×10⁶" not in seen
    assert " (" not in "".join(line for line in seen.splitlines() if "预测与实测" in line)
    numbers = [int(found) for found in re.findall(r"^(\d+) [✓≔✗≈¶]", seen, re.MULTILINE)]
    assert numbers == list(range(1, len(load("D52").derive()) + 1))
