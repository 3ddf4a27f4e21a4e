"""HTML as a browser and its readers meet it: order, names, contrast, both languages, nothing cut in print."""

from __future__ import annotations

import re
import shutil
import subprocess
import zlib
from collections.abc import Iterator
from dataclasses import replace
from html.parser import HTMLParser
from importlib.resources import files
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from engine.text import Text, same
from quizbank.bank import Bank
from quizbank.card import Card
from quizbank.sheets.document import Boxed, Bullets, Document, Note, Passage
from quizbank.sheets.export import drawing
from quizbank.sheets.formats import FORMATS, Options
from quizbank.sheets.html import html
from quizbank.slots import Quantities

BOTH = ("en", "zh")


class Reader(HTMLParser):
    """Elements with their attributes and text, in order."""

    def __init__(self, source: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str], list[str]]] = []
        self.open: list[tuple[str, dict[str, str], list[str]]] = []
        self.feed(source)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        element = (tag, {name: value or "" for name, value in attrs}, [])
        self.found.append(element)
        if tag != "meta":
            self.open.append(element)

    def handle_endtag(self, tag: str) -> None:
        self.open.pop()

    def handle_data(self, data: str) -> None:
        for _, _, text in self.open:
            text.append(data)

    def each(self, *tags: str) -> Iterator[tuple[dict[str, str], str]]:
        for tag, attributes, text in self.found:
            if tag in tags:
                yield attributes, "".join(text).strip()


def sheet(cards: Any, bank: Bank, quantities: Quantities, **options: Any) -> str:
    made = drawing(cards, bank, quantities, FORMATS["html"], Options(**options))
    assert isinstance(made, Document)
    return html(made)


@pytest.fixture(scope="module")
def source(bank: Bank, card: Card, quantities: Quantities) -> str:
    return sheet([card], bank, quantities)


def page(*nodes: Any) -> Reader:
    return Reader(html(Document(same("t"), BOTH, nodes)))


def test_headings_go_down_one_level_at_a_time(source: str, bank: Bank, quantities: Quantities) -> None:
    several = [bank.card(name) for name in ("why-qkv", "lstm-equations")]
    for made in (
        source,
        sheet(several, bank, quantities, mode="paper"),
        sheet(several, bank, quantities, mode="key"),
    ):
        levels = [int(tag[1]) for tag, _, _ in Reader(made).found if re.fullmatch(r"h[1-6]", tag)]
        assert levels[0] == 1
        assert levels.count(1) == 1
        assert all(after <= before + 1 for before, after in pairwise(levels))


def test_every_part_says_its_language_and_every_name_is_there(source: str) -> None:
    reader = Reader(source)
    ids = [attributes["id"] for _, attributes, _ in reader.found if "id" in attributes]
    assert len(ids) == len(set(ids))
    for attributes, text in reader.each("h1", "h2", "h3", "h4", "h5", "p", "li", "figcaption", "caption"):
        assert text, attributes
    spoken = {attributes["lang"] for _, attributes, _ in reader.found if "lang" in attributes}
    assert spoken == {"en", "zh-Hans"}
    # nothing with hanzi in it stands outside of a part that is marked as Chinese
    outside = re.compile(r"[\u4e00-\u9fff]")
    depth: list[str] = []

    class Strict(HTMLParser):
        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            if tag not in ("meta",):
                depth.append(dict(attrs).get("lang") or (depth[-1] if depth else ""))

        def handle_endtag(self, tag: str) -> None:
            depth.pop()

        def handle_data(self, data: str) -> None:
            if self.lasttag not in ("style", "title", "desc", "text") and outside.search(data):
                assert depth[-1] == "zh-Hans", data

    Strict().feed(source.replace("<title>", "<title lang='zh-Hans'>", 1))


def test_figures_tables_and_the_way_past_the_contents_have_names(source: str) -> None:
    reader = Reader(source)
    for attributes, _ in reader.each("svg"):
        assert attributes["role"] == "img"
    assert all(text for _, text in reader.each("title", "desc", "figcaption"))
    # a drawing is said to be in one language, and so is what is said of it
    assert not re.search("[一-龥]", "".join(text for _, text in reader.each("desc")))
    assert len(list(reader.each("svg"))) == len(list(reader.each("figcaption"))) > 0
    assert {attributes["scope"] for attributes, _ in reader.each("th")} == {"col", "row"}
    rows = source.count("<tr>") - source.count("<thead>")
    assert source.count('<th scope="row">') == rows > 0
    (skip,) = (attributes["href"] for attributes, _ in reader.each("a") if attributes.get("class") == "skip")
    assert f'id="{skip[1:]}"' in source


