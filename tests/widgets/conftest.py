"""Widgets are looked at when the screen stands."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def settled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pauses last until the screen stands."""
    from textual.pilot import Pilot

    from tests.settled import pausing_until_settled

    monkeypatch.setattr(Pilot, "pause", pausing_until_settled(Pilot.pause))
