"""A paste is text, whatever it holds and however the terminal cuts it into pieces."""

from __future__ import annotations

import sys
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual import events
from textual.drivers.linux_driver import LinuxDriver
from textual.drivers.web_driver import WebDriver

from tui.pasting import (
    BRACKETED_PASTE_END,
    BRACKETED_PASTE_START,
    PasteFilter,
    PastingParser,
    XTermParser,
    filter_pastes,
)

PASTED = "softmax\x1b[2J d_k\r\n方差\x07 \x1b]52;c;x\x07q\x1b"
PLAIN = "softmax[2J d_k\r\n方差 ]52;c;xq"


def cut(text: str, places: list[int]) -> list[str]:
    ends = sorted({*(place % (len(text) + 1) for place in places), 0, len(text)})
    return [text[start:end] for start, end in pairwise(ends)]


@given(st.lists(st.integers(0, 500), max_size=12))
def test_a_paste_in_pieces_is_one_paste_of_its_text_and_keys_around_it_are_keys(places: list[int]) -> None:
    sent = f"a{BRACKETED_PASTE_START}{PASTED}{BRACKETED_PASTE_END}b\x1b[A"
    parser = PastingParser()
    tokens = [token for piece in cut(sent, places) for token in parser.feed(piece)]
    assert [token.text for token in tokens if isinstance(token, events.Paste)] == [PLAIN]
    assert [token.key for token in tokens if isinstance(token, events.Key)] == ["a", "b", "up"]


@given(st.lists(st.text("a[201~0\x1b\r", max_size=12), max_size=8))
def test_what_is_not_pasted_goes_through_as_it_came(pieces: list[str]) -> None:
    through = PasteFilter()
    if BRACKETED_PASTE_START not in "".join(pieces):
        assert [through(piece) for piece in pieces] == pieces


@pytest.mark.parametrize("driver", [LinuxDriver, WebDriver])
def test_the_terminal_and_the_browser_of_the_app_are_read_through_the_filter(
    driver: type[LinuxDriver | WebDriver], monkeypatch: pytest.MonkeyPatch
) -> None:
    module = sys.modules[driver.__module__]
    monkeypatch.setattr(module, "XTermParser", XTermParser)
    filter_pastes(driver)
    assert "XTermParser" in driver.run_input_thread.__code__.co_names
    assert module.XTermParser is PastingParser
