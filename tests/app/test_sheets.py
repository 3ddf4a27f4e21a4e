"""Writing an answer sheet from the app."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.text import Language
from tests.app.driving import SIZES, make_app, press, settle, text


@pytest.mark.parametrize(
    ("language", "size"), [pytest.param("en", SIZES[0], marks=pytest.mark.slow), ("zh", SIZES[1])]
)
async def test_a_sheet_is_written_and_never_replaced_unasked(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, language: Language, size: tuple[int, int]
) -> None:
    monkeypatch.chdir(tmp_path)
    app = make_app(home, language)
    async with app.run_test(size=size) as pilot:
        await settle(pilot)
        # Markdown, questions only: nothing has to be proved for it
        await press(pilot, "e", "down", "right", "down", "right", "enter")
        written = tmp_path / "proofdeck-cards.md"
        assert "√" in written.read_text(encoding="utf-8") or "sqrt" in written.read_text(encoding="utf-8")
        assert {"en": "Written", "zh": "已写出"}[language] in text(app)
        written.write_text("mine", encoding="utf-8")
        await press(pilot, "enter")
        assert written.read_text(encoding="utf-8") == "mine"
        assert {"en": "already there", "zh": "已存在"}[language] in text(app)
        await press(pilot, "enter")
        assert written.read_text(encoding="utf-8") != "mine"


async def test_a_path_that_cannot_be_written_is_one_line(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    app = make_app(home, "en")
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, "e", "end")
        await press(pilot, "ctrl+u", *"no/such.md", "enter")
        assert "there is no folder" in text(app)
        assert "Traceback" not in text(app)
    assert list(tmp_path.iterdir()) == [home] if home.exists() else True