def test_both_languages_of_a_paragraph_are_beside_each_other_and_a_shared_formula_stands_once() -> None:
    text = Text("First.\n\n$$y$$\n\n- one\n- two", "先。\n\n$$y$$\n\n- 一\n- 二")
    made = html(Document(same("t"), BOTH, (Passage(text),)))
    assert '<div class="pair"><p lang="en">First.</p><p lang="zh-Hans">先。</p></div>' in made
    assert made.count("<math") == 1
    assert made.count("<ul>") == 1
    assert '<li><div class="pair"><div lang="en">two</div><div lang="zh-Hans">二</div></div></li>' in made
    # blocks that do not run in parallel are set between what they share, or as a whole
    uneven = Text("A.\n\nB.\n\n$$y$$\n\nC.", "甲。\n\n$$y$$\n\n丙。")
    made = html(Document(same("t"), BOTH, (Passage(uneven),)))
    assert '<div lang="en"><p>A.</p><p>B.</p></div><p lang="zh-Hans">甲。</p>' in made
    assert made.count("<math") == 1
    other = Text("A.\n\n$$x$$", "甲。\n\n乙。")
    made = html(Document(same("t"), BOTH, (Passage(other),)))
    assert made.index("<math") < made.index("甲")


def test_no_line_ends_between_a_formula_and_its_punctuation() -> None:
    for said in ("取 $x$，再取（$y$）。", "Take $x$, then ($y$)."):
        made = html(Document(same("t"), ("zh",), (Passage(same(said)),)))
        wholes = re.findall(r'<span class="whole">(.*?)<math.*?</math>(.*?)</span>', made)
        assert wholes == ([("", "，"), ("（", "）。")] if "取" in said else [("", ","), ("(", ").")])
    # neither lost nor doubled
    reader = page(Passage(same("a（$x$）$y$、$z$")))
    (said,) = (text for _, text in reader.each("p"))
    assert said == "a（x）y、z"


def test_what_reads_the_same_in_both_stands_once() -> None:
    reader = page(Note(same("form 1")), Bullets((same("`x`"),)), Boxed(same("K"), same("42")))
    assert sum(text == "form 1" for _, text in reader.each("p")) == 1
    assert [text for _, text in reader.each("code")] == ["x"]
    assert sum(text == "42" for _, text in reader.each("p")) == 1


def test_a_question_on_paper_does_not_tell_the_verdict(
    card: Card, bank: Bank, quantities: Quantities
) -> None:
    assert "the popular answer" not in sheet([card], bank, quantities, mode="paper")
    assert "the popular answer" in sheet([card], bank, quantities, mode="key")


def test_a_line_of_100_kb_is_written_whole() -> None:
    text = "x < [y] & " * 10_000
    assert [said for _, said in page(Passage(same(text))).each("p")] == [text.strip()]


# contrast

STYLE = files("quizbank.sheets").joinpath("sheet.css").read_text(encoding="utf-8")


def luminance(colour: str) -> float:
    """Relative luminance of ``#rrggbb`` (WCAG 2.2)."""
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    """Contrast ratio of two colours (WCAG 2.2)."""
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def test_contrast_is_enough_in_every_theme() -> None:
    themes = [
        dict(re.findall(r"--(\w+): (#[0-9a-f]{6})", block))
        for block in re.findall(r":root \{([^}]*)\}", STYLE)
    ]
    assert len(themes) == 3
    for theme in themes:
        for ground in (theme["paper"], theme["box"]):
            for text in ("ink", "faint", "link", "other", "popular", "measured"):
                assert contrast(theme[text], ground) >= 4.5, (text, ground)
        for line in ("measured", "predicted", "popular", "bound", "other", "context"):
            assert contrast(theme[line], theme["paper"]) >= 3, line


# in a browser


def pixels(png: bytes) -> list[bytes]:
    """The rows of a picture that Chromium wrote, as they are stored: a blank picture has few kinds of them.

    The first pixel of the first row is stored as it is, after the byte that says how its row is stored.
    """
    data = b""
    at = 8
    while at < len(png):
        size = int.from_bytes(png[at : at + 4])
        if png[at + 4 : at + 8] == b"IDAT":
            data += png[at + 8 : at + 8 + size]
        at += 12 + size
    width = int.from_bytes(png[16:20])
    colours = {2: 3, 6: 4}[png[25]]
    raw = zlib.decompress(data)
    row = 1 + width * colours
    return [raw[start : start + row] for start in range(0, len(raw), row)]


