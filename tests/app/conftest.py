"""The app's tests run on the sample deck alone, so they hold whatever cards are shipped."""

from __future__ import annotations

from pathlib import Path

import pytest

import quizbank.bank
from tests.app.driving import SAMPLE


@pytest.fixture(autouse=True)
def deck(monkeypatch: pytest.MonkeyPatch) -> Path:
    bibliography = quizbank.bank.SHIPPED / quizbank.bank.BIBLIOGRAPHY
    monkeypatch.setattr(
        quizbank.bank, "shipped_deck", lambda: quizbank.bank.Deck((SAMPLE,), "sample", bibliography)
    )
    return SAMPLE
