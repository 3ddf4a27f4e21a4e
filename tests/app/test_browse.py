"""Browsing: the list follows every key, filters say what they leave, back keeps the place."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

import quizbank.bank
from engine.demos import load
from engine.text import Language
from quizbank.card import TOPICS
from tests.app.driving import SIZES, make_app, press, rows, settle, text
from tests.bank.decks import several
from tui.app import ProofdeckApp
from tui.screens.browse import BrowseScreen
from tui.screens.card import CardScreen
from tui.widgets.menu import Menu

WORDS = {
    "gates": ("How does an LSTM forget?", "LSTM 如何遗忘？"),
    "cells": ("How does an LSTM cell add?", "LSTM 的细胞如何相加？"),
    "weights": ("What are the weights for $n = 8$?", "$n = 8$ 时权重是什么？"),
    "masks": ("Which masks are there?", "掩码有哪些？"),
    "causal": ("What does a causal mask hide?", "因果掩码遮住什么？"),
    "bptt": ("How far back goes truncation?", "截断回溯多远？"),
    "clip": ("What does clipping not do?", "裁剪做不到什么？"),
    "serial": (
        "Why is it serial, and must it be, now that everything else is done at once?",
        "为什么只能串行？",
    ),
}


@pytest.fixture(autouse=True)
def many(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Eight cards of two topics, half of each level, verdict and demonstration."""

    def changes(place: int, name: str) -> list[tuple[str, str]]:
        en, zh = WORDS[name]
        made = [
            ("sample-attention-scale", name),
            ("Why are attention scores divided by $\\sqrt{d_k}$?", en),
            ("注意力分数为什么要除以 $\\sqrt{d_k}$？", zh),
        ]
        made += [("level: core", "level: deep")] if place % 2 else []
        made += [("verdict: imprecise", "verdict: false")] if place in (0, 1, 4) else []
        return made + ([("id: D19\n        set: {d_k: 256}", "id: D20")] if place in (2, 6) else [])

    decks = [
        several(tmp_path / "decks", *(changes(*pair) for pair in enumerate(WORDS) if pair[0] < 5)),
        several(
            tmp_path / "decks",
            *(changes(*pair) for pair in enumerate(WORDS) if pair[0] >= 5),
            name="rnn.yaml",
        ),
    ]
    decks[1].write_text(
        decks[1].read_text(encoding="utf-8").replace("topic: attention", "topic: rnn"), encoding="utf-8"
    )
    monkeypatch.setattr(quizbank.bank, "shipped_deck", lambda: quizbank.bank.Deck(tuple(decks), "cards"))


def browse(app: ProofdeckApp) -> BrowseScreen:
    assert isinstance(app.screen, BrowseScreen)
    return app.screen


def listed(app: ProofdeckApp) -> list[str]:
    return [item.id for item in app.screen.query_one(Menu).items if item.role == "entry"]


@pytest.mark.slow
@pytest.mark.parametrize("size", [pytest.param(SIZES[0], marks=pytest.mark.slow), SIZES[1]])
@pytest.mark.parametrize(("language", "words"), [("en", "lstm"), ("zh", "掩码")])
async def test_the_list_and_the_count_follow_every_key(
    home: Path, size: tuple[int, int], language: Language, words: str
) -> None:
    app = make_app(home, language)
    async with app.run_test(size=size) as pilot:
        await settle(pilot)
        await press(pilot, "b", "slash")
        counts = []
        for end in range(len(words) + 1):
            await press(pilot, *words[end - 1 : end])
            index = app.workspace.bank.index
            assert listed(app) == [card.id for card in index.found(words[:end])]
            counts.append(len(listed(app)))
            among = {"en": f"{counts[-1]} of {len(app.workspace.bank.cards)}", "zh": f"{counts[-1]} / "}[
                language
            ]
            assert among in rows(app)[0]
        assert counts == sorted(counts, reverse=True)
        assert 0 < counts[-1] < counts[0]
        assert words in rows(app)[1]


async def test_a_card_opens_from_the_words_and_back_keeps_the_place(home: Path) -> None:
    app = make_app(home, "en")
    async with app.run_test(size=(60, 20)) as pilot:
        await settle(pilot)
        await press(pilot, "b", "slash", *"mas", "down")
        assert "Enter Open" in " ".join(rows(app)[-2:])
        item = app.screen.query_one(Menu).item
        assert item is not None
        assert item.id == listed(app)[1] == "masks"
        await press(pilot, "enter")
        assert isinstance(app.screen, CardScreen)
        await press(pilot, "escape")
        assert browse(app).query_one(Menu).item == item
        assert browse(app).wanted.text == "mas"
        # in the list, where letters are keys, and from there home
        await press(pilot, "k")
        assert browse(app).wanted.text == "mas"
        assert browse(app).query_one(Menu).item.id == listed(app)[0]
        await press(pilot, "escape")
        assert not isinstance(app.screen, BrowseScreen)


