"""The language key on every screen: at once, in place, nothing of the other language left."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from textual.pilot import Pilot

from tests.app.driving import SIZES, make_app, press, rows, settle, text
from tests.app.test_words import HAN, interface_texts
from tui.app import ProofdeckApp

CLOSING = tuple("，。、；：？！）》”’」』】")
OPENING = tuple("（《“‘「『【")

TOUR: dict[str, tuple[str, ...]] = {
    "home": (),
    "keys": ("question_mark",),
    "palette": ("colon",),
    "lab": ("l",),
    # of an English sheet: how it begins is shown in its own languages
    "sheets": ("e", "down", "down", "down", "left"),
    "interviewer": ("i",),
    "how far off": ("o",),
    "workbench": ("w",),
    "study, question": ("s",),
    "study, spoken": ("s", "space"),
    "study, full": ("s", "space", "space"),
    "cards": ("b",),
    "card, answer": ("b", "enter"),
    "card, derivation": ("b", "enter", "d", "space"),
    "card, lab before the guess": ("b", "enter", "l"),
    "card, lab": ("b", "enter", "l", "enter"),
    "card, follow-ups": ("b", "enter", "f", "enter"),
    "card, sources": ("b", "enter", "s"),
    "study, over": ("s", "space", "4"),
}


def phrases() -> list[str]:
    """English phrases of the interface that could be left behind: two words or more, without placeholders."""
    return [said.en for said in interface_texts() if re.fullmatch(r"[^{}]*\w+ \w+[^{}]*", said.en)]


NARROW = ("card, derivation", "card, lab", "sheets")


@pytest.mark.parametrize(
    ("size", "places"), [pytest.param(SIZES[0], tuple(TOUR), marks=pytest.mark.slow), (SIZES[1], NARROW)]
)
async def test_the_language_key_leaves_nothing_of_the_other_language(
    home: Path, size: tuple[int, int], places: tuple[str, ...]
) -> None:
    app = make_app(home)
    async with app.run_test(size=size) as pilot:
        await settle(pilot)
        for place in places:
            keys = TOUR[place]
            await press(pilot, *keys)
            await _check(app, pilot, place)
            while len(app.screen_stack) > 1:
                await press(pilot, "escape")


async def _check(app: ProofdeckApp, pilot: Pilot[int], place: str) -> None:
    english = rows(app)
    assert not HAN.search(text(app).replace("中文", "")), f"{place}\n{text(app)}"
    await press(pilot, "f2")
    chinese = rows(app)
    assert HAN.search(text(app).replace("中文", "")), f"{place}\n{text(app)}"
    left = [phrase for phrase in phrases() if phrase in text(app)]
    assert not left, f"{place}: {left}"
    for row in chinese:
        assert not row.lstrip(" ▸").startswith(CLOSING), f"{place}: {row}"
        assert not row.rstrip().endswith(OPENING), f"{place}: {row}"
    await press(pilot, "f2")
    assert rows(app) == english, place
