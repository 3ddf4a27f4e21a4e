"""Prose of cards and demonstrations, laid out for the width there is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from rich.style import Style

from tui.drawing.prose import laid
from tui.widgets.rows import RowsView, StyledRow


class ProseView(RowsView):
    """A text in the prose dialect: Chinese lines broken by their rules, formulas laid out, code as it stands."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"prose--math", "prose--code"}
    DEFAULT_CSS = """
    ProseView { height: auto; width: 1fr; }
    ProseView .prose--math { color: $text-success; }
    ProseView .prose--code { color: $text-warning; }
    """

    def __init__(
        self,
        text: str = "",
        *,
        name: str | None = None,
        id: str | None = None,  # noqa: A002 (Textual's name)
        classes: str | None = None,
    ) -> None:
        super().__init__(name=name, id=id, classes=classes)
        self._text = text

    @property
    def text(self) -> str:
        return self._text

    @text.setter
    def text(self, text: str) -> None:
        if text != self._text:
            self._text = text
            self.rewritten()

    def rows(self, width: int, height: int) -> Sequence[StyledRow]:
        return laid(self._text, width)

    def style_of(self, name: str) -> Style:
        if name == "text":
            return Style.null()
        return self.component_style(f"prose--{name}")
