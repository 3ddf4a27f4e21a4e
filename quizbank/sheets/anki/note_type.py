"""The two note types. Their ids, names and fields are frozen: a field added later makes every note a conflict in Anki.

What a later version wants to say goes into a spare field. Templates and style may change: Anki takes them over on the
next import where ``STYLE_REVISED`` is later than what it has, so whoever changes them moves it on.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Any

from engine.text import Text
from quizbank import labels

SPARE = tuple(f"Spare {number}" for number in range(1, 6))

QUESTION_ID, QUESTION_NAME = 1_583_204_611, "Proofdeck"
QUESTION_FIELDS = (
    "Question", "Spoken", "Answer", "Key points", "Trap", "Follow-ups", "Plots", "Proof", "Sources", "Card", *SPARE,
)  # fmt: skip
CLOZE_ID, CLOZE_NAME = 1_583_204_612, "Proofdeck cloze"
CLOZE_FIELDS = ("Text", "Extra", "Sources", "Card", *SPARE)

STYLE_REVISED = 1796032800
"""2026-11-30T10:00:00Z, in seconds: when the templates or the style last changed."""

_SECTIONS: tuple[tuple[str, str], ...] = (
    ("Spoken", "spoken"), ("Answer", "answer"), ("Key points", "points"), ("Trap", "trap"), ("Follow-ups", "follow-ups"),
    ("Plots", "plots"), ("Proof", "proof"), ("Sources", "sources"),
)  # fmt: skip
_WORDS: tuple[tuple[str, Text], ...] = (
    (".spoken", labels.SPOKEN), (".answer", labels.ANSWER), (".points", labels.KEY_POINTS), (".popular", labels.POPULAR),
    (".correction", labels.CORRECTION),
)  # fmt: skip


def _section(field: str, name: str) -> str:
    return f'{{{{#{field}}}}}<section class="{name}">{{{{{field}}}}}</section>{{{{/{field}}}}}'


QUESTION_FRONT = '<section class="question">{{Question}}</section>'
QUESTION_BACK = "\n".join(
    ["{{FrontSide}}", "<hr id=answer>", *(_section(*each) for each in _SECTIONS), "<footer>{{Card}}</footer>"]
)
CLOZE_FRONT = '<section class="question">{{cloze:Text}}</section>'
CLOZE_BACK = "\n".join(
    [
        CLOZE_FRONT,
        "<hr id=answer>",
        _section("Extra", "spoken"),
        _section("Sources", "sources"),
        "<footer>{{Card}}</footer>",
    ]
)


@cache
def style() -> str:
    """The style of both types. What a section is called stands here by language, so that fields hold only its text."""
    sheet = (files("quizbank.sheets.anki") / "card.css").read_text(encoding="utf-8")
    words = [
        f'{section} > [lang|="{language}"]::before {{ content: "{label.of(language)}"; }}'
        for section, label in _WORDS
        for language in ("en", "zh")
    ]
    return "\n".join([sheet.rstrip(), *words, ""])


def note_types() -> tuple[Any, Any]:
    """The question and the cloze type, as genanki has them."""
    import genanki

    def of(id_: int, name: str, fields: tuple[str, ...], front: str, back: str, kind: int) -> Any:
        return genanki.Model(
            id_,
            name,
            fields=[{"name": field} for field in fields],
            templates=[{"name": "Card", "qfmt": front, "afmt": back}],
            css=style(),
            model_type=kind,
        )

    return (
        of(
            QUESTION_ID,
            QUESTION_NAME,
            QUESTION_FIELDS,
            QUESTION_FRONT,
            QUESTION_BACK,
            genanki.Model.FRONT_BACK,
        ),
        of(CLOZE_ID, CLOZE_NAME, CLOZE_FIELDS, CLOZE_FRONT, CLOZE_BACK, genanki.Model.CLOZE),
    )
