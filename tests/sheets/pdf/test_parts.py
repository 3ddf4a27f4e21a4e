"""A long PDF sheet in parts: bound, it reads as if it had been set at once."""

from __future__ import annotations

import io
import os
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from pypdf import PdfReader

from engine.errors import InputError
from engine.text import Text, same
from quizbank.bank import Bank
from quizbank.sheets.document import Citation, Document, Drawing, Entry, Heading, Note, Passage, Pointer
from quizbank.sheets.pdf.children import compile_each
from quizbank.sheets.pdf.kept import Kept
from quizbank.sheets.pdf.parts import bodies
from quizbank.sheets.pdf.source import Source, Writer
from quizbank.sheets.pdf.writer import pdf
from quizbank.sheets.picture import Picture
from tests.sheets.pdf.test_pdf import CURVE

WORDS = ("alpha", "beta", "gamma")


@pytest.fixture(scope="module")
def chapters(bank: Bank) -> Document:
    """Three cards in two chapters; each leads to the next, shows the same figure and names the same source."""
    known = next(iter(bank.bibliography.values()))
    nodes: list[Any] = [Heading(1, Text("A sheet", "一份卷子")), Note(same("stands before all"))]
    for number, word in enumerate(WORDS):
        if number != 1:
            nodes.append(
                Heading(2, Text(f"Chapter {word}", f"{word} 章"), anchor=f"topic-{word}", listed=True)
            )
        nodes += [
            Heading(3, Text(f"Why {word}?", f"为何 {word}？"), anchor=f"card-{word}", listed=True),
            Passage(same(f"because of {word} ($x$)\n\n" + "\n\n".join(["line"] * 40))),
            Pointer(same(f"next after {word}"), f"card-{WORDS[(number + 1) % 3]}"),
            Drawing(Picture.of(CURVE)),
            Citation(known, same("section 1")),
        ]
    nodes += [
        Heading(2, Text("Bibliography", "参考文献"), anchor="bibliography", listed=True),
        Entry(known),
    ]
    return Document(Text("A sheet", "一份卷子"), ("en", "zh"), tuple(nodes), "FORM0001", "2026-01-02")


@pytest.fixture(scope="module")
def made(chapters: Document) -> bytes:
    return pdf(chapters, whole=0, part=1)


@pytest.fixture(scope="module")
def bound(made: bytes) -> PdfReader:
    return PdfReader(io.BytesIO(made))


def test_every_page_says_which_of_how_many_it_is(bound: PdfReader) -> None:
    count = len(bound.pages)
    assert count > 6
    for number, page in enumerate(bound.pages, 1):
        assert f"{number} / {count}" in page.extract_text()
        assert "FORM0001" in page.extract_text()


def test_nothing_is_lost_and_nothing_stands_twice(bound: PdfReader) -> None:
    text = "\n".join(page.extract_text() for page in bound.pages)
    for word in WORDS:
        assert text.count(f"because of {word}") == 1
    assert text.count("Growth") == len(WORDS)
    assert text.count("stands before all") == bound.pages[0].extract_text().count("stands before all") == 1


def test_the_contents_give_the_page_where_each_heading_stands(bound: PdfReader, chapters: Document) -> None:
    found = [page.extract_text() for page in bound.pages]
    leads = [link["/Dest"] for link in links(bound, 0)]
    for heading in chapters.contents:
        (place,) = (
            number
            for number, text in enumerate(found[1:], 2)
            if f"\n{heading.text.en}" in f"\n{text.split('一份卷子', 1)[-1]}"
            and at(bound, heading.anchor) == number
        )
        assert str(place) in found[0].split(heading.text.en, 1)[1].split("\n")[0].split()
        assert heading.anchor in leads


def links(reader: PdfReader, page: int) -> Iterator[Any]:
    for reference in reader.pages[page].get("/Annots", ()):
        link = reference.get_object()
        if "/URI" not in link.get("/A", {}):
            yield link
        else:
            assert str(link["/A"]["/URI"]).startswith("http")


