"""An Anki package of a sheet: which notes there are, what they say, what names and times they keep."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from engine.text import same
from quizbank.bank import Bank
from quizbank.card import Card
from quizbank.importing.deck import import_deck
from quizbank.revisions import revised
from quizbank.sheets.anki import note_type
from quizbank.sheets.anki.notes import LAYOUT_REVISED
from quizbank.sheets.anki.package import write
from quizbank.sheets.content import Sheet
from quizbank.sheets.formats import FORMATS, Options
from quizbank.sheets.gather import gather
from quizbank.slots import Quantities, filled
from tests.sheets.anki.reading import Reader, opened, source, sources, squeezed, visible
from tests.sheets.conftest import HOSTILE

ID = "proofdeck/sample-attention-scale"


def sheet_of(cards: Sequence[Card], bank: Bank, quantities: Quantities, **options: Any) -> Sheet:
    # what demonstrations gave is kept beside the values
    assert quantities.folder is not None
    return gather(cards, bank, quantities, Options(**options), cache=quantities.folder)


def package(sheet: Sheet) -> bytes:
    written = write(sheet, Options(), "", lambda _done, _all: None).content
    assert isinstance(written, bytes)
    return written


@pytest.fixture(scope="module")
def sheet(bank: Bank, card: Card, quantities: Quantities) -> Sheet:
    return sheet_of([card], bank, quantities)


def test_a_card_is_a_question_a_cloze_of_its_key_points_and_its_drills(sheet: Sheet) -> None:
    notes, media, _ = opened(package(sheet))
    assert [note.removeprefix(ID) for note in notes] == [
        "#question", "#key-points", "/what-the-root-does", "/unscaled-variance",
    ]  # fmt: skip
    assert [note.cards for note in notes.values()] == [1, 3, 1, 1]
    for note, kind in zip(notes.values(), ("question", "key-points", "choice", "number"), strict=True):
        assert note.decks == {"Proofdeck::attention"}
        assert set(note.tags) == {
            "proofdeck::topic::attention", "proofdeck::level::core", "proofdeck::verdict::imprecise",
            f"proofdeck::kind::{kind}",
        }  # fmt: skip
        assert next(iter(note.fields.values()))
    named = [
        image for note in notes.values() for field in note.fields.values() for image in Reader(field).images
    ]
    assert sorted(named) == sorted(media)
    assert media
    for name, drawn in media.items():
        assert re.fullmatch(r"proofdeck-d19-[0-9a-f]{12}\.svg", name)
        assert drawn.startswith(b"<svg ")


def test_every_field_says_what_the_card_says(sheet: Sheet, card: Card, quantities: Quantities) -> None:
    notes, _, _ = opened(package(sheet))
    ready = filled(replace(card, drills=()), quantities.fill)
    fields = {name: Reader(html) for name, html in notes[f"{ID}#question"].fields.items()}
    gaps = Reader(re.sub(r"\{\{c\d+::(.*?)\}\}", r"\1", notes[f"{ID}#key-points"].fields["Text"]))
    for language in ("en", "zh"):
        for name, text in (("Question", ready.question), ("Spoken", ready.spoken), ("Answer", ready.answer)):
            assert fields[name].said(language) == sources(text)[language]
        points = squeezed(" ".join(sources(point.text)[language] for point in ready.key_points))
        assert fields["Key points"].said(language) == points
        assert gaps.said(language) == f"{sources(ready.question)[language]} {points}"
        for text in (ready.trap.popular, ready.trap.correction):
            assert sources(text)[language] in fields["Trap"].said(language)
        for follow_up in ready.follow_ups:
            both = f"{sources(follow_up.question)[language]} {sources(follow_up.answer)[language]}"
            assert both in fields["Follow-ups"].said(language)
        assert {"en": "section 3.2.1", "zh": "第 3.2.1 节"}[language] in fields["Sources"].said(language)
        proof = fields["Proof"].said(language)
        for backing in sheet.backings[card.id]:
            for step in backing.steps:
                assert squeezed(f"$${step.statement}$$") in proof
                assert sources(step.rule)[language] in proof
            for check in backing.checks:
                assert sources(check.claim)[language] in proof
    assert "@{" not in str(notes)


def test_drills_have_their_key_behind_them(sheet: Sheet, card: Card) -> None:
    notes, _, _ = opened(package(sheet))
    choice, number = sheet.asked[card.id][:2]
    front, back = (Reader(notes[f"{ID}/what-the-root-does"].fields[name]) for name in ("Question", "Answer"))
    for letter, option in zip("ABC", choice.options, strict=True):
        for language in ("en", "zh"):
            assert f"({letter}) {source(option.text.of(language))}" in front.said(language)
            assert source(option.feedback.of(language)) in back.said(language)
            assert source(option.feedback.of(language)) not in front.said(language)
    back = Reader(notes[f"{ID}/unscaled-variance"].fields["Answer"])
    assert f"Key: {number.answer}" in back.said("en")
    assert "给成了标准差" in back.said("zh")


def test_the_same_sheet_gives_the_same_bytes_in_every_mode(
    bank: Bank, card: Card, quantities: Quantities, sheet: Sheet
) -> None:
    first = package(sheet_of([card], bank, quantities))
    assert first == package(sheet)
    for mode in ("paper", "key"):
        assert package(replace(sheet, mode=mode)) == first


def test_one_language_stands_alone(sheet: Sheet) -> None:
    for language, other in (("en", "zh"), ("zh", "en")):
        notes, media, _ = opened(package(replace(sheet, languages=(language,))))
        lang = {"en": 'lang="en"', "zh": 'lang="zh-Hans"'}
        for note in notes.values():
            assert lang[other] not in str(note.fields)
        assert all(f' lang="{other}"'.encode() not in drawn for drawn in media.values())
        assert len(notes) == 4


def test_a_note_is_as_old_as_the_part_of_the_card_it_says(sheet: Sheet, bank: Bank, card: Card) -> None:
    times = revised(bank)
    of_part = {f"proofdeck/{part}": when for part, when in times.items() if part.startswith(f"{card.id}")}
    notes, _, _ = opened(package(sheet))
    assert {guid: note.modified for guid, note in notes.items()} == {
        guid: max(of_part[guid], LAYOUT_REVISED) for guid in notes
    }
    later = LAYOUT_REVISED + 10**6
    moved, _, _ = opened(package(replace(sheet, revised={**times, f"{card.id}/what-the-root-does": later})))
    newer = {guid for guid in notes if moved[guid].modified > notes[guid].modified}
    assert newer == {f"{ID}/what-the-root-does"}


def test_the_note_types_are_frozen(sheet: Sheet) -> None:
    _, _, types = opened(package(sheet))
    spare = [f"Spare {number}" for number in range(1, 6)]
    frozen = {
        "Proofdeck": ("1583204611", 0, [
            "Question", "Spoken", "Answer", "Key points", "Trap", "Follow-ups", "Plots", "Proof", "Sources", "Card", *spare,
        ]),
        "Proofdeck cloze": ("1583204612", 1, ["Text", "Extra", "Sources", "Card", *spare]),
    }  # fmt: skip
    assert {
        name: (str(model["id"]), model["type"], [field["name"] for field in model["flds"]])
        for name, model in types.items()
    } == frozen
    assert [len(model["tmpls"]) for model in types.values()] == [1, 1]
    drawn = json.dumps([[model["tmpls"], model["css"]] for model in types.values()], sort_keys=True)
    pinned = (note_type.STYLE_REVISED, hashlib.sha256(drawn.encode()).hexdigest()[:16])
    assert pinned == (1796032800, "5b9a10ffce25d6ca"), (
        "templates or style changed: move STYLE_REVISED on, then pin both"
    )
    for model in types.values():
        assert model["mod"] == note_type.STYLE_REVISED


def test_what_is_written_of_an_unchanged_card_is_pinned(
    bank: Bank, card: Card, quantities: Quantities
) -> None:
    plainly = replace(
        card,
        demos=(),
        question=same("Why $\\sqrt{d_k}$ & not `d_k`?"),
        **dict.fromkeys(("spoken", "answer"), same("- a {{b}}\n- c")),
    )
    notes, _, _ = opened(package(sheet_of([plainly], bank, quantities, language="en")))
    said = json.dumps([[*note.fields.values(), *note.tags] for note in notes.values()])
    pinned = (LAYOUT_REVISED, hashlib.sha256(said.encode()).hexdigest()[:16])
    assert pinned == (1796032800, "c246a6b7478c3069"), (
        "fields are written anew: move LAYOUT_REVISED on, then pin both"
    )


def test_hostile_cards_are_text(bank: Bank, hostile_card: Card, quantities: Quantities) -> None:
    hostile = replace(hostile_card, tags=("with space", "a\u3000b\x1b", "[sound:x]"), kind="full")
    notes, media, _ = opened(package(sheet_of([hostile], bank, quantities)))
    for note in notes.values():
        for name, html in note.fields.items():
            read = Reader(html)
            assert "script" not in read.tags
            assert "[sound:" not in html
            assert "\x1b" not in html
            assert "\u202e" not in html
            assert all(link.startswith("https://") for link in read.links)
            assert set(read.images) <= set(media), name
    question = Reader(notes[f"{ID}#question"].fields["Question"])
    assert question.said("en") == visible(source(hostile.question.en))
    assert notes[f"{ID}#key-points"].cards == 3
    assert "{{c1::x}}" in Reader(notes[f"{ID}#question"].fields["Answer"]).said("en")
    assert HOSTILE[:25] in question.said("en")


def test_a_card_of_ones_own_without_words_still_has_a_front(
    bank: Bank, card: Card, quantities: Quantities
) -> None:
    own = replace(
        card, id="mine", kind="plain", question=same("\u200b"), answer=same("An answer."), topic="own", verdict="unchecked",
        key_points=(), follow_ups=(), sources=(), demos=(), drills=(), tags=("residual",),
    )  # fmt: skip
    notes, media, _ = opened(package(sheet_of([own], bank, quantities)))
    (note,) = notes.values()
    assert note.cards == 1
    assert note.decks == {"Proofdeck::own"}
    assert "residual" in note.tags
    assert Reader(note.fields["Question"]).said("en") == "mine"
    assert Reader(note.fields["Answer"]).said("en") == "An answer."
    assert Reader(note.fields["Proof"]).said("zh") == "没有演示：只能相信。"
    assert media == {}


def test_our_own_importer_reads_the_texts_back(
    tmp_path: Path, sheet: Sheet, card: Card, quantities: Quantities
) -> None:
    path = tmp_path / "cards.apkg"
    path.write_bytes(package(sheet_of([card], _bank(sheet), quantities, language="en")))
    imported = import_deck(path, tmp_path / "deck.yaml")
    assert imported.left == ()
    # a question, a card for each of three gaps, two drills
    assert len(imported.taken) == 6
    questions = [source(question) for _, _, question in imported.taken]
    assert questions[0] == source(card.question.en)
    written = squeezed((tmp_path / "deck.yaml").read_text(encoding="utf-8"))
    ready = filled(replace(card, drills=()), quantities.fill)
    for text in (ready.trap.popular, ready.trap.correction, *(point.text for point in ready.key_points)):
        assert squeezed(text.en).rstrip(".") in written
    assert r"$$\operatorname{Var}(q \cdot k) = d_k \sigma^4$$" in written
    assert "`scores = q @ k.mT / d_k**0.5`" in written


def _bank(sheet: Sheet) -> Bank:
    return Bank(sheet.cards, (), lambda: sheet.bibliography)


def test_the_format_is_offered() -> None:
    assert FORMATS["apkg"].binary
    assert FORMATS["apkg"].ending == ".apkg"