def chromium(*arguments: str) -> str:
    """One headless run, cut off from any network; what it wrote on stderr: console messages, requests that failed."""
    browser = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    assert browser, "Chromium is needed for the slow tests"
    done = subprocess.run(
        [
            browser, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--enable-logging=stderr", "--v=0",
            "--proxy-server=127.0.0.1:9", "--disable-background-networking", *arguments,
        ],
        capture_output=True, text=True, check=True, timeout=240,
    )  # fmt: skip
    return done.stderr


def shown(page: Path, picture: Path, theme: str) -> tuple[list[bytes], set[str], str]:
    """The rows of a screenshot, the addresses that the page asked for, what stood on the console."""
    log = picture.with_suffix(".json")
    said = chromium(
        f"--blink-settings=preferredColorScheme={'0' if theme == 'dark' else '1'}", "--window-size=1300,1600",
        f"--screenshot={picture}", f"--log-net-log={log}", page.as_uri(),
    )  # fmt: skip
    # the browser asks for things of its own; what a page asks for is logged with the site it stands on
    asked = re.findall(r'site=file://[^"]*","url":"(https?:[^"]*)"', log.read_text(encoding="utf-8"))
    return pixels(picture.read_bytes()), set(asked), "\n".join(re.findall(".*CONSOLE.*", said))


@pytest.mark.slow
def test_chromium_shows_it_in_both_themes_and_asks_for_nothing(
    tmp_path: Path, bank: Bank, quantities: Quantities, hostile_card: Card
) -> None:
    heavy = replace(bank.card("lstm-equations"), demos=bank.card("why-qkv").demos[:1])
    path = tmp_path / "sheet.html"
    path.write_text(sheet([heavy, hostile_card], bank, quantities), encoding="utf-8")
    light, dark = (shown(path, tmp_path / f"{theme}.png", theme) for theme in ("light", "dark"))
    for (rows, asked, console), paper in ((light, "ffffff"), (dark, "17191c")):
        assert rows[0][1:4].hex() == paper
        assert len(set(rows)) > 300
        assert asked == set()
        assert console == ""
    other = tmp_path / "other.html"
    other.write_text(
        "<img src='http://example.invalid/x.png'><script>console.log(1)</script>", encoding="utf-8"
    )
    _, asked, console = shown(other, tmp_path / "other.png", "light")
    assert asked == {"http://example.invalid/x.png"}
    assert "CONSOLE" in console


@pytest.mark.slow
def test_chromium_prints_it_in_both_scripts_within_the_paper(
    tmp_path: Path, bank: Bank, quantities: Quantities, hostile_card: Card
) -> None:
    path, printed = tmp_path / "sheet.html", tmp_path / "sheet.pdf"
    path.write_text(sheet([bank.card("lstm-equations"), hostile_card], bank, quantities), encoding="utf-8")
    chromium("--no-pdf-header-footer", f"--print-to-pdf={printed}", path.as_uri())
    words = "".join(printed_text(printed, "-layout").split())
    for sentence in ("WritetheequationsofanLSTM", "写出LSTM的方程", "<script>alert(1)</script>"):
        assert sentence in words
    pages = re.findall(
        r'<page width="([\d.]+)" height="([\d.]+)">(.*?)</page>', printed_text(printed, "-bbox"), re.DOTALL
    )
    assert len(pages) > 4
    for width, height, boxes in pages:
        found = re.findall(r'xMin="([-\d.]+)" yMin="([-\d.]+)" xMax="([-\d.]+)" yMax="([-\d.]+)"', boxes)
        for left, top, right, bottom in found:
            # nothing runs over the edge of the paper
            assert 0 <= float(left) <= float(right) <= float(width)
            assert 0 <= float(top) <= float(bottom) <= float(height)


def printed_text(path: Path, mode: str) -> str:
    assert shutil.which("pdftotext"), "poppler is needed for the slow tests"
    done = subprocess.run(
        ["pdftotext", mode, str(path), "-"], capture_output=True, text=True, check=True, encoding="utf-8"
    )
    return done.stdout
