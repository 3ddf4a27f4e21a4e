"""Loading the bank: fast from a cache that cannot lie, and never ended by a person's own deck."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import quizbank
from engine.errors import InputError
from quizbank import bank as bank_module
from quizbank.bank import Bank, load_bank
from quizbank.card import DerivationDrill, ExpressionDrill
from quizbank.card_cache import CardCache, packed, unpacked_card
from quizbank.home import Home
from tests.bank.decks import SAMPLE, age, changed, sample_card, write


@pytest.fixture
def bare(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    """A home, and a program that ships one card: the sample."""
    shipped = tmp_path / "quizbank"
    write(shipped / "cards", name="attention.yaml")
    for name in ("bibliography.yaml", "claims.yaml"):
        (shipped / name).write_bytes((SAMPLE.parents[2] / "quizbank" / name).read_bytes())
    for path in shipped.rglob("*.yaml"):
        age(path)
    monkeypatch.setattr(bank_module, "SHIPPED", shipped)
    return Home.in_folder(tmp_path / "home")


def cache_files(home: Home) -> list[Path]:
    return sorted((home.cache / "cards").glob("cards-*.json"))


def forbid_reading(monkeypatch: pytest.MonkeyPatch) -> None:
    import quizbank.card_file

    def refuse(*_: object) -> None:
        raise AssertionError("the file was read again")

    monkeypatch.setattr(quizbank.card_file, "read_card_file", refuse)


def test_the_shipped_bank_loads_and_its_cards_are_found_by_id() -> None:
    bank = load_bank(Home.from_environment())
    assert bank.faults == ()
    assert all(bank.card(card.id) is card for card in bank.cards)


def test_the_second_load_comes_from_the_cache_and_is_the_same(
    bare: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = load_bank(bare)
    assert len(cache_files(bare)) == 1
    forbid_reading(monkeypatch)
    second = load_bank(bare)
    assert second.cards == first.cards
    assert second.fingerprint == first.fingerprint
    assert second.bibliography == first.bibliography
    assert second.claims == first.claims


def test_a_card_survives_the_cache_whole() -> None:
    card = sample_card()
    assert unpacked_card(packed(card)) == card


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: b"",
        lambda data: data[: len(data) // 2],
        lambda data: data.replace(b"imprecise", b"true     "),
        lambda data: b"\x80\x04K*.",
        lambda data: b"x\n[]",
        lambda data: data[:-1] + b"\xff",
    ],
)
def test_a_damaged_cache_is_made_again(bare: Home, damage: object) -> None:
    before = load_bank(bare)
    (file,) = cache_files(bare)
    good = file.read_bytes()
    file.write_bytes(damage(good))  # type: ignore[operator]
    assert load_bank(bare).cards == before.cards
    assert file.read_bytes() == good


def test_an_edited_card_file_is_seen_at_once(bare: Home, tmp_path: Path) -> None:
    path = write(tmp_path / "deck", ("level: core", "level: deep"), ("sample-attention-scale", "mine"))
    age(path, 20)
    assert load_bank(bare, [path]).card("mine").level == "deep"
    path.write_text(path.read_text(encoding="utf-8").replace("level: deep", "level: core"), encoding="utf-8")
    age(path)
    assert load_bank(bare, [path]).card("mine").level == "core"


def test_another_version_of_the_program_does_not_trust_the_cache(
    bare: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    load_bank(bare)
    monkeypatch.setattr("quizbank.card_cache.__version__", "0.0.0")
    forbid_reading(monkeypatch)
    with pytest.raises(AssertionError, match="read again"):
        load_bank(bare)


def test_a_cache_folder_that_cannot_be_written_is_no_error(bare: Home) -> None:
    bare.data_folder()
    (bare.data / "cache").write_text("in the way", encoding="utf-8")
    assert len(load_bank(bare).cards) == 1
    assert load_bank(bare).bibliography


def test_a_file_that_has_just_changed_is_not_kept_yet(tmp_path: Path) -> None:
    path = write(tmp_path)
    cache = CardCache(tmp_path / "cache")
    stamp = [[str(path), 1, path.stat().st_mtime_ns + 10**12]]
    cache.put("cards", stamp, [])
    assert cache.get("cards", stamp) is None


def test_cards_stand_in_the_order_of_topics(bare: Home, tmp_path: Path) -> None:
    deck = tmp_path / "deck"
    write(deck, ("topic: attention", "topic: memory"), ("sample-attention-scale", "b"), name="1.yaml")
    write(deck, ("topic: attention", "topic: rnn"), ("sample-attention-scale", "a"), name="2.yaml")
    assert [card.topic for card in load_bank(bare, [deck]).cards] == ["rnn", "attention", "memory"]


def test_faults_of_a_deck_are_listed_and_its_good_cards_are_there(bare: Home, tmp_path: Path) -> None:
    deck = tmp_path / "deck"
    good = write(deck, ("sample-attention-scale", "mine"), name="good.yaml")
    bad = write(deck, ("level: core", "level: easy"), name="bad.yaml")
    bank = load_bank(bare, [deck])
    assert {card.id for card in bank.cards} == {"sample-attention-scale", "mine"}
    assert bank.card("mine").place.startswith(str(good))
    assert [fault.where for fault in bank.faults] == [f"{bad}:6:12"]
    # and the same from the cache
    age(good)
    age(bad)
    load_bank(bare, [deck])
    assert load_bank(bare, [deck]).faults == bank.faults


def test_an_id_that_is_taken_is_a_fault_that_names_both_places(bare: Home, tmp_path: Path) -> None:
    path = write(tmp_path / "deck")
    bank = load_bank(bare, [path])
    assert len(bank.cards) == 1
    (fault,) = bank.faults
    assert fault.where == f"{path}:5:5"
    assert "quizbank/cards/attention.yaml:5:5" in fault.what.en


def test_a_deck_that_is_not_there_is_a_wrong_call(bare: Home, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    for path in (tmp_path / "nothing", tmp_path / "empty"):
        with pytest.raises(InputError, match="no card file") as raised:
            load_bank(bare, [path])
        assert raised.value.where == str(path)


def test_a_deck_may_bring_its_own_sources(bare: Home, tmp_path: Path) -> None:
    path = write(tmp_path / "deck", ("sample-attention-scale", "mine"), ("key: vaswani-2017", "key: me-2024"))
    entry = "- {key: me-2024, authors: [Me], year: 2024, title: T, venue: V, url: 'https://me.example'}\n"
    (path.parent / "bibliography.yaml").write_text(entry, encoding="utf-8")
    bank = load_bank(bare, [path.parent])
    assert bank.faults == ()
    assert bank.bibliography["me-2024"].title == "T"
    assert "vaswani-2017" in bank.bibliography


def test_a_damaged_shipped_bank_fails_loudly_and_check_can_still_list_it(bare: Home, tmp_path: Path) -> None:
    path = tmp_path / "quizbank" / "cards" / "attention.yaml"
    path.write_text(changed(("level: core", "level: easy"), ("rel: 0.01", "rel: x")), encoding="utf-8")
    with pytest.raises(InputError, match=r"shipped bank is damaged.*1 more") as raised:
        load_bank(bare)
    assert raised.value.where == "quizbank/cards/attention.yaml:6:12"
    assert len(load_bank(bare, lenient=True).faults) == 2


def test_a_deck_whose_name_is_no_text_is_kept_and_told_safely(bare: Home, tmp_path: Path) -> None:
    folder = os.fsdecode(bytes(tmp_path) + b"/\xff\x1b[2J")
    path = write(Path(folder), ("sample-attention-scale", "mine"), ("level: core", "level: easy"))
    age(path)
    for _ in range(2):
        (fault,) = load_bank(bare, [path]).faults
        assert fault.where.isprintable()
    assert len(cache_files(bare)) == 2


def test_an_unknown_card_gets_the_nearest_names(bare: Home) -> None:
    bank = load_bank(bare)
    with pytest.raises(InputError, match="sample-attention-scale"):
        bank.card("sample-atention-scale")
    with pytest.raises(InputError) as raised:
        bank.card("\x1b[2J")
    assert "\x1b" not in raised.value.line("zh")


def test_the_fingerprint_is_of_what_the_cards_say(bare: Home) -> None:
    card = sample_card()
    moved = unpacked_card([*packed(card)[:-1], "elsewhere.yaml:1"])
    reworded = unpacked_card([*packed(card)[:2], "expert", *packed(card)[3:]])
    assert Bank([card]).fingerprint == Bank([moved]).fingerprint != Bank([reworded]).fingerprint


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=50)
@given(data=st.binary(max_size=200))
def test_no_bytes_in_the_cache_end_the_program(bare: Home, data: bytes) -> None:
    load_bank(bare)
    for file in cache_files(bare):
        file.write_bytes(data)
    assert "sample-attention-scale" in load_bank(bare)


def test_a_start_from_the_cache_imports_neither_yaml_nor_pydantic_nor_numpy(
    bare: Home, tmp_path: Path
) -> None:
    code = (
        "import sys; from pathlib import Path; from quizbank import bank; from quizbank.home import Home;"
        f"bank.SHIPPED = Path({str(tmp_path / 'quizbank')!r});"
        f"found = bank.load_bank(Home.in_folder(Path({str(bare.data)!r})));"
        "found.bibliography, found.claims, found.fingerprint;"
        "print(len(found.cards), [m for m in ('yaml', 'pydantic', 'numpy', 'sympy') if m in sys.modules])"
    )
    outputs = [
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
        for _ in range(2)
    ]
    assert outputs == ["1 ['yaml', 'pydantic']\n", "1 []\n"]


def test_the_version_is_that_of_the_distribution() -> None:
    assert quizbank.__version__ == version("proofdeck")


def test_weights_that_sum_to_one_are_declared_to() -> None:
    found = {
        f"{card.id}/{drill.id}": [name for name, kind in drill.symbols.items() if kind == "vec:prob"]
        for card in load_bank(Home.from_environment()).cards.full
        for drill in card.drills
        if isinstance(drill, ExpressionDrill | DerivationDrill)
        and any(kind == "vec:prob" and name not in drill.where for name, kind in drill.symbols.items())
    }
    # all are outputs of a softmax or labels; a vector of separate probabilities would be named here
    assert found == {}
