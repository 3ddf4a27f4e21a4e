"""The app's tests run on the sample deck alone, so they hold whatever cards are shipped."""

from __future__ import annotations

from pathlib import Path

import pytest

import quizbank.bank
from tests.app.driving import SAMPLE


@pytest.fixture(autouse=True)
def deck(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Path:
    # proofs and numbers are kept by the engine's own digest, so they may be kept from run to run
    monkeypatch.setenv("PROOFDECK_TEST_CACHE", str(request.config.cache.mkdir("proofdeck")))
    bibliography = quizbank.bank.SHIPPED / quizbank.bank.BIBLIOGRAPHY
    monkeypatch.setattr(
        quizbank.bank, "shipped_deck", lambda: quizbank.bank.Deck((SAMPLE,), "sample", bibliography)
    )
    return SAMPLE


@pytest.fixture(autouse=True)
def settled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pauses last until the screen stands."""
    from textual.pilot import Pilot

    from tests.settled import pausing_until_settled

    monkeypatch.setattr(Pilot, "pause", pausing_until_settled(Pilot.pause))


@pytest.fixture(autouse=True)
def lasting_notices(monkeypatch: pytest.MonkeyPatch) -> None:
    """A notice is still there when a busy machine comes to look at it."""
    from tui.app import ProofdeckApp

    monkeypatch.setattr(ProofdeckApp, "NOTIFICATION_TIMEOUT", 3600)
