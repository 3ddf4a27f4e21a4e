"""Regenerates tests/data/fsrs_traces.json: what the pinned py-fsrs does with eight review histories.

    python -m tests.learning.fsrs_traces

Days count from the first review; the library is called directly, with its fuzz off. A new version of the
library that schedules otherwise makes the test of these traces fail.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from importlib.metadata import version
from pathlib import Path

TRACES = Path(__file__).parent.parent / "data" / "fsrs_traces.json"

# name: (day, rating) of each review
HISTORIES: dict[str, list[tuple[int, int]]] = {
    "good all along": [(0, 3), (0, 3), (2, 3), (13, 3), (60, 3), (240, 3)],
    "easy at once": [(0, 4), (8, 4), (60, 4)],
    "again, again, then it holds": [(0, 1), (0, 1), (0, 3), (0, 3), (1, 3), (5, 3)],
    "hard all along": [(0, 2), (0, 2), (0, 3), (0, 3), (2, 2), (5, 2), (11, 2)],
    "forgotten when mature": [(0, 3), (0, 3), (2, 3), (13, 3), (60, 1), (60, 3), (64, 3)],
    "forgotten, relearned hard": [(0, 4), (9, 1), (9, 2), (9, 1), (9, 3), (10, 3)],
    "seen long before it was due": [(0, 3), (0, 3), (1, 3), (1, 3), (2, 4)],
    "seen a year late": [(0, 3), (0, 3), (370, 3), (1100, 1), (1100, 4)],
}


def trace(history: list[tuple[int, int]]) -> list[dict[str, object]]:
    """The library's state after each review."""
    import fsrs

    scheduler = fsrs.Scheduler(enable_fuzzing=False)
    start = datetime(2026, 1, 5, tzinfo=UTC)
    card = fsrs.Card(card_id=1, due=start)
    states = []
    for day, rating in history:
        at = start + timedelta(days=day)
        card, _ = scheduler.review_card(card, fsrs.Rating(rating), at)
        states.append(
            {
                "day": day,
                "rating": rating,
                "phase": card.state.name.lower(),
                "step": card.step,
                "stability": card.stability,
                "difficulty": card.difficulty,
                "interval_seconds": (card.due - at).total_seconds(),
            }
        )
    return states


def main() -> None:
    document = {"fsrs": version("fsrs"), "traces": {name: trace(given) for name, given in HISTORIES.items()}}
    TRACES.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
