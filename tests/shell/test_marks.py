"""`proofdeck mark`, `list --marked` and `reports` as a person and a script meet them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from quizbank import labels
from quizbank.learning.log import FILE_NAME, ReviewLog
from quizbank.learning.marked import MARKS
from quizbank.learning.memory import Rating
from tests.shell.test_calls import Capture, call

DAY = 86_400_000
NOON = 1_767_600_000_000  # 2026-01-05 08:00 UTC
HEAD = "topic: own\ncards:\n"
CARD = "  - {kind: plain, id: mine, question: What is mine?, answer: This.}\n"


@pytest.fixture
def own(tmp_path: Path) -> Path:
    path = tmp_path / "own.yaml"
    path.write_text(HEAD + CARD, encoding="utf-8")
    return path


def test_every_mark_has_a_word() -> None:
    assert tuple(labels.MARK) == MARKS


@pytest.mark.parametrize(
    ("language", "said"), [("en", "bookmarked, with a note"), ("zh", "已加书签、有笔记")]
)
def test_a_card_is_marked_and_found_again(capsys: Capture, own: Path, language: str, said: str) -> None:
    deck = ("--deck", str(own), "--lang", language)
    status, out, _ = call(
        capsys, "mark", "mine", "--bookmark", "--note", "方差 $d_k$\x1b[2J, not √d_k", *deck
    )
    assert status == 0
    assert out.splitlines() == [f"mine: {said}", "    方差 $d_k$, not √d_k"]
    assert "mine" in call(capsys, "list", "--marked", "noted", *deck)[1]
    assert "mine" not in call(capsys, "list", "--marked", "suspended", *deck)[1]
    call(capsys, "mark", "mine", "--suspend", *deck)
    listed = json.loads(call(capsys, "list", "--topic", "own", "--json", *deck)[1])
    assert listed[0]["marks"] == ["bookmarked", "noted", "suspended"]
    status, out, _ = call(capsys, "mark", "mine", "--no-bookmark", "--resume", "--note", "", "--json", *deck)
    assert json.loads(out) == {"id": "mine", "marks": [], "note": None, "reports": []}
    assert call(capsys, "mark", "mine", "--bury", *deck)[0] == 0
    assert "mine" in call(capsys, "list", "--marked", "buried", *deck)[1]
    assert call(capsys, "log", "check")[0] == 0


def test_a_card_forgotten_again_and_again_is_listed(capsys: Capture, home: Path, own: Path) -> None:
    with ReviewLog(home) as log:
        for number in range(7):
            log.grade("mine", Rating.EASY, NOON + number * 60 * DAY)
            log.grade("mine", Rating.AGAIN, NOON + (number * 60 + 30) * DAY)
    assert "mine" in call(capsys, "list", "--marked", "leech", "--deck", str(own))[1]
    (home / "settings.toml").write_text("leech_lapses = 0\n", encoding="utf-8")
    assert "mine" not in call(capsys, "list", "--marked", "leech", "--deck", str(own))[1]


def test_what_is_wrong_with_a_card_reaches_its_author(capsys: Capture, own: Path) -> None:
    deck = ("--deck", str(own))
    call(capsys, "mark", "mine", "--report", "This is too short.", *deck)
    status, out, _ = call(capsys, "reports", "--json", *deck)
    document = json.loads(out)
    (report,) = document["reports"]
    assert (status, report["card"], report["text"]) == (0, "mine", "This is too short.")
    assert report["place"] == f"{own}:3:5"
    assert report["changed"] is False
    assert len(document["bank"]) == 32
    # the card is mended: the report was about what it said before
    own.write_text(HEAD + CARD.replace("This.", "This and why."), encoding="utf-8")
    assert json.loads(call(capsys, "reports", "--json", *deck)[1])["reports"][0]["changed"] is True
    _, out, _ = call(capsys, "reports", *deck, "--lang", "zh")
    assert out.startswith(f"{own}:3:5 · mine · ")
    assert "卡片此后有改动" in out
    assert "    This is too short.\n" in out
    # its deck is not loaded any more: what was said of it is
    call(capsys, "mark", "mine", "--note", "mend it", *deck)
    (gone,) = json.loads(call(capsys, "list", "--vanished", "--json")[1])
    assert (gone["id"], gone["reviews"], gone["last"], gone["note"]) == ("mine", 0, None, "mend it")
    assert "有标记，未复习过" in call(capsys, "list", "--vanished", "--lang", "zh")[1]
    assert json.loads(call(capsys, "reports", "--json")[1])["reports"][0]["place"] is None
    assert call(capsys, "log", "undo", report["id"][:20])[1].startswith("taken back: mine, the report of ")
    assert json.loads(call(capsys, "reports", "--json")[1])["reports"] == []


def test_cards_are_listed_where_the_log_cannot_be_opened(capsys: Capture, home: Path, own: Path) -> None:
    (home / FILE_NAME).mkdir()
    listed = json.loads(call(capsys, "list", "--topic", "own", "--json", "--deck", str(own))[1])
    assert [(card["id"], card["marks"]) for card in listed] == [("mine", None)]
    assert call(capsys, "list", "--marked", "noted", "--deck", str(own))[0] == 2


def test_what_cannot_be_done_is_said_and_nothing_is_stored(capsys: Capture, home: Path, own: Path) -> None:
    deck = ("--deck", str(own))
    assert call(capsys, "reports", *deck)[:2] == (0, "")
    assert "exclude each other" in call(capsys, "mark", "mine", "--resume", "--suspend", *deck)[2]
    assert call(capsys, "mark", "mine", "--bookmark", "--note", "x" * 5000, *deck)[0] == 2
    assert call(capsys, "mark", "mine", "--bookmark", "--report", " ", *deck)[0] == 2
    assert call(capsys, "mark", "theirs", "--bookmark", *deck)[0] == 2
    assert call(capsys, "list", "--marked", "liked", *deck)[0] == 2
    call(capsys, "list", "--json", *deck)
    assert call(capsys, "mark", "mine", *deck)[:2] == (0, "mine: no mark\n")
    assert not (home / FILE_NAME).exists()
