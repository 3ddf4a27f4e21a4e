"""A self-test on paper: questions, key, and what a person answered, of every kind, whatever was typed."""

from __future__ import annotations

from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from engine.errors import InputError
from engine.text import Text
from quizbank.bank import Bank
from quizbank.card import KINDS, CodeDrill, DemoRef, DerivationDrill, ExpressionDrill, Milestone, Slip
from quizbank.drills.grading import Grader
from quizbank.papers.draw import draw
from quizbank.papers.paper import Paper
from quizbank.papers.results import Report, Results
from quizbank.sheets.document import Document
from quizbank.sheets.export import drawing
from quizbank.sheets.formats import FORMATS, MODES, Options
from quizbank.sheets.html import html
from quizbank.sheets.markdown import markdown
from quizbank.sheets.preview import beginning
from quizbank.slots import Quantities
from tests.papers.bank import every_kind
from tests.sheets.conftest import HOSTILE

EXPRESSION = ExpressionDrill(
    "expression", Text("The variance of a score?", "分数的方差是多少？"), "d_k*s^2", {"d_k": "dim", "s": "pos"},
    slips=(Slip("d_k*s", Text("forgot the square", "漏了平方")),),
)  # fmt: skip
DERIVATION = DerivationDrill(
    "derivation", Text("Expand the square.", "展开平方。"), "(x + y)^2", "x^2 + 2*x*y + y^2", {"x": "real", "y": "real"},
    (Milestone("x*(x + y) + y*(x + y)", Text("multiply out one factor", "先乘开一个因子")),),
)  # fmt: skip
CODE = CodeDrill("code", Text("Write attention.", "手写注意力。"), "attention")


@pytest.fixture(scope="module")
def mine(bank: Bank) -> Bank:
    """One card with a drill of every kind, and a demonstration."""
    card = every_kind("attention-scale", "attention")
    card = replace(
        card, drills=(*card.drills, EXPRESSION, DERIVATION, CODE), demos=(DemoRef("D19", {"d_k": 64}),)
    )
    return Bank((card,), (), lambda: bank.bibliography, dict, ())


@pytest.fixture(scope="module")
def drawn(mine: Bank) -> Paper:
    return draw(mine.cards, count=6, minutes=20, seed=5)


def sat(folder: Path, bank: Bank, quantities: Quantities, paper: Paper, given: dict[str, str]) -> Report:
    grader = Grader({card.id: card for card in bank.cards}, quantities.value, quantities.fill)
    with Results(folder) as results:
        sitting = results.begin(paper, grader)
        for position, question in enumerate(paper.questions):
            sitting.go_to(position)
            if question.variant.kind in given:
                sitting.answer(given[question.variant.kind])
        sitting.hand_in()
        return results.report(sitting.id)


def made(
    bank: Bank,
    quantities: Quantities,
    source: Paper | Report,
    mode: Any,
    language: Any = "both",
    date: str = "",
) -> Document:
    document = drawing(source, bank, quantities, FORMATS["html"], Options(mode, language, date=date))
    assert isinstance(document, Document)
    return document