@pytest.mark.parametrize("size", [pytest.param(SIZES[0], marks=pytest.mark.slow), SIZES[1]])
async def test_filters_say_what_they_leave_and_hold_together(home: Path, size: tuple[int, int]) -> None:
    app = make_app(home, "zh")
    async with app.run_test(size=size) as pilot:
        await settle(pilot)
        await press(pilot, "b")
        everything = listed(app)
        for key, value in (("t", "attention"), ("l", "core"), ("v", "false"), ("d", "D19")):
            await press(pilot, key)
            menu = app.screen.query_one(Menu)
            left = next(item.note for item in menu.items if item.id == value)
            menu.fill(menu.items, at=value)
            await press(pilot, "enter")
            assert len(listed(app)) == int(left) > 0
        wanted = browse(app).wanted
        assert (wanted.topics, wanted.level, wanted.verdict, wanted.demo) == (
            ("attention",), "core", "false", "D19",
        )  # fmt: skip
        assert "主题 注意力 · 难度 基础 · 判定 有误 · 演示 D19"[:20] in rows(app)[2]
        assert [card.id for card in browse(app).cards] == listed(app)
        await press(pilot, "x")
        assert listed(app) == everything
        assert "主题" not in rows(app)[2]


async def test_a_filter_left_with_escape_changes_nothing_and_any_takes_it_off(home: Path) -> None:
    app = make_app(home, "en")
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, "b")
        everything = listed(app)
        await press(pilot, "l", "down", "escape")
        assert listed(app) == everything
        await press(pilot, "l", "down", "enter")
        assert 0 < len(listed(app)) < len(everything)
        await press(pilot, "l", "home", "enter")
        assert listed(app) == everything


async def test_nothing_found_is_said_and_undone_with_one_key(home: Path) -> None:
    app = make_app(home, "en")
    async with app.run_test(size=(60, 20)) as pilot:
        await settle(pilot)
        await press(pilot, "b", "slash", *"zebra")
        assert "No card matches. Outside the words, x shows all again." in text(app)
        assert "0 of" in rows(app)[0]
        await press(pilot, "escape", "x")
        assert listed(app)
        assert "zebra" not in text(app)


async def test_of_very_many_cards_more_are_listed_as_one_goes_down(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, number in (("AT_ONCE", 0), ("SHOWN", 3), ("NEAR_END", 1)):
        monkeypatch.setattr(f"tui.screens.browse.{name}", number)
    app = make_app(home, "en")
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, "b")
        cards = [card.id for card in browse(app).cards]
        assert listed(app) == cards[:3]
        assert len(cards) == 8
        assert "5 more come as you go down" in text(app)
        await press(pilot, "down", "down")
        assert listed(app) == cards[:6]
        await press(pilot, "end", "end")
        assert listed(app) == cards
        assert "more come" not in text(app)
        # filters and words are of all the cards, and begin at the top again
        await press(pilot, "l")
        left = {item.id: int(item.note) for item in app.screen.query_one(Menu).items}
        assert left["*"] == left["core"] + left["deep"] == 8
        await press(pilot, "escape", "slash", *"mas")
        assert listed(app) == [card.id for card in app.workspace.bank.index.found("mas")]
        await press(pilot, "backspace", "backspace", "backspace")
        assert listed(app) == cards[:3]


async def test_the_language_changes_in_place(home: Path) -> None:
    app = make_app(home, "en")
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, "b", "slash", *"lstm", "down")
        before, item = listed(app), app.screen.query_one(Menu).item
        await press(pilot, "f2")
        assert listed(app) == before
        now = app.screen.query_one(Menu).item
        assert item is not None
        assert now is not None
        assert (now.id, now.text == item.text) == (item.id, False)


async def test_a_demonstration_and_a_topic_open_their_cards(home: Path) -> None:
    app = make_app(home, "en")
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        for screen in (BrowseScreen("attention"), BrowseScreen(demo="D20")):
            app.push_screen(screen)
            await settle(pilot)
            cards = [app.workspace.bank.card(card) for card in listed(app)]
            assert cards
            assert all(
                card.topic == "attention" if screen.wanted.topics else any(d.id == "D20" for d in card.demos)
                for card in cards
            )
            assert all(TOPICS.index(a.topic) <= TOPICS.index(b.topic) for a, b in pairwise(cards))
            await press(pilot, "escape")


async def test_demonstrations_are_chosen_by_their_titles_in_the_persons_language(home: Path) -> None:
    titles = {language: str(getattr(load("D20").title, language)) for language in ("zh", "en")}
    app = make_app(home, "zh")
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        app.push_screen(BrowseScreen())
        await settle(pilot)
        await press(pilot, "d")
        assert f"D20 {titles['zh']}" in text(app)
        assert load("D20").name not in text(app)
        await press(pilot, "end", "enter")
        assert f"D20 {titles['zh']}" in text(app)
        await press(pilot, "f2")
        assert f"D20 {titles['en']}" in text(app)