def at(reader: PdfReader, name: str) -> int:
    number = reader.get_destination_page_number(reader.named_destinations[name])
    assert number is not None
    return number + 1


def test_links_lead_from_part_to_part(bound: PdfReader) -> None:
    pages = {word: at(bound, f"card-{word}") for word in WORDS}
    assert len(set(pages.values())) == 3
    leads = [{str(link["/Dest"]) for link in links(bound, page)} for page in range(len(bound.pages))]
    everywhere = set.union(*leads)
    assert everywhere <= set(bound.named_destinations)
    assert "card-gamma" in set.union(*leads[pages["beta"] - 1 : pages["gamma"] - 1])
    assert "card-alpha" in set.union(*leads[pages["gamma"] - 1 :])
    (source,) = (name for name in everywhere if name.startswith("source-"))
    assert at(bound, source) == at(bound, "bibliography") == len(bound.pages)


def test_bookmarks_are_the_chapters_with_their_cards(bound: PdfReader) -> None:
    def tree(items: Any) -> list[Any]:
        return [
            tree(each) if isinstance(each, list) else (each.title, bound.get_destination_page_number(each))
            for each in items
        ]

    place = {name: at(bound, name) - 1 for name in bound.named_destinations}
    assert tree(bound.outline) == [
        ("Chapter alpha · alpha 章", place["topic-alpha"]),
        [
            ("Why alpha? · 为何 alpha？", place["card-alpha"]),
            ("Why beta? · 为何 beta？", place["card-beta"]),
        ],
        ("Chapter gamma · gamma 章", place["topic-gamma"]),
        [("Why gamma? · 为何 gamma？", place["card-gamma"])],
        ("Bibliography · 参考文献", place["bibliography"]),
    ]


def test_it_says_what_it_is_and_is_the_same_each_time(
    made: bytes, bound: PdfReader, chapters: Document
) -> None:
    assert bound.metadata is not None
    assert bound.metadata.title == "A sheet · 一份卷子"
    assert bound.metadata["/CreationDate"] == "D:20260102000000Z"
    assert bound.root_object["/Lang"] == "en"
    assert made == pdf(chapters, whole=0, part=1)
    assert bound.trailer["/ID"] != PdfReader(io.BytesIO(pdf(chapters, "letter", whole=0))).trailer["/ID"]


def test_a_part_is_a_chapter_or_less(chapters: Document) -> None:
    def heads(longest: int) -> list[int]:
        writer = Writer(chapters)
        listed = (piece for number, piece in enumerate(writer.pieces()) if number > 1)
        return [part.text.count("#head(3") for part in bodies(writer, listed, longest)]

    assert heads(10**9) == [2, 1, 0]
    assert heads(1) == [0, 1, 1, 0, 1, 0]


def test_a_short_sheet_is_compiled_at_once(
    chapters: Document, started: list[subprocess.Popen[bytes]]
) -> None:
    whole = PdfReader(io.BytesIO(pdf(chapters)))
    assert len(started) == 1
    assert "/StructTreeRoot" in whole.root_object
    (text,) = {page.extract_text().rsplit("/ ", 1)[1].strip() for page in whole.pages}
    assert text == str(len(whole.pages))


def test_a_sheet_of_one_heading_stays_whole(started: list[subprocess.Popen[bytes]]) -> None:
    head = Heading(2, same("1. x"), "card-x", listed=True)
    pdf(Document(same("x"), ("en",), (head, Note(same("x")))), whole=0)
    assert len(started) == 1


@pytest.mark.parametrize("moment", [0, 2])
def test_a_long_sheet_that_is_given_up_leaves_no_compiler_and_no_file(
    chapters: Document,
    started: list[subprocess.Popen[bytes]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    moment: int,
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))

    def cancel(_done: int, _parts: int) -> None:
        if len(started) > moment:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        pdf(chapters, progress=cancel, whole=0, part=1)
    assert started
    assert all(process.returncode is not None for process in started)
    assert list(tmp_path.iterdir()) == []


