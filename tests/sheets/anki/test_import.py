"""What Anki itself does with a package: imported once, worked on by hand, and again in its next version."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from engine.text import Text, same
from quizbank.bank import Bank, load_bank
from quizbank.card import Card
from quizbank.home import Home
from quizbank.revisions import revised
from quizbank.sheets.anki.notes import LAYOUT_REVISED
from quizbank.sheets.content import Sheet
from quizbank.sheets.formats import Options
from quizbank.sheets.gather import gather
from quizbank.slots import Quantities
from tests.sheets.anki.reading import Reader, opened, source, sources, squeezed
from tests.sheets.anki.test_package import package, sheet_of

pytestmark = pytest.mark.slow


class Anki:
    """A collection of its own, and the packages that are imported into it."""

    def __init__(self, folder: Path) -> None:
        from anki.collection import Collection

        self.folder = folder
        self.collection = Collection(str(folder / "collection.anki2"))

    def take(self, content: bytes) -> dict[str, int]:
        """Import a package with what Anki proposes; how many notes went which way."""
        from anki.collection import ImportAnkiPackageOptions, ImportAnkiPackageRequest

        path = self.folder / "cards.apkg"
        path.write_bytes(content)
        options = ImportAnkiPackageOptions(with_scheduling=True, with_deck_configs=False)
        request = ImportAnkiPackageRequest(package_path=str(path), options=options)
        log = self.collection.import_anki_package(request).log
        ways = (
            "new",
            "updated",
            "duplicate",
            "conflicting",
            "missing_notetype",
            "missing_deck",
            "empty_first_field",
        )
        counts = {way: len(getattr(log, way)) for way in ways}
        return {way: count for way, count in counts.items() if count}

    def note(self, guid: str) -> Any:
        (id_,) = self.collection.db.list("select id from notes where guid = ?", f"proofdeck/{guid}")
        return self.collection.get_note(id_)

    def deck_of(self, card: Any) -> str:
        return self.collection.decks.name(card.did)


@pytest.fixture
def anki(tmp_path: Path) -> Iterator[Anki]:
    opened_ = Anki(tmp_path)
    yield opened_
    opened_.collection.close()


def named(card: Card, name: str, question: str) -> Card:
    return replace(card, id=name, question=Text(question, f"{question}（中文）"))


def test_a_new_version_changes_what_changed_and_leaves_the_rest_to_the_person(
    anki: Anki, bank: Bank, card: Card, quantities: Quantities
) -> None:
    first = [named(card, name, f"Question {name}?") for name in ("changed", "edited", "reviewed", "moved")]
    sheet = sheet_of(first, bank, quantities)
    long_ago = {
        f"{one.id}{part}": LAYOUT_REVISED + 10 for one in first for part in ("#question", "#key-points")
    }
    drills = {f"{one.id}/{drill.id}": LAYOUT_REVISED + 10 for one in first for drill in card.drills}
    version_1 = replace(sheet, revised=long_ago | drills)
    assert anki.take(package(version_1)) == {"new": 16}
    assert anki.take(package(version_1)) == {"duplicate": 16}

    edited = anki.note("edited#question")
    edited["Spoken"] = "in my own words"
    anki.collection.update_note(edited)
    changed_too = anki.note("changed/what-the-root-does")
    changed_too["Sources"] = "seen in an interview"
    anki.collection.update_note(changed_too)
    (seen,) = anki.note("reviewed#question").cards()
    seen.start_timer()
    anki.collection.sched.answerCard(seen, 3)
    schedule = vars(anki.collection.get_card(seen.id)).copy()
    assert seen.reps == 1
    (moved,) = anki.note("moved#question").cards()
    mine = anki.collection.decks.id("My own order")
    anki.collection.set_deck([moved.id], mine)

    changed = replace(first[0], answer=Text("Another answer.", "另一个答案。"))
    added = named(card, "added", "Question added?")
    added = replace(added, key_points=(), drills=())
    later = max(LAYOUT_REVISED, edited.mod, changed_too.mod) + 1000
    version_2 = replace(
        sheet_of([changed, *first[1:], added], bank, quantities),
        revised={**long_ago, **drills, "changed#question": later, "added#question": later},
    )
    assert anki.take(package(version_2)) == {"updated": 1, "new": 1, "duplicate": 15}
    assert Reader(anki.note("changed#question")["Answer"]).said("zh") == "另一个答案。"
    assert anki.note("edited#question")["Spoken"] == "in my own words"
    assert anki.note("changed/what-the-root-does")["Sources"] == "seen in an interview"
    after = vars(anki.collection.get_card(seen.id))
    for name in ("type", "queue", "due", "ivl", "factor", "reps", "left", "lapses"):
        assert after[name] == schedule[name]
    assert anki.deck_of(anki.collection.get_card(moved.id)) == "My own order"
    assert anki.deck_of(anki.note("moved#key-points").cards()[0]) == "Proofdeck::attention"
    assert anki.collection.media.check().missing == []


def test_hostile_text_does_nothing_in_anki(
    anki: Anki, bank: Bank, hostile_card: Card, quantities: Quantities
) -> None:
    long = replace(hostile_card, answer=same("x = [latex]y[/latex] {{c1::z}} \\(a\\) [sound:b.mp3] " * 2000))
    assert anki.take(package(sheet_of([long], bank, quantities))) == {"new": 4}
    note = anki.note(f"{long.id}#question")
    assert Reader(note["Answer"]).text("en") == squeezed(long.answer.en)
    (card,) = note.cards()
    shown = card.question() + card.answer()
    assert "<script" not in shown
    assert "[sound:" not in shown
    assert card.answer_av_tags() == card.question_av_tags() == []
    gaps = anki.note(f"{long.id}#key-points").cards()
    assert len(gaps) == 3
    for gap in gaps:
        hidden = Reader(gap.question())
        assert hidden.said("en").count("[...]") == 1
        assert source(long.key_points[0].text.en) in Reader(gap.answer()).said("en")


def test_closing_braces_and_colons_stay_within_their_gap(
    anki: Anki, bank: Bank, card: Card, quantities: Quantities
) -> None:
    point = r"the fraction $\frac{a_{b_{c}}}{d^{e^{f}}}$ beside `{{x}}`, std::vector, and {y}"
    points = tuple(replace(one, text=same(point)) for one in card.key_points)
    anki.take(package(sheet_of([replace(card, key_points=points)], bank, quantities)))
    note = anki.note(f"{card.id}#key-points")
    assert len(note.cards()) == 3
    shown = Reader(note.cards()[1].answer()).said("en")
    assert without_space(shown).count(without_space(source(point))) == 3
    assert "{{c" not in shown


@pytest.fixture(scope="module")
def whole(computed: Home) -> tuple[Bank, Sheet]:
    """The cards of the bank that hold the most of each kind, with what backs them."""
    bank = load_bank(computed)
    quantities = Quantities(computed.cache / "quantities")
    cards = [replace(card, demos=()) for card in bank.cards]
    return bank, gather(cards, bank, quantities, Options(), cache=computed.cache)


def test_the_whole_bank_arrives_as_it_is_written(anki: Anki, whole: tuple[Bank, Sheet]) -> None:
    bank, sheet = whole
    made = package(sheet)
    notes, _, _ = opened(made)
    assert anki.take(made) == {"new": len(notes)}
    assert anki.collection.card_count() == sum(note.cards for note in notes.values())
    assert anki.collection.find_notes("deck:Default") == []
    for card in sheet.cards:
        note = anki.note(f"{card.id}#question")
        read = {name: Reader(html) for name, html in note.items()}
        for language in ("en", "zh"):
            for name, text in (("Question", card.question), ("Spoken", card.spoken), ("Answer", card.answer)):
                assert said(read[name], language, text) == sources(text)[language]
            for text in (card.trap.popular, card.trap.correction):
                assert sources(text)[language] in said(read["Trap"], language, text)
        gaps = anki.note(f"{card.id}#key-points")
        assert len(gaps.cards()) == len(card.key_points)
        held = Reader(gaps.cards()[0].answer())
        for point in card.key_points:
            for language in ("en", "zh"):
                assert without_space(sources(point.text)[language]) in without_space(held.said(language))  # type: ignore[arg-type]
    for note in notes.values():
        for html in note.fields.values():
            marks = re.findall(
                r"(?<!\\)\\[()\[\]]", re.sub(r"<(pre|code)>.*?</\1>", "", html, flags=re.DOTALL)
            )
            assert re.fullmatch(r"(\\\(\\\)|\\\[\\\])*", "".join(marks)), html
    assert anki.take(package(sheet)) == {"duplicate": len(notes)}
    assert max(note.modified for note in notes.values()) == max(*revised(bank).values(), LAYOUT_REVISED)


def said(read: Reader, language: str, text: Text) -> str:
    """What a field says; a text that is the same in both languages is said once."""
    return read.said("en" if text.en == text.zh else language)  # type: ignore[arg-type]


def without_space(text: str) -> str:
    return re.sub(r"\s", "", text)
