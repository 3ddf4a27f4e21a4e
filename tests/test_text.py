"""Texts with places to fill: the words beside a number agree with it."""

from __future__ import annotations

import pytest

from engine.text import Text

KEPT = Text("{n} {n:card is|cards are} kept, {share:.0%}", "保存 {n} 张，{share:.0%}")


@pytest.mark.parametrize(
    ("n", "en"), [(0, "0 cards are kept, 50%"), (1, "1 card is kept, 50%"), (2, "2 cards are kept, 50%"), ("1", "1 card is kept, 50%")]
)  # fmt: skip
def test_a_word_beside_a_number_agrees_with_it(n: object, en: str) -> None:
    assert KEPT.filled(n=n, share=0.5) == (en, f"保存 {n} 张，50%")


def test_what_is_filled_in_is_never_read_as_a_place_or_as_a_choice() -> None:
    text = Text("{n} {n:card|cards}: {said}", "{n} 张：{said}")
    assert text.filled(n=1, said="{n:x|y} {0}").en == "1 card: {n:x|y} {0}"


def test_a_place_nobody_fills_is_a_fault_of_the_text() -> None:
    for template in ("{missing}", "{missing:card|cards}"):
        with pytest.raises(KeyError):
            Text(template, template).filled(n=1)