def test_a_missing_character_ends_the_compilers_that_have_begun(
    chapters: Document, started: list[subprocess.Popen[bytes]]
) -> None:
    nodes = (*chapters.nodes, Note(same("镕")))
    with pytest.raises(InputError, match="镕"):
        pdf(replace(chapters, nodes=nodes), whole=0, part=1)
    assert all(process.returncode is not None for process in started)


def test_one_compiler_that_the_system_ends_ends_all(
    chapters: Document, started: list[subprocess.Popen[bytes]]
) -> None:
    def end(_done: int, _parts: int) -> None:
        if started and started[0].poll() is None:
            started[0].kill()
            started[0].wait()

    with pytest.raises(InputError, match="want of memory"):
        pdf(chapters, progress=end, whole=0, part=1)
    assert all(process.returncode is not None for process in started)


def test_results_come_in_order_and_no_more_compile_at_a_time_than_asked(
    started: list[subprocess.Popen[bytes]],
) -> None:
    most = [0]

    def beat() -> None:
        most.append(sum(process.poll() is None for process in started))

    sources = [Source("long " * 3000, {}), *(Source(f'#set document(title: "{n}")', {}) for n in "bcde")]
    titles = [
        PdfReader(io.BytesIO(each)).metadata.title  # type: ignore[union-attr]
        for each in compile_each(sources, 0, 2, beat)
    ]
    assert titles == [None, "b", "c", "d", "e"]
    assert max(most) <= 3


def test_a_fault_of_the_compiler_is_told_in_one_line() -> None:
    with pytest.raises(InputError, match="unknown variable: nowhere") as caught:
        list(compile_each([Source("#nowhere", {})], 0, 1, lambda: None))
    assert "\n" not in caught.value.line("zh")


def test_progress_of_parts_rises(chapters: Document) -> None:
    told: list[float] = []
    more = tuple(Note(same(str(number))) for number in range(250))
    made = replace(chapters, nodes=(*chapters.nodes, *more))
    pdf(made, progress=lambda done, parts: told.append(done / parts), whole=0, part=1)
    assert all(0 <= before <= after <= 1 for before, after in pairwise(told))
    assert len(set(told)) > 2


def test_a_part_is_compiled_once_on_a_machine(
    chapters: Document, made: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[object] = []
    compiler = subprocess.Popen

    class Counted(compiler):  # type: ignore[type-arg,misc]
        def __init__(self, *arguments: Any, **more: Any) -> None:
            begun.append(arguments)
            super().__init__(*arguments, **more)

    monkeypatch.setattr(subprocess, "Popen", Counted)

    def compiled(document: Document) -> int:
        begun.clear()
        written = pdf(document, cache=tmp_path, whole=0, part=1)
        assert (written == made) is (document is chapters)
        return len(begun)

    every = compiled(chapters)
    assert every > len(WORDS)
    assert compiled(chapters) == 0
    # one card says something else: its part is compiled anew, and front and feet, as the pages are fewer
    changed = [
        Passage(same("because of beta, as it is now"))
        if isinstance(node, Passage) and "of beta" in node.text.en
        else node
        for node in chapters.nodes
    ]
    assert 1 <= compiled(replace(chapters, nodes=tuple(changed))) <= 3
    # what is damaged, or cut short, is made again
    newest = sorted((tmp_path / "pdf").iterdir(), key=lambda path: path.stat().st_mtime_ns)[-1]
    newest.write_bytes(newest.read_bytes()[:-1] + b"?")
    assert compiled(replace(chapters, nodes=tuple(changed))) == 1


def test_of_kept_parts_the_longest_unused_go_first(tmp_path: Path) -> None:
    kept = Kept(tmp_path)
    sources = [Source(f"#{number}", {}) for number in range(3)]
    for number, source in enumerate(sources):
        kept.put(source, 0, bytes(1000))
        for path in tmp_path.iterdir():
            if path.stat().st_mtime > 1e6:
                os.utime(path, (number, number))
    assert kept.get(sources[0], 0) == bytes(1000)
    assert kept.get(sources[0], 1) is None
    kept.clear(2500)
    assert [kept.get(source, 0) is not None for source in sources] == [True, False, True]
