"""PDF sheets: every text a literal, every character in a font, the same bytes each time."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import tempfile
from dataclasses import replace
from importlib.resources import files
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.errors import InputError
from engine.figure import Axis, Line, Plot
from engine.notation.breadth import breadth
from engine.notation.prose import clean
from engine.notation.typst import broken, typst
from engine.text import Text, same
from quizbank.bank import Bank
from quizbank.card import Card
from quizbank.sheets.document import (
    Answers,
    Boxed,
    Bullets,
    Citation,
    Document,
    Drawing,
    Entry,
    Formula,
    Heading,
    Note,
    Passage,
    Pointer,
    Table,
)
from quizbank.sheets.export import drawing
from quizbank.sheets.formats import FORMATS, Options
from quizbank.sheets.memo import Memo
from quizbank.sheets.pdf import fonts, formulas
from quizbank.sheets.pdf.compiler import FONTS, compiled
from quizbank.sheets.pdf.literals import shown, string
from quizbank.sheets.pdf.source import source
from quizbank.sheets.pdf.writer import pdf
from quizbank.sheets.picture import Picture
from quizbank.slots import Quantities
from tests.notation.formulas import FORMULAS
from tests.sheets.pdf.make_code_points import code_points, vendored, written

TYPST = '#panic("x") $1/0$ @ref <label> *b* _i_ `raw` \\ // /* ]] ) } "; #eval("1") = + - ~ --- \\u{0} https://x.y'

_LITERAL = re.compile(r'"(?:[^"\\]|\\.)*"')


CURVE = Plot(
    Text("Growth", "增长"),
    Text("it rises", "它上升"),
    Axis(Text("width", "宽度")),
    Axis(same("y")),
    (Line(Text("measured", "实测"), np.arange(4.0), np.arange(4.0)),),
)


def document(*nodes: object, languages: tuple[str, ...] = ("en", "zh")) -> Document:
    return Document(Text("A sheet", "一份卷子"), languages, nodes, "FORM0001", "2026-01-02")  # type: ignore[arg-type]


def body(made: Document) -> str:
    """The source without the look and the opening."""
    return source(made).text.split("#show: sheet.with", 1)[1].split("\n", 1)[1].strip()


@pytest.mark.parametrize(
    ("node", "drawn"),
    [
        (Note(Text("deep", "进阶")), '#note([#en[#"deep";]], [#zh[#"进阶";]])'),
        (Note(same("BERT")), '#note([#en[#"BERT";]])'),
        (
            Passage(Text("so $x$\n\n$$y$$", "故 $x$\n\n$$y$$")),
            '#paragraph([#en[#"so ";$x$]], [#zh[#"故 ";$x$]])\n#formula($ y $)',
        ),
        (
            Bullets((Text("(A) one", "(A) 一"), same("(B) NaN"))),
            '#marked([#"(A)";], [#en[#"one";]], [#zh[#"一";]])\n#marked([#"(B)";], [#en[#"NaN";]], [#zh[#"NaN";]])',
        ),
        (Answers(3), "#room(3)"),
        (Pointer(same("above"), "nowhere"), '#pointer(none, [#en[#"above";]])'),
    ],
)
def test_nodes_as_source(node: object, drawn: str) -> None:
    assert body(document(node)) == drawn


def test_a_heading_is_a_bookmark_of_plain_text_and_leads_from_the_contents() -> None:
    one = Heading(2, Text("1. Why $\\sqrt{d_k}$?", "1. 为什么是 $\\sqrt{d_k}$？"), "card-one", listed=True)
    two = Heading(2, Text("2. And?", "2. 然后呢？"), "card-two", listed=True)
    made = body(document(one, two))
    assert '#head(2, "1. Why √dₖ? · 1. 为什么是 √dₖ？", anchor: "card-one"' in made
    assert made.startswith("#contents(")
    assert made.count('"card-two"') == 2


def test_a_chapter_begins_a_page_and_a_card_does_not() -> None:
    chapter = Heading(2, same("Attention"), "topic-attention", listed=True)
    card = Heading(3, same("1. Why?"), "card-why", listed=True)
    made = body(document(chapter, card))
    assert '#pagebreak(weak: true)\n#head(2, "Attention"' in made
    assert made.count("#pagebreak") == 1
    assert "#pagebreak" not in body(document(replace(card, level=2)))


def test_a_formula_that_is_too_wide_is_cut_before_relations_and_signs() -> None:
    assert broken(r"a = -b + f(x+1) \le \frac{1}{2}") == (
        "$display(a)$",
        '$display("" \\= − b)$',
        '$display("" \\+ f \\( x \\+ 1 \\))$',
        '$display("" ≤ frac(1, 2))$',
    )
    assert len(broken(r"\left(a + b\right) c")) == 1


@given(st.text(max_size=60))
def test_a_text_is_one_literal_whatever_it_holds(text: str) -> None:
    assert _LITERAL.fullmatch(string(text))
    assert re.sub(r"#h\(0pt\)", "", _LITERAL.sub("", shown(text))).strip("#;") == ""


def test_hostile_text_stays_text(bank: Bank, quantities: Quantities, hostile_card: Card) -> None:
    card = replace(hostile_card, question=same(TYPST.replace("`", "").replace("$", r"\$")))
    made = drawing([card], bank, quantities, FORMATS["pdf"], Options(mode="key"))
    assert isinstance(made, Document)
    text = source(made).text
    outside = _LITERAL.sub('""', text.split("#show: sheet.with", 1)[1])
    for piece in ("panic", "eval", "script", "ref", "label>", "MASK", "c1::", "*", "`", "//"):
        assert piece not in outside
    assert "\u202e" not in text
    assert "\x1b" not in text
    assert pdf(made).startswith(b"%PDF")


def test_a_hundred_kilobytes_in_one_line() -> None:
    head = Heading(2, same("x" * 10_000), "card-long", listed=True)
    drawn = source(document(head, Passage(same("x" * 100_000))))
    assert "x" * 130 not in drawn.text.split("running-head: ")[1].split(",")[0]
    assert compiled(drawn.text, drawn.inputs, 0).startswith(b"%PDF")


def test_a_long_title_at_the_head_of_a_page_ends_with_a_word() -> None:
    def running(title: str) -> str:
        drawn = source(document(Heading(2, same(title), "card-x", listed=True))).text
        return drawn.split('running-head: "')[1].split('"')[0]

    assert running("What is assumed of the components, and where does it fail, and is that so at all?") == (
        "What is assumed of the components, and where does it fail, and …"
    )
    assert running("词" * 40) == "词" * 31 + " …"
    assert running("What is assumed?") == "What is assumed?"


def test_numbers_stand_flush_right_whatever_they_are() -> None:
    def columns(*cells: str) -> str:
        rows = tuple((same("row"), same(cell)) for cell in cells)
        return source(document(Table(same("x"), (same("a"), same("b")), rows))).text.split("#numbers")[-1]

    assert "(left, right,)" in columns("1", "−0.048", "≤ 2.62×10⁻⁹", "∞", "5 / 12", "–")
    assert "(left, left,)" in columns("1", "at 2")


def test_a_table_without_rows_is_its_heading() -> None:
    drawn = source(document(Table(same("x"), (same("a"), same("b")), ())))
    assert compiled(drawn.text, drawn.inputs, 0).startswith(b"%PDF")


def test_the_same_call_gives_the_same_bytes(bank: Bank, card: Card, quantities: Quantities) -> None:
    made = drawing([card, replace(card, id="another")], bank, quantities, FORMATS["pdf"], Options(mode="key"))
    assert isinstance(made, Document)
    made = replace(
        made,
        nodes=(*made.nodes, Drawing(Picture.of(CURVE)), Formula(1, same("✓"), "x", same("x"), same(""), "y")),
    )
    first = pdf(made, "a4")
    assert first == pdf(made, "a4")
    assert first != pdf(made, "letter")
    assert b"NotoSansSC" in first
    assert b"/Outlines" in first
    assert b"/Lang(en)" in first


def test_a_figure_is_drawn_once_with_its_labels_in_both_languages() -> None:
    made = source(document(Drawing(Picture.of(CURVE)), Drawing(Picture.of(CURVE))))
    (picture,) = made.inputs.values()
    assert ">width · 宽度<" in picture
    assert ">measured · 实测<" in picture
    assert "var(" not in picture
    assert 'font-family="Noto Sans SC"' in picture
    assert made.text.count('#drawing("drawing-1"') == 2


def test_a_character_that_no_font_has_is_named_with_its_card() -> None:
    head = Heading(2, same("1. x"), "card-smelting", listed=True)
    proof = Heading(3, same("Proof"), "proof-D19")
    with pytest.raises(InputError) as caught:
        pdf(document(head, proof, Passage(Text("fine", "镕 and 😀"))))
    assert caught.value.where == "smelting"
    assert "镕 (U+9555)" in caught.value.text.zh
    assert "😀 (U+1F600)" in caught.value.text.en


@pytest.mark.parametrize(
    "node",
    [
        Boxed(same("镕"), same("x")),
        Formula(1, same("x"), r"\text{镕}", same("x"), same(""), ""),
        Table(same("x"), (same("x"),), ((same("镕"),),)),
        Note(same("镕")),
        Drawing(Picture.of(replace(CURVE, y=Axis(same("镕"))))),
    ],
)
def test_it_is_found_wherever_it_stands(node: object) -> None:
    with pytest.raises(InputError, match="镕"):
        source(document(node))


def test_the_list_of_characters_holds_what_our_font_has() -> None:
    assert vendored() <= fonts.code_points()
    assert fonts.missing("镕" + "永") == ("镕",)


@pytest.mark.slow
def test_the_list_of_characters_is_that_of_the_fonts() -> None:
    assert fonts.code_points() == code_points()
    listed = Path(fonts.__file__).with_name("code_points.txt").read_text(encoding="ascii")
    assert listed == written(fonts.code_points())


def test_without_the_compiler_the_message_says_which_line_installs_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(FORMATS, "pdf", replace(FORMATS["pdf"], needs=("typst", "no_such_module")))
    with pytest.raises(InputError) as caught:
        pdf(document(Note(same("x"))))
    assert "pip install 'proofdeck[pdf]'" in caught.value.line("en")
    assert "pip install 'proofdeck[pdf]'" in caught.value.line("zh")


def test_progress_rises() -> None:
    told: list[float] = []
    made = document(*[Note(same(str(number))) for number in range(250)])
    pdf(made, progress=lambda done, parts: told.append(done / parts))
    assert len(told) > 3
    assert all(0 <= before <= after <= 1 for before, after in pairwise(told))


def test_a_sheet_that_is_given_up_leaves_no_compiler_and_no_file(
    started: list[subprocess.Popen[bytes]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))

    def cancel(_done: int, _parts: int) -> None:
        if started:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        pdf(document(Note(same("x"))), progress=cancel)
    assert [process.returncode for process in started] == [-signal.SIGKILL]
    assert list(tmp_path.iterdir()) == []


def test_a_compiler_that_the_system_ends_is_told_in_one_line(
    started: list[subprocess.Popen[bytes]],
) -> None:
    def end(_done: int, _parts: int) -> None:
        if started and started[0].poll() is None:
            started[0].kill()
            started[0].wait()

    with pytest.raises(InputError, match="want of memory"):
        pdf(document(Note(same("x"))), progress=end)


def test_no_name_of_the_look_hides_a_name_of_formulas() -> None:
    look = source(document()).text
    ours = set(re.findall(r"^#let ([\w-]+)", look, re.MULTILINE))
    formulas = " ".join(typst(latex, True) for latex in FORMULAS.values())
    theirs = set(re.findall(r"[A-Za-z][\w-]+", _LITERAL.sub('""', formulas)))
    assert "accent" in theirs
    assert "paragraph" in ours
    assert not ours & theirs


def test_every_sample_formula_compiles() -> None:
    nodes = [Passage(same(f"$${latex}$$\n\nand ${latex}$")) for latex in FORMULAS.values()]
    made = source(document(*nodes))
    pieces = "\n\n".join(piece for latex in FORMULAS.values() for piece in broken(latex))
    assert compiled(made.text + pieces, made.inputs, 0).startswith(b"%PDF")


@settings(max_examples=25)
@given(st.text(st.characters(codec="utf-8"), max_size=40))
def test_any_text_compiles_or_is_refused_by_name(text: str) -> None:
    made = document(Note(same(text)), Bullets((same("x"),)), Boxed(same("x"), same("y")))
    if fonts.missing(clean(text)):
        with pytest.raises(InputError, match=r"U\+"):
            source(made)
    else:
        drawn = source(made)
        assert compiled(drawn.text, drawn.inputs, 0).startswith(b"%PDF")


def test_a_source_is_linked_to_its_place_in_the_bibliography(bank: Bank) -> None:
    known = next(iter(bank.bibliography.values()))
    made = body(document(Citation(known, same("section 3")), Entry(known), Entry(known)))
    assert f'#citation("source-{known.key}"' in made
    assert made.count(f'#entry("source-{known.key}"') == 1
    assert pdf(document(Citation(known, same("")), Entry(known))).startswith(b"%PDF")


def test_a_formula_is_read_once_on_a_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def forgotten() -> Memo[str]:
        memo: Memo[str] = Memo("formulas", lambda: "1", 100)
        monkeypatch.setattr(formulas, "KNOWN", memo)
        return memo

    def drawn() -> list[str]:
        return [formulas.drawn("x^2"), formulas.drawn("x^2", True), formulas.drawn(wide, True)]

    wide = " + ".join(["x_{n}"] * 60)
    memo = forgotten()
    found = drawn()
    assert [each[:5] for each in found] == ["$x^(2"[:5], "#form", "#fit("]
    memo.keep(tmp_path)
    monkeypatch.setattr(formulas, "typst", None)
    forgotten().remember(tmp_path)
    assert drawn() == found
    # what is damaged counts as not kept
    (kept,) = tmp_path.iterdir()
    kept.write_bytes(kept.read_bytes().replace(b"x", b"y"))
    forgotten().remember(tmp_path)
    with pytest.raises(TypeError):
        drawn()


def widths(latex: list[str], place: Path) -> list[float]:
    """What the compiler measures, in em."""
    import typst as compiler

    look = (files("quizbank.sheets.pdf") / "sheet.typ").read_text(encoding="utf-8")
    measured = (
        f"#context [#metadata(measure([{typst(each, True)}]).width / 10.5pt)<width>]" for each in latex
    )
    source = place / "measured.typ"
    source.write_text("\n".join([look, "#show: sheet", *measured]), encoding="utf-8")
    fonts = compiler.Fonts(include_system_fonts=False, font_paths=[FONTS])
    found = compiler.query(source, "<width>", field="value", font_paths=fonts, ignore_system_fonts=True)
    wide: list[float] = json.loads(found)
    return wide


def test_no_formula_is_wider_than_is_said_of_it(tmp_path: Path) -> None:
    formulas_of_all_kinds = list(FORMULAS.values())
    wide = widths(formulas_of_all_kinds, tmp_path)
    assert len(wide) == len(formulas_of_all_kinds) > 50
    for latex, ems in zip(formulas_of_all_kinds, wide, strict=True):
        assert ems <= breadth(latex, True), latex
    # and it is no idle bound: the half of them is told to within a half
    assert (
        sorted(breadth(latex, True) / ems for latex, ems in zip(formulas_of_all_kinds, wide, strict=True))[
            len(wide) // 2
        ]
        < 1.5
    )
