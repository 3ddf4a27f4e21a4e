"""A card and a demonstration as plain text: everything is there, nothing is too wide, no slot is left."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from engine.demos import load
from engine.errors import InputError
from engine.notation.page import inline
from engine.notation.wide import width as cells_of
from engine.proof.derivation import decide_all
from engine.proof.step import Decided, Status
from engine.text import LANGUAGES, Language, Text, same
from quizbank.card import Card, NumberDrill
from quizbank.card_json import card_json, listed_json
from quizbank.check.view import texts
from quizbank.plain import card_text, demo_text
from quizbank.slots import Quantities, filled
from tests.bank.decks import SAMPLE, bank_of, sample_card


@pytest.fixture
def quantities(tmp_path: Path) -> Quantities:
    return Quantities(tmp_path)


@pytest.fixture(scope="module")
def steps() -> tuple[Decided, ...]:
    return tuple(decide_all(load("D19").derive))


def words(text: str) -> str:
    """Text without the places where lines were broken."""
    return re.sub(r"\s+", "", text)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("width", [40, 78])
def test_every_text_of_a_card_is_shown_with_its_slots_filled(
    quantities: Quantities, language: Language, width: int
) -> None:
    card = sample_card()
    shown = card_text(card, bank_of(SAMPLE), quantities, language, width)
    assert "@{" not in shown
    assert max(cells_of(row) for row in shown.split("\n")) <= width
    together = words(shown)
    drill = card.drills[1]
    assert isinstance(drill, NumberDrill)
    slips = {slip.name for slip in drill.slips}
    for loc, text in texts(card):
        if loc in (("answer",),) or text in slips:
            continue
        one_line = inline(quantities.fill(text.of(language), {"d_k": 64}))
        assert words(one_line) in together, loc
    for part in (
        card.id,
        "dot-product-variance",
        "https://arxiv.org/abs/1706.03762",
        {"en": "demonstration D19", "zh": "演示 D19"}[language],
    ):
        assert words(part) in together


def with_text(text: Text) -> Card:
    return replace(sample_card(), spoken=text)


def test_tokens_in_brackets_stay_and_controls_go(quantities: Quantities) -> None:
    card = with_text(same("[MASK] h[t-1] [/INST] <sos> 2*3*4 \x1b[2J\x1b]52;c;AA\x07\u202edone"))
    shown = card_text(card, bank_of(SAMPLE), quantities, "en")
    assert "[MASK] h[t-1] [/INST] <sos> 2*3*4" in shown
    assert not re.search("[\x00-\x09\x0b-\x1f\u202e]", shown)
    assert "done" in shown


def test_a_formula_outside_of_the_subset_is_shown_as_written(quantities: Quantities) -> None:
    assert r"$\nosuch x$" in card_text(
        with_text(same(r"see $\nosuch x$ here")), bank_of(SAMPLE), quantities, "en"
    )


def test_a_slot_that_cannot_be_computed_names_the_card_file(quantities: Quantities) -> None:
    card = with_text(same("@{D98.x}"))
    for show in (
        lambda: card_text(card, bank_of(SAMPLE), quantities, "en"),
        lambda: card_json(card, bank_of(SAMPLE), quantities),
    ):
        with pytest.raises(InputError, match="no demonstration is called D98") as raised:
            show()
        assert raised.value.where == card.place


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_demonstration_shows_badges_numbers_and_the_plot_it_is_given(
    steps: tuple[Decided, ...], language: Language
) -> None:
    run = load("D19").run({"d_k": 256})
    shown = demo_text(run, steps, language, 60, ["PLOT ROW"])
    assert max(cells_of(row) for row in shown.split("\n")) <= 60
    assert shown.endswith("PLOT ROW\n")
    for word in {"en": ("✓ proved", "popular error, refuted", "holds"), "zh": ("✓ 已证明", "已证伪", "成立")}[
        language
    ]:
        assert word in shown
    assert "d_k = 256" in shown
    together = words(shown)
    for step in steps:
        assert words(inline(step.rule.of(language))) in together
    for check in run.checks:
        assert check.name in shown
        assert f"{check.measured:.6g}".replace("-", "−") in shown


def test_a_failed_check_and_an_undecided_step_are_told(steps: tuple[Decided, ...]) -> None:
    run = load("D19").run()
    failed = replace(run, checks=(replace(run.checks[0], measured=float("nan")),))
    shown = demo_text(failed, [replace(steps[2], status=Status.UNDECIDED)], "en")
    assert "✗ fails" in shown
    assert "NaN" in shown
    assert "? undecided, but expected: proved" in shown


def test_the_json_of_a_card_has_every_field_and_no_slot(quantities: Quantities) -> None:
    card = sample_card()
    text = json.dumps(card_json(card, bank_of(SAMPLE), quantities), allow_nan=False)
    told = json.loads(text)
    assert "@{" not in text
    assert set(told) == set(card.__dataclass_fields__)
    for loc, expected in texts(filled(card, lambda t: quantities.fill(t, {"d_k": 64}))):
        if loc[0] == "drills" and loc[1] == 1:
            continue
        found = told
        for step in loc:
            found = found[step]
        assert found == {"en": expected.en, "zh": expected.zh}
    assert told["sources"][0]["title"] == "Attention Is All You Need"
    assert told["demos"] == [{"id": "D19", "name": "dot-product-variance", "set": {"d_k": 256}}]
    variants = told["drills"][1]["variants"]
    assert [(v["variables"]["d_k"], v["answer"]) for v in variants] == [(64, 64), (128, 128), (256, 256)]
    assert all(f"d_k = {v['variables']['d_k']}$" in v["question"]["zh"] for v in variants)


def test_the_entry_of_a_list() -> None:
    assert listed_json(sample_card()) == {
        "id": "sample-attention-scale",
        "topic": "attention",
        "level": "core",
        "verdict": "imprecise",
        "question": {
            "en": "Why are attention scores divided by $\\sqrt{d_k}$?",
            "zh": "注意力分数为什么要除以 $\\sqrt{d_k}$？",
        },
        "demos": ["D19"],
        "claims": ["dot-product-variance"],
        "drills": [
            {"id": "what-the-root-does", "kind": "choice"},
            {"id": "unscaled-variance", "kind": "number"},
            {"id": "explain", "kind": "recall"},
        ],
    }
