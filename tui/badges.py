"""The tone of a step's badge. Its sign and words are :mod:`engine.proof.words`, and suffice alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from engine.proof.step import Decided

Tone = Literal["good", "false", "plain", "bad"]


def tone(step: Decided) -> Tone:
    """How a step that came out this way should look.

    ``good``: decided as its author claims. ``false``: a popular error, refuted as it should be; its
    statement must not look like a result. ``plain``: a definition or a source's word, which nothing
    decided. ``bad``: undecided, or another outcome than claimed.
    """
    if not step.ok or step.status == "undecided":
        return "bad"
    if step.status == "refuted":
        return "false"
    return "plain" if step.status in ("defined", "cited") else "good"
