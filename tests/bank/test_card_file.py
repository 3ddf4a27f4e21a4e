"""A card file is checked whole: good cards load, each fault has its line and column."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from quizbank.card import ChoiceDrill, NumberDrill
from quizbank.card_file import read_card_file
from quizbank.reference_file import read_bibliography, read_claims
from quizbank.schema import CardFileModel, json_schema
from quizbank.yaml_nodes import read_document
from tests.bank.decks import SAMPLE, changed, sample_card, write


def faults(path: Path) -> list[str]:
    return [fault.line("en").removeprefix(f"{path}:") for fault in read_card_file(path).faults]


def line_of(text: str, words: str) -> int:
    """The number of the line that holds these words."""
    return next(number for number, line in enumerate(text.splitlines(), 1) if words in line)


def test_the_sample_card_loads_complete() -> None:
    read = read_card_file(SAMPLE)
    assert read.faults == ()
    card = sample_card()
    assert (card.id, card.topic, card.level, card.verdict) == (
        "sample-attention-scale", "attention", "core", "imprecise",
    )  # fmt: skip
    assert card.answer.en.startswith("The score is a sum")
    assert "\\operatorname{Var}" in card.answer.zh
    assert card.place == f"{SAMPLE}:{line_of(SAMPLE.read_text(encoding='utf-8'), '- id: sample')}:5"
    choice, number, recall = card.drills
    assert isinstance(choice, ChoiceDrill)
    assert [option.right for option in choice.options] == [True, False, False]
    assert isinstance(number, NumberDrill)
    assert list(number.variants()) == [{"d_k": 64}, {"d_k": 128}, {"d_k": 256}]
    assert recall.kind == "recall"


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("level: core", "level: cor", "cor is not one of core, deep, expert"),
        (
            "kind: recall",
            "kind: essay",
            "essay is not one of choice, number, expression, derivation, code, recall",
        ),
        ("verdict: imprecise", "verdict: maybe", "maybe is not one of true, imprecise"),
        ("rel: 0.01", "rel: -1", "-1 is negative"),
        ("rel: 0.01", "rel: .nan", "nan"),
        ("rel: 0.01", "rel: '0.01'", "must be a number"),
        ("rel: 0.01", "relative: 0.01", "relative is not known here"),
        ("right: true", "right: yes", "must be true or false"),
        ("set: {d_k: 256}", "set: {d_k: [256]}", "a number or a text"),
        ("value: sqrt(d_k)", "value: sqrt(d_k", "ends too early"),
        ("value: sqrt(d_k)", "value: __import__('os')", "has no meaning"),
        ("id: explain", "id: Ex plain", "does not have the form"),
        ("refuted_by: D19.unit-variance-suffices", "refuted_by: see D19", "does not have the form"),
        ("claims: [dot-product-variance]", "claims: dot-product-variance", "must be a list"),
        ("key: vaswani-2017", "key: 2017", "must be a text"),
        ("zh: 给成了标准差", "zh: ' '", "empty"),
        ("scale=none)|.3g} drives", "scale=none)|.3q} drives", ".3q is no format"),
        ("scale=none)|.3g} drives", "scale=none|.3g} drives", "ends too early"),
        ("zh: 权重之和", "cn: 权重之和", "zh is missing"),
    ],
)
def test_one_wrong_value_is_one_fault_on_its_line(tmp_path: Path, old: str, new: str, says: str) -> None:
    path = write(tmp_path, (old, new))
    line = line_of(changed((old, new)), new.strip("'"))
    found = faults(path)
    assert any(text.startswith(f"{line}:") and says in text for text in found), found
    assert read_card_file(path).cards == ()
    assert all(fault.what.zh != fault.what.en for fault in read_card_file(path).faults)


def test_a_slot_inside_a_block_is_pointed_at_to_the_character(tmp_path: Path) -> None:
    path = write(tmp_path, ("D19.score_variance(d_k=256)|.3f};", "D19.score_variance(d_k==256)|.3f};"))
    text = path.read_text(encoding="utf-8")
    line = text.splitlines()[line_of(text, "d_k==256") - 1]
    column = line.index("=256") + 1
    assert faults(path) == [f"{line_of(text, 'd_k==256')}:{column}: unexpected ="]


def test_missing_fields_are_all_told(tmp_path: Path) -> None:
    path = tmp_path / "f.yaml"
    path.write_text("topic: rnn\ncards:\n  - id: a\n", encoding="utf-8")
    found = faults(path)
    assert len(found) == 12
    assert {text.split(": ", 1)[0] for text in found} == {"3:5"}


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "empty"),
        ("# only a comment\n", "empty"),
        ("- a\n", "must be a mapping"),
        ("topic: rnn\ncards: 3\n", "2:8: this must be a list"),
        ("topic: astrology\ncards: []\n", "1:8: astrology is not one of"),
        ("topic: rnn\ncards: [3]\n", "2:9: this must be a mapping"),
        ("topic: rnn\ncards: []\ntopics: []\n", "3:1: the key topics is not known here"),
    ],
)
def test_a_file_that_is_no_card_file_says_so(tmp_path: Path, text: str, says: str) -> None:
    path = tmp_path / "f.yaml"
    path.write_text(text, encoding="utf-8")
    assert any(says in line for line in faults(path))


def two_cards(*pairs: tuple[str, str]) -> str:
    """The sample card twice; the second one changed and called ``other``."""
    head, body = changed().split("cards:\n")
    second = body.replace("sample-attention-scale", "other")
    for old, new in pairs:
        second = second.replace(old, new)
    return f"{head}cards:\n{body}{second}"


@pytest.mark.parametrize(
    ("old", "new"), [("level: core", "level: no"), ("zh: 权重之和", 'zh: "权重\\n之和"'), ("  right: true", "  right: true\n            right: true")]
)  # fmt: skip
def test_a_fault_in_one_card_leaves_the_others(tmp_path: Path, old: str, new: str) -> None:
    path = tmp_path / "f.yaml"
    path.write_text(two_cards((old, new)), encoding="utf-8")
    read = read_card_file(path)
    assert [card.id for card in read.cards] == ["sample-attention-scale"]
    assert len(read.faults) == 1


def test_a_file_full_of_faulty_cards_is_given_up_early(tmp_path: Path) -> None:
    path = tmp_path / "f.yaml"
    path.write_text("topic: rnn\ncards: [" + "{}," * 5_000 + "]\n", encoding="utf-8")
    found = faults(path)
    assert len(found) < 150
    assert "more than 100 faults" in found[-1]


def test_verdicts_true_and_false_may_be_written_without_quotes(tmp_path: Path) -> None:
    (card,) = read_card_file(write(tmp_path, ("verdict: imprecise", "verdict: true"))).cards
    assert card.verdict == "true"


def test_the_json_schema_names_every_field_of_a_card() -> None:
    schema = json.loads(json.dumps(json_schema()))
    card = schema["$defs"]["CardModel"]
    assert set(card["required"]) >= {"id", "question", "answer", "trap", "drills"}
    assert card["additionalProperties"] is False
    assert set(schema["properties"]) == set(CardFileModel.model_fields)


def test_bibliography_and_claims_ship_without_a_fault() -> None:
    folder = SAMPLE.parents[2] / "quizbank"
    sources, source_faults = read_bibliography(folder / "bibliography.yaml")
    claims, claim_faults = read_claims(folder / "claims.yaml")
    assert source_faults == claim_faults == ()
    assert sources["vaswani-2017"].link == "https://arxiv.org/abs/1706.03762"
    assert sources["vaswani-2017"].short == "Vaswani et al. 2017"
    assert all(source.link.startswith("https://") for source in sources.values())
    assert len(claims) >= 279
    assert claims["dot-product-variance"].demos == ("D19",)
    assert {claim.verdict for claim in claims.values()} == {"true", "imprecise", "contested", "false"}


def test_a_source_needs_one_address_and_a_key_is_there_once(tmp_path: Path) -> None:
    path = tmp_path / "b.yaml"
    entry = "- {key: a-2020, authors: [A B], year: 2020, title: T, venue: V"
    path.write_text(
        f"{entry}, url: 'https://a.example'}}\n{entry}}}\n{entry}, doi: 10.1/x, arxiv: '2001.00001'}}\n"
        f"{entry}, url: 'javascript:alert(1)'}}\n{entry}, url: 'https://b.example'}}\n",
        encoding="utf-8",
    )
    sources, found = read_bibliography(path)
    assert list(sources) == ["a-2020"]
    lines = [fault.line("en").removeprefix(f"{path}:") for fault in found]
    assert [line[0] for line in lines] == ["2", "3", "4", "5"]
    assert "exactly one of arxiv, doi and url" in lines[0]
    assert f"is there twice; first at {path}:1:3" in lines[3]


SCHEMA = SAMPLE.parents[2] / "quizbank" / "card.schema.json"
CARD_FILES = [SAMPLE, *sorted((SAMPLE.parents[2] / "quizbank" / "cards").glob("*.yaml"))]


def refused(document: object) -> list[str]:
    """Where a validator of JSON Schema, as editors hold one, finds something wrong."""
    validator = Draft202012Validator(json.loads(SCHEMA.read_text(encoding="utf-8")))
    return sorted(error.json_path for error in validator.iter_errors(document))


def test_the_schema_that_ships_is_that_of_the_format() -> None:
    shipped = json.loads(SCHEMA.read_text(encoding="utf-8"))
    Draft202012Validator.check_schema(shipped)
    assert shipped == json_schema(), "renew it: proofdeck schema > quizbank/card.schema.json"


def test_an_editor_tells_what_every_field_is_for() -> None:
    schema = json_schema()
    fields = [
        (name, field, value)
        for name, part in [("file", schema), *schema["$defs"].items()]
        for field, value in part["properties"].items()
    ]
    assert len(fields) > 60
    assert [
        (name, field) for name, field, value in fields if field != "kind" and "description" not in value
    ] == []


@pytest.mark.slow
@pytest.mark.parametrize("path", CARD_FILES, ids=lambda path: path.stem)
def test_card_files_are_valid_by_the_schema(path: Path) -> None:
    root = read_document(path).root
    assert root is not None
    assert refused(root.plain()) == []


@pytest.mark.parametrize(
    ("old", "new", "at"),
    [
        ("topic: attention", "topic: astrology", "$.topic"),
        ("level: core", "level: cor", "$.cards[0].level"),
        ("verdict: imprecise", "verdict: maybe", "$.cards[0].verdict"),
        ("refuted_by: D19.unit-variance-suffices", "refuted_by: see D19", "$.cards[0].trap.refuted_by"),
        ("zh: 给成了标准差", "zh: ' '", "$.cards[0].drills[1].slips[0].name.zh"),
        ("zh: 权重之和", "cn: 权重之和", "$.cards[0].drills[0].options[2].text"),
        ("set: {d_k: 256}", "set: {d-k: 256}", "$.cards[0].demos[0].set"),
        ("kind: recall", "kind: essay", "$.cards[0].drills[2]"),
        ("rel: 0.01", "rel: -1", "$.cards[0].drills[1]"),
        ("rel: 0.01", "relative: 0.01", "$.cards[0].drills[1]"),
        ("claims: [dot-product-variance]", "claims: dot-product-variance", "$.cards[0].claims"),
    ],
)  # fmt: skip
def test_the_schema_refuses_what_the_loader_refuses(tmp_path: Path, old: str, new: str, at: str) -> None:
    path = write(tmp_path, (old, new))
    assert faults(path) != []
    root = read_document(path).root
    assert root is not None
    (where,) = refused(root.plain())
    assert at.startswith(where)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("verdict: imprecise", "verdict: true"),
        ("value: sqrt(d_k)", "value: 8"),
        ("vary: {d_k: [64, 128, 256]}", "vary: {d_k: [64, 1.5, wide]}"),
        ("rel: 0.01", "rel: 1"),
        ("{en: their mean, zh: 它们的均值}", "'$0$'"),
    ],
)
def test_the_schema_takes_what_the_loader_takes(tmp_path: Path, old: str, new: str) -> None:
    path = write(tmp_path, (old, new))
    assert faults(path) == []
    root = read_document(path).root
    assert root is not None
    assert refused(root.plain()) == []
