"""How far and how much is planned. No NumPy: a screen may ask before it plans."""

from __future__ import annotations

USUAL_MINUTES = 20
MOST_MINUTES = 600
FURTHEST_DAYS = 365
PLANNED_DAYS = 30
"""Days before the interview that are planned one by one; until then plain spaced repetition does as well."""
