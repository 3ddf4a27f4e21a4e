# ruff: noqa: F811 (fixtures are named as what they are)
"""A sheet as JSON: in the published shape, what its mode prints and nothing else, the same bytes each time."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from jsonschema import Draft202012Validator

from engine.figure import Axis, HeatMap, Line, Plot
from engine.report import MOST_NUMBERS
from engine.text import LANGUAGES, Text, same
from quizbank.bank import Bank
from quizbank.card import Card
from quizbank.home import Home
from quizbank.sheets.content import Sheet
from quizbank.sheets.data import sheet_schema, write
from quizbank.sheets.data_evidence import numbers
from quizbank.sheets.formats import MODES, Options
from quizbank.sheets.gather import gather
from quizbank.sheets.picture import Picture
from quizbank.slots import Quantities, filled
from tests.papers.bank import every_kind
from tests.sheets.conftest import HOSTILE
from tests.sheets.test_paper_sheet import CODE, DERIVATION, EXPRESSION, drawn, mine, sat  # noqa: F401 (fixtures)

VALIDATOR = Draft202012Validator(sheet_schema())


def text_of(sheet: Sheet) -> str:
    return write(sheet, Options(), "", lambda _done, _all: None).text


def data(sheet: Sheet) -> dict[str, Any]:
    """The sheet as a reader finds it, once it is known to have the published shape."""
    document: dict[str, Any] = json.loads(text_of(sheet), parse_constant=lambda name: pytest.fail(name))
    assert [f"{fault.json_path}: {fault.message[:200]}" for fault in VALIDATOR.iter_errors(document)] == []
    return document


def strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    for part in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from strings(part)


def of_card(cards: list[Card], bank: Bank, quantities: Quantities, **options: Any) -> Sheet:
    assert quantities.folder is not None
    return gather(cards, bank, quantities, Options(**options), cache=quantities.folder)


def test_the_schema_is_one() -> None:
    Draft202012Validator.check_schema(sheet_schema())
    # whatever is described is closed: a name that is not in the schema is a fault
    assert [*VALIDATOR.iter_errors({"format": "proofdeck-sheet", "other": 1})]


@pytest.mark.parametrize("language", ["en", "zh", "both"])
def test_a_card_in_full(bank: Bank, card: Card, quantities: Quantities, language: str) -> None:
    sheet = of_card([card], bank, quantities, language=language, date="2026-01-02")
    document = data(sheet)
    languages = LANGUAGES if language == "both" else (language,)
    assert document["heading"] == {
        "form": sheet.heading.form, "revision": bank.fingerprint[:8], "seed": 0, "version": sheet.heading.version,
        "date": "2026-01-02", "mode": "embedded", "languages": list(languages),
    }  # fmt: skip
    (found,) = document["cards"]
    ready = filled(replace(card, drills=()), quantities.fill)
    assert found["answer"] == {one: ready.answer.of(one) for one in languages}  # type: ignore[arg-type]
    assert "@{" not in str(document)
    assert found["trap"]["refuted_by"] == "D19.unit-variance-suffices"
    assert [point["id"] for point in found["key_points"]] == [point.id for point in card.key_points]
    (shown,) = document["demonstrations"]
    assert found["demonstrations"] == [shown["key"]]
    assert shown["parameters"]["d_k"] == 256
    (backing,) = sheet.backings[card.id]
    assert [step["statement"] for step in shown["steps"]] == [step.statement for step in backing.steps]
    assert {step["status"] for step in shown["steps"]} >= {"proved", "refuted"}
    assert [check["measured"] for check in shown["checks"]] == [check.measured for check in backing.checks]
    assert (
        shown["results"]["score_variance"]
        == quantities.scalars("D19", {"d_k": 256}, "measured")["score_variance"]
    )
    assert len(shown["figures"]) == len(backing.figures)
    assert [source["key"] for source in document["bibliography"]] == ["vaswani-2017"]


def test_a_mode_prints_what_it_prints(bank: Bank, card: Card, quantities: Quantities) -> None:
    made = {mode: data(of_card([card], bank, quantities, mode=mode)) for mode in MODES}
    assert len({document["heading"]["form"] for document in made.values()}) == 1
    paper = "\n".join(strings(made["paper"]))
    for hidden in (
        card.answer.en[:40], card.trap.correction.zh, card.follow_ups[0].answer.en, card.key_points[0].text.en,
        card.drills[0].options[0].feedback.en, "the standard deviation",  # type: ignore[union-attr]
    ):  # fmt: skip
        assert hidden not in paper
        assert hidden in "\n".join(strings(made["key"]))
    assert card.follow_ups[0].question.en in paper
    assert "right" not in str(made["paper"]["cards"][0]["drills"])
    # whether the popular answer is true is what a paper asks
    assert "verdict" not in made["paper"]["cards"][0]
    assert made["key"]["cards"][0]["verdict"] == card.verdict
    assert made["paper"]["demonstrations"] == made["key"]["demonstrations"] == []
    assert made["key"]["cards"][0]["demonstrations"] == ["D19"]
    letters = {mode: made[mode]["cards"][0]["drills"][0]["options"] for mode in MODES}
    assert [one["text"] for one in letters["paper"]] == [one["text"] for one in letters["key"]]


def test_drills_of_every_kind_with_and_without_their_keys(bank: Bank, quantities: Quantities) -> None:
    card = every_kind("every", "attention")
    card = replace(card, drills=(*card.drills, EXPRESSION, DERIVATION, CODE))
    for mode in MODES:
        drills = {
            drill["kind"]: drill
            for drill in data(of_card([card], bank, quantities, mode=mode))["cards"][0]["drills"]
        }
        assert set(drills) == {"choice", "number", "expression", "derivation", "code", "recall"}
        keys = {
            "number": "answer", "expression": "answer", "derivation": "lines", "code": "answer", "recall": "key_points",
        }  # fmt: skip
        for kind, name in keys.items():
            assert (name in drills[kind]) == (mode != "paper"), kind
        assert "def attention(" in drills["code"]["program"]["en"]


def test_a_self_test_says_what_was_answered_only_where_it_is_told(
    tmp_path: Path,
    mine: Bank,
    drawn: Any,
    quantities: Quantities,
) -> None:
    report = sat(tmp_path, mine, quantities, drawn, {"choice": "a", "number": HOSTILE})
    for source, of in ((drawn, "paper"), (report, "self-test")):
        for mode in MODES:
            sheet = gather(source, mine, quantities, Options(mode=mode), cache=quantities.folder)
            document = data(sheet)
            assert document["of"] == of
            assert [question["number"] for question in document["questions"]] == [1, 2, 3, 4, 5, 6]
            assert [question["drill"].get("id") for question in document["questions"]] == [
                None if mode == "paper" else question.variant.drill for question in drawn.questions
            ]
            assert ("self_test" in document) == (source is report and mode == "embedded")
            if mode == "paper":
                assert document["cards"] == []
                assert "d_k*s^2" not in str(document)


def test_a_paper_calls_nothing_what_its_author_calls_it_and_the_key_says_what_is_what(
    mine: Bank, drawn: Any, card: Card, bank: Bank, quantities: Quantities
) -> None:
    for source, of in ((drawn, mine), ([card], bank)):
        made = {}
        for mode in ("paper", "key"):
            document = data(gather(source, of, quantities, Options(mode=mode), cache=quantities.folder))
            made[mode] = [question["drill"] for question in document.get("questions", [])] + [
                drill for one in document["cards"] for drill in one["drills"]
            ]
        assert len(made["paper"]) == len(made["key"]) > 1
        for asked, told in zip(made["paper"], made["key"], strict=True):
            assert "id" not in asked
            assert asked["number"] == told["number"]
            for option, keyed in zip(asked.get("options", []), told.get("options", []), strict=True):
                assert set(option) == {"letter", "text"}
                assert (option["letter"], option["text"]) == (keyed["letter"], keyed["text"])
                assert keyed["id"]
    (choice,) = [drill for drill in made["key"] if drill["kind"] == "choice"][:1]
    ids = {option.id for option in card.drills[0].options}  # type: ignore[union-attr]
    assert {option["id"] for option in choice["options"]} == ids


def test_a_question_that_is_gone_is_named(
    tmp_path: Path, mine: Bank, drawn: Any, quantities: Quantities
) -> None:
    report = sat(tmp_path, mine, quantities, drawn, {})
    nothing = Bank((), (), lambda: {}, dict, ())
    document = data(gather(report, nothing, quantities, Options()))
    assert {question["drill"] for question in document["questions"]} == {None}
    assert {question["card"] for question in document["questions"]} == {"attention-scale"}


def test_hostile_text_is_text(bank: Bank, hostile_card: Card, quantities: Quantities) -> None:
    hostile = replace(
        hostile_card, answer=same(HOSTILE.replace("$$", "") * 700 + "\ud800"), tags=("\x1b[2Ja",)
    )
    written = text_of(of_card([hostile], bank, quantities))
    written.encode("utf-8")
    assert "\u202e" not in written
    assert "u001b" not in written
    found = json.loads(written)["cards"][0]
    assert found["answer"]["en"].startswith("<script>alert(1)</script> ]]>  {{c1::x}}  evil &amp;")
    assert len(found["answer"]["en"]) > 90_000
    assert found["tags"] == ["a"]


def test_numbers_that_json_has_not_are_words_and_arrays_are_whole(
    bank: Bank, card: Card, quantities: Quantities
) -> None:
    assert numbers(np.array([[1.0, np.nan], [np.inf, -np.inf]])) == [[1.0, "NaN"], ["Infinity", "-Infinity"]]
    whole = np.linspace(0.0, 1.0, MOST_NUMBERS + 1)
    assert numbers(whole) == whole.tolist()
    sheet = of_card([card], bank, quantities)
    (backing,) = sheet.backings[card.id]
    label, axis = Text("score", "分数"), Axis(Text("score", "分数"), low=-np.inf)
    many = np.linspace(0.0, 1.0, 5)
    gap = np.full(many.size, np.nan)
    broken = replace(
        backing,
        results={"score": float("nan")},
        checks=(replace(backing.checks[0], measured=float("inf"), tolerance=None),),
        figures=(
            Picture.of(Plot(label, label, axis, axis, (Line(label, many, many, band=(many, gap)),))),
            Picture.of(HeatMap(label, label, np.eye(2), outline=((0, 1),))),
        ),
    )
    (shown,) = data(replace(sheet, backings={card.id: (broken,)}))["demonstrations"]
    assert shown["results"] == {"score": "NaN"}
    assert shown["checks"][0]["measured"] == "Infinity"
    line = shown["figures"][0]["marks"][0]
    assert line["x"] == many.tolist()
    assert set(line["band"][1]) == {"NaN"}
    assert shown["figures"][0]["x"]["low"] == "-Infinity"


def test_the_same_sheet_gives_the_same_bytes(bank: Bank, card: Card, quantities: Quantities) -> None:
    first = text_of(of_card([card], bank, quantities))
    assert first == text_of(of_card([card], bank, quantities))
    assert first != text_of(of_card([card], bank, quantities, seed=5))


@pytest.mark.slow
def test_cards_of_every_topic_have_the_published_shape(computed: Home, shipped: Bank) -> None:
    quantities = Quantities(computed.cache / "quantities")
    # proving and validating every figure takes minutes, and they are of few forms
    cards = [
        replace(card, demos=card.demos[:1] if place % 5 == 0 else ())
        for place, card in enumerate(shipped.cards[::10])
    ]
    assert len({card.topic for card in cards}) > 12
    document = data(gather(cards, shipped, quantities, Options(), cache=computed.cache))
    assert [card["id"] for card in document["cards"]] == [card.id for card in cards]
    assert {card["demonstrations"][0] for card in document["cards"] if card["demonstrations"]} <= {
        shown["key"] for shown in document["demonstrations"]
    }
