"""One thing found out, and what to do about it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from engine.text import Language, Text

Standing = Literal["good", "note", "bad"]
"""``note``: it works, with less than there could be. ``bad``: something will not work, or not rightly."""


@dataclass(frozen=True)
class Finding:
    """``id`` is ``group.name``; ``value`` is plain data, told in words by ``said``; ``advice`` is what to do."""

    id: str
    name: Text
    standing: Standing
    said: Text
    value: Any = None
    advice: Text | None = None

    def as_json(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "name": {"en": self.name.en, "zh": self.name.zh},
            "standing": self.standing,
            "value": self.value,
            "said": {"en": self.said.en, "zh": self.said.zh},
            "advice": None if self.advice is None else {"en": self.advice.en, "zh": self.advice.zh},
        }


def composed(template: Text, **values: object) -> Text:
    """The template filled in both languages; a value that is a text itself is taken in each one's own."""

    def of(language: Language) -> str:
        filled = {
            name: value.of(language) if isinstance(value, Text) else value for name, value in values.items()
        }
        return template.filled(**filled).of(language)

    return Text(of("en"), of("zh"))
