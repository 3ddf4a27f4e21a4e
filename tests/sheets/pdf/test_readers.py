"""PDF sheets as their readers see them: fonts embedded, text found, pages that are not blank."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from dataclasses import fields, is_dataclass, replace
from pathlib import Path

import pytest
from pypdf import PdfReader

from engine.notation.breadth import breadth
from engine.notation.check import formulas
from engine.notation.typst import broken, typst
from engine.text import LANGUAGES, Text
from quizbank.sheets.document import Document, Formula, Heading, Node
from quizbank.sheets.pdf import fonts
from quizbank.sheets.pdf.compiler import compiled
from quizbank.sheets.pdf.source import source
from quizbank.sheets.pdf.writer import pdf
from tests.sheets.pdf.test_pdf import widths

pytestmark = pytest.mark.slow


def ran(*call: str | Path) -> str:
    return subprocess.run([str(part) for part in call], capture_output=True, text=True, check=True).stdout


@pytest.fixture(scope="module")
def part(whole: Document) -> Document:
    """The first chapter of the bank."""
    chapters = [
        place for place, node in enumerate(whole.nodes) if isinstance(node, Heading) and node.level == 2
    ]
    return replace(whole, nodes=whole.nodes[: chapters[1]])


@pytest.fixture(scope="module")
def sheet(part: Document, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("pdf") / "sheet.pdf"
    path.write_bytes(pdf(part))
    return path


def test_every_font_is_embedded_and_ours(sheet: Path) -> None:
    rows = [line.split() for line in ran("pdffonts", sheet).splitlines()[2:]]
    assert any("NotoSansSC" in row[0] for row in rows)
    assert all(row[-5] == "yes" and row[-3] == "yes" for row in rows), "embedded, with a map back to text"


def test_sentences_of_both_languages_are_found(sheet: Path, part: Document) -> None:
    text = "".join(ran("pdftotext", sheet, "-").split())
    heads = [node.text for node in part.nodes if isinstance(node, Heading) and node.listed]
    plain = [said for head in heads[1:] for said in head if "$" not in said and "`" not in said]
    assert len(plain) > 10
    missing = [said for said in plain if "".join(said.split()) not in text]
    assert missing == []


def test_pages_are_numbered_and_not_blank(sheet: Path, tmp_path: Path) -> None:
    match = re.search(r"Pages:\s+(\d+)", ran("pdfinfo", sheet))
    assert match
    pages = int(match[1])
    assert f"2/{pages}" in "".join(ran("pdftotext", "-f", "2", "-l", "2", sheet, "-").split())
    ran("pdftoppm", "-r", "40", "-gray", "-f", "3", "-l", "4", sheet, tmp_path / "page")
    for image in sorted(tmp_path.glob("page*")):
        pixels = image.read_bytes()[-300 * 450 :]
        inked = sum(pixel < 200 for pixel in pixels) / len(pixels)
        assert 0.01 < inked < 0.5, image.name


def test_every_listed_heading_is_a_bookmark(sheet: Path, part: Document) -> None:
    reader = PdfReader(sheet)
    (chapter, cards) = reader.outline
    listed = [node for node in part.nodes if isinstance(node, Heading) and node.listed]
    assert chapter.title.startswith(listed[0].text.en)
    assert len(cards) == len(listed) - 1
    for card, mark in zip(listed[1:], cards, strict=True):
        if "$" not in card.text.en:
            assert mark.title.startswith(card.text.en)


def test_every_link_between_parts_has_its_end(sheet: Path) -> None:
    reader = PdfReader(sheet)
    notes = [each.get_object() for page in reader.pages for each in page.get("/Annots", ())]
    ends = {str(note["/Dest"]) for note in notes if "/Dest" in note}
    assert len(ends) > 20
    assert ends <= set(reader.named_destinations)
    assert not any(str(note["/A"]["/URI"]).startswith("sheet:") for note in notes if "/A" in note)


def test_the_reader_finds_no_fault_in_what_was_bound(sheet: Path) -> None:
    done = subprocess.run(["pdfinfo", "-dests", str(sheet)], capture_output=True, text=True, check=True)
    assert done.stderr == ""
    assert '"card-' in done.stdout


def texts(value: object) -> Iterator[Text]:
    """Every bilingual text anywhere inside a node."""
    if isinstance(value, Text):
        yield value
    elif isinstance(value, tuple | list):
        for item in value:
            yield from texts(item)
    elif is_dataclass(value) and not isinstance(value, type):
        for field in fields(value):
            yield from texts(getattr(value, field.name))


def stated(nodes: tuple[Node, ...]) -> Iterator[tuple[str, bool]]:
    for node in nodes:
        if isinstance(node, Formula):
            yield node.latex, True
            if node.counterexample:
                yield node.counterexample, True
        for text in texts(node):
            for language in LANGUAGES:
                for latex, alone, _ in formulas(text.of(language)):
                    yield latex, alone


def test_every_formula_of_the_bank_and_its_proofs_compiles(whole: Document) -> None:
    found = dict.fromkeys(stated(whole.nodes))
    assert len(found) > 2000
    drawn = [typst(latex, alone) for latex, alone in found]
    drawn += [piece for latex, alone in found if alone for piece in broken(latex)]
    made = source(replace(whole, nodes=()))
    assert compiled(made.text + "\n\n".join(drawn), made.inputs, 0).startswith(b"%PDF")


def test_no_character_of_the_bank_lacks_a_font(whole: Document) -> None:
    assert fonts.missing(source(whole).text) == ()


def test_no_formula_of_the_bank_is_wider_than_is_said_of_it(whole: Document, tmp_path: Path) -> None:
    alone = sorted({latex for latex, display in stated(whole.nodes) if display})
    assert len(alone) > 1000
    for latex, ems in zip(alone, widths(alone, tmp_path), strict=True):
        assert ems <= breadth(latex, True), latex
