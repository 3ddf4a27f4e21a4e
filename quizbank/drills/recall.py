"""Recall: the person writes, then ticks key points. Ticks are proposed here and decided by the person alone.

A proposal compares words: Latin words without their endings, numbers, and pairs of neighbouring Chinese
characters, since Chinese is written without spaces. A point may be met in either language. It knows
nothing of negation or sense, which is why it never decides.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from quizbank.card import KeyPoint
from quizbank.drills.graded import Tick

PROPOSED_FROM = 0.5
"""Share of a point's words that must be met before a tick is proposed."""

_SLOT = re.compile(r"@\{[^}]*\}")
_LATIN = re.compile(r"[a-zα-ω0-9]+")
_HAN = re.compile(r"[\u3400-\u9fff]+")
_ENDINGS = re.compile(r"(?<=[a-z]{3})(?:ings?|ed|es|ly|s|e)$")
# Words that say nothing about the subject.
_STOP_WORDS = frozenset({
    "a", "an", "the", "and", "or", "but", "not", "no", "of", "in", "on", "at", "to", "for", "from", "by", "with",
    "as", "is", "are", "was", "were", "be", "been", "it", "its", "this", "that", "these", "those", "than", "then",
    "so", "if", "each", "every", "all", "any", "some", "one", "which", "what", "when", "where", "who", "how", "why",
    "do", "does", "did", "has", "have", "had", "can", "may", "must", "will", "would", "more", "most", "less", "very",
    "only", "also", "there", "here",
})  # fmt: skip
_LAYOUT = re.compile(r"\\(?:left|right|[dt]?frac|cdot|times|operatorname|math[a-z]+|text|quad|,|;)")
_STOP_HAN = re.compile("[的了是在和与或及也就都而且对把被让使得为其这那个些很更最能会可要不]")


def propose(points: Sequence[KeyPoint], said: str) -> tuple[Tick, ...]:
    """For each key point, in order: how much of it the answer seems to hold."""
    words = terms(said)
    ticks = []
    for point in points:
        best: tuple[float, tuple[str, ...]] = (0.0, ())
        for wanted in (terms(point.text.en), terms(point.text.zh)):
            matched = tuple(sorted(wanted & words))
            if wanted and len(matched) / len(wanted) > best[0]:
                best = (len(matched) / len(wanted), matched)
        ticks.append(Tick(point.id, point.text, round(best[0], 3), best[1], best[0] >= PROPOSED_FROM))
    return tuple(ticks)


def terms(text: str) -> frozenset[str]:
    """The words of a text that carry its subject. ``d_k``, ``d_{k}`` and ``dk`` are one word."""
    plain = _LAYOUT.sub(" ", _SLOT.sub(" ", text)).lower().replace("√", " sqrt ")
    plain = re.sub(r"_\{?([a-z0-9]+)\}?", r"\1", plain)
    latin = {_ENDINGS.sub("", word) for word in _LATIN.findall(plain) if word not in _STOP_WORDS}
    pairs = {
        run[at : at + 2]
        for found in _HAN.findall(plain)
        for run in _STOP_HAN.split(found)
        for at in range(len(run) - 1)
    }
    return frozenset(word for word in latin if len(word) > 1 or word.isdigit()) | pairs