class Balanced(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        assert tag != "script"
        if tag not in ("meta", "br", "hr", "img", "link"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@pytest.mark.slow
def test_the_paper_has_every_kind_and_no_answer(mine: Bank, drawn: Paper, quantities: Quantities) -> None:
    assert {question.variant.kind for question in drawn.questions} == set(KINDS)
    for language, words in (("en", "Start: `(x + y)^2`"), ("zh", "起始式：`(x + y)^2`")):
        text = markdown(made(mine, quantities, drawn, "paper", language), "f").text
        assert words in text
        assert "`x^2 + 2*x*y + y^2`" in text
        assert "def attention(" in text
        assert "np.sqrt" not in text
        assert "x*(x + y) + y*(x + y)" not in text
        assert "d_k*s^2" not in text
        assert "because b" not in text
        assert "因为 b" not in text
        assert drawn.form in text


def test_the_key_has_every_answer_and_the_call_that_shows_it(
    mine: Bank, drawn: Paper, quantities: Quantities
) -> None:
    text = markdown(made(mine, quantities, drawn, "key", "en"), "f").text
    number = next(q.variant for q in drawn.questions if q.variant.kind == "number")
    choice = next(q.variant for q in drawn.questions if q.variant.kind == "choice")
    assert f"Key: {number.variables['d_k'] * 3}" in text
    assert f"Key: {'ABCD'[choice.options.index('b')]}" in text
    for answer in ("`d_k*s^2`", "x*(x + y) + y*(x + y)", "np.sqrt", "The whole answer", "forgot the square"):
        assert answer in text
    assert text.count("`proofdeck demo D19 --set d_k=64`") == 6
    assert "Write attention" not in text


def test_question_key_and_proof_stand_together(mine: Bank, drawn: Paper, quantities: Quantities) -> None:
    document = made(mine, quantities, drawn, "embedded", "both")
    text = html(document)
    Balanced(text)
    # the card backs all six questions and is proved once, in each language
    assert text.count("Proof D19:") == 1
    assert text.count("证明 D19：") == 1
    assert "Write attention" in text


def test_a_recall_follows_the_question_of_its_card(mine: Bank, drawn: Paper, quantities: Quantities) -> None:
    (card,) = mine.cards
    text = markdown(made(mine, quantities, drawn, "paper", "en"), "f").text
    assert f"{card.question.en}\n\nSay it." in text


def test_a_sitting_of_every_kind_with_what_was_answered(
    tmp_path: Path, mine: Bank, drawn: Paper, quantities: Quantities
) -> None:
    report = sat(
        tmp_path, mine, quantities, drawn,
        {
            "choice": "a", "number": "1", "expression": "d_k*s", "recall": "the variance grows",
            "derivation": "= x*(x + y) + y*(x + y)\n= x^2 + y^2",
            "code": "import numpy as np\n\n\ndef attention(q, k, v, mask=None):\n    return q\n",
        },
    )  # fmt: skip
    for language in ("en", "zh"):
        text = markdown(made(mine, quantities, report, "embedded", language), "f").text
        said = {
            "en": ("forgot the square", "✗ wrong", "✗ `= x^2 + y^2`", "because a", "Counterexample"),
            "zh": ("漏了平方", "✗ 错误", "✗ `= x^2 + y^2`", "因为 a", "反例"),
        }[language]
        for words in said:
            assert words in text
        # every line that was given stands in the box of the answer
        assert "> 1\\. ✓ `= x*(x + y) + y*(x + y)`\n>\n> 2\\. ✗ `= x^2 + y^2`" in text
        assert "    return q" in text
        assert report.day.isoformat() in text
    Balanced(html(made(mine, quantities, report, "embedded")))


def test_a_self_test_that_may_still_be_answered_does_not_tell_its_key(
    tmp_path: Path, mine: Bank, drawn: Paper, quantities: Quantities
) -> None:
    grader = Grader({card.id: card for card in mine.cards}, quantities.value, quantities.fill)
    with Results(tmp_path) as results:
        sitting = results.begin(drawn, grader)
        report = results.report(sitting.id)
        for name, kind in FORMATS.items():
            for mode in MODES:
                if mode == "paper" and name != "apkg":
                    drawing(report, mine, quantities, kind, Options(mode))
                    continue
                with pytest.raises(InputError, match="proofdeck test --resume"):
                    drawing(report, mine, quantities, kind, Options(mode))
        with pytest.raises(InputError, match="--mode paper"):
            beginning(report, mine, quantities, Options("embedded"), 2)
        assert report.paper.form in markdown(made(mine, quantities, report, "paper"), "f").text
        sitting.hand_in()
        over = results.report(sitting.id)
    assert "because b" in markdown(made(mine, quantities, over, "key", "en"), "f").text


def test_nothing_typed_becomes_markup(
    tmp_path: Path, mine: Bank, drawn: Paper, quantities: Quantities
) -> None:
    hostile = HOSTILE + "\n```\n$\\undefined$\n$$"
    report = sat(
        tmp_path, mine, quantities, drawn,
        {"number": HOSTILE, "expression": HOSTILE, "recall": hostile, "derivation": f"= {HOSTILE}"},
    )  # fmt: skip
    text = html(made(mine, quantities, report, "embedded"))
    Balanced(text)
    assert "<script" not in text
    assert "\x1b" not in text
    assert "\u202e" not in text
    written = markdown(made(mine, quantities, report, "embedded"), "f").text
    assert "\x1b" not in written
    # outside of code every < of what was typed is escaped
    for row in written.splitlines():
        assert "<script>" not in row or "`" in row or row.startswith("> <script>")


def test_a_sitting_outlives_its_cards_and_a_paper_does_not(
    tmp_path: Path, mine: Bank, drawn: Paper, quantities: Quantities, bank: Bank
) -> None:
    report = sat(tmp_path, mine, quantities, drawn, {"choice": "a"})
    other = Bank((), (), lambda: bank.bibliography, dict, ())
    text = markdown(made(other, quantities, report, "embedded", "en"), "f").text
    assert "this question is no longer in the bank: attention-scale/choose" in text.replace("\\", "")
    assert "option a" in text
    for mode in ("paper", "key"):
        text = markdown(made(other, quantities, report, mode, "en"), "f").text
        assert text.count("this question is no longer in the bank") == len(report.lines)
    with pytest.raises(InputError, match="no longer in the bank"):
        made(other, quantities, drawn, "paper", "en")


def test_the_same_paper_gives_the_same_document(mine: Bank, drawn: Paper, quantities: Quantities) -> None:
    first, second = (html(made(mine, quantities, drawn, "key")) for _ in range(2))
    assert first == second
    assert drawn.form in first
    with pytest.raises(InputError, match="YYYY-MM-DD"):
        made(mine, quantities, drawn, "key", date="today")
