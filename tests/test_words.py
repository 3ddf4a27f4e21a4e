"""Every word a card, a step or a kind can be called by is there in both languages."""

from __future__ import annotations

import pytest

from engine.proof.normal_forms import METHODS
from engine.proof.step import Decided, Status
from engine.proof.words import METHOD, SIGN, WORD, badge, method
from engine.text import Text
from quizbank import labels
from quizbank.card import KINDS, LEVELS, TOPICS, UNCHECKED, VERDICTS


@pytest.mark.parametrize(
    ("table", "names"),
    [
        (labels.TOPIC, TOPICS),
        (labels.LEVEL, LEVELS),
        (labels.VERDICT, (*VERDICTS, UNCHECKED)),
        (labels.VERDICT_WORD, (*VERDICTS, UNCHECKED)),
        (labels.KIND, KINDS),
        (WORD, tuple(Status)),
    ],
)
def test_tables_are_whole(table: dict[str, Text], names: tuple[str, ...]) -> None:
    assert tuple(table) == names
    assert all(text.en and text.zh for text in table.values())


def step(status: Status, expected: Status) -> Decided:
    return Decided("s", "x = x", Text("", ""), status, expected, "expand", "n=4", "", "", 0.1)


def test_a_badge_is_honest_about_surprises() -> None:
    assert badge(step(Status.PROVED, Status.PROVED)).en == "✓ proved"
    assert badge(step(Status.PROVED_BOUNDED, Status.PROVED_BOUNDED)).zh == "✓ 已证明，限于 n=4"
    assert badge(step(Status.REFUTED, Status.REFUTED)).en == "✗ popular error, refuted"
    assert badge(step(Status.REFUTED, Status.PROVED)).en == "✗ refuted, but expected: proved"
    assert "未判定" in badge(step(Status.UNDECIDED, Status.PROVED)).zh
    assert set(SIGN) == set(Status)


def by(name: str) -> Text:
    return method(Decided("s", "x", Text("", ""), Status.PROVED, Status.PROVED, name, "", "", "", 0.1))


def test_every_rung_of_the_ladder_has_words() -> None:
    assert set(METHODS) < set(METHOD)
    assert by("16 cases") == Text("16 cases, each exactly", "逐一精确判定 16 种情形")
    assert by("24 points, 40 digits").zh == "24 个取样点，40 位精度"
    assert by("sign of a witness (expand)").en == "sign of an equal form, multiplied out"
    assert by("") == Text("", "")
