"""A widget that shows rows of styled text: drawn once, kept as strips, and copied by selecting."""

from __future__ import annotations

from collections.abc import Sequence

from rich.segment import Segment
from rich.style import Style
from textual.geometry import Size
from textual.selection import Selection
from textual.strip import Strip
from textual.widget import Widget

from tui.drawing.rows import Row

StyledRow = Sequence[tuple[str, str]]
"""Runs of (text, style name); what a name means is the widget's to say."""


class RowsView(Widget):
    """Shows what :meth:`rows` returns. Text is never read as markup.

    Call :meth:`changed` when the rows would come out differently; size, theme and focus are watched.
    """

    def __init__(self, *, name: str | None = None, id: str | None = None, classes: str | None = None) -> None:  # noqa: A002
        super().__init__(name=name, id=id, classes=classes)
        self._kept: list[StyledRow] = []
        self._kept_for: tuple[int, int] | None = None
        self._strips: dict[int, Strip] = {}
        self._styles: dict[str, Style] = {}

    def rows(self, width: int, height: int) -> Sequence[StyledRow]:
        """The rows at this size; ``height`` is what there is, and more rows than that are cut."""
        raise NotImplementedError

    def style_of(self, name: str) -> Style:
        """What a run's style name means, on top of the widget's own style."""
        return Style.parse(name)

    def component_style(self, name: str) -> Style:
        """A component's style on the widget's ground: a partial one would take ``auto`` colours for white."""
        return self.get_visual_style(name).rich_style

    def changed(self, layout: bool = False) -> None:
        self._kept_for = None
        self._strips.clear()
        self.refresh(layout=layout)

    def rewritten(self) -> None:
        """As :meth:`changed`, where the height is that of the rows: the screen is laid out anew only where their
        number is another one. A number that changes beneath a moving slider costs no layout.
        """
        before, laid_for = len(self._kept), self._kept_for
        self.changed(layout=laid_for is None)
        if laid_for is not None and len(self._laid(*laid_for)) != before:
            self.refresh(layout=True)

    def _laid(self, width: int, height: int) -> list[StyledRow]:
        if self._kept_for != (width, height):
            self._kept = list(self.rows(width, height)) if width > 0 else []
            self._kept_for = (width, height)
            self._strips.clear()
        return self._kept

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return max(1, len(self._laid(width, viewport.height)))

    def get_content_width(self, container: Size, viewport: Size) -> int:
        return container.width

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self._styles.clear()
        self._strips.clear()

    def render_line(self, y: int) -> Strip:
        width, height = self.content_size
        rows = self._laid(width, self._height_for(height))
        if not 0 <= y < len(rows):
            return Strip.blank(width, self._style(""))
        selection = self.text_selection
        if selection is None and y in self._strips:
            return self._strips[y]
        row = rows[y]
        if selection is not None and (span := selection.get_span(y)) is not None:
            row = _marked(row, *span)
        segments = [Segment(text, self._style(style)) for text, style in row if text]
        strip = Strip(segments).adjust_cell_length(width, self._style("")).apply_offsets(0, y)
        if selection is None:
            self._strips[y] = strip
        return strip

    def _height_for(self, height: int) -> int:
        """The height that rows are laid out for: what was asked last where the height follows the rows."""
        styled = self.styles.height
        if styled is not None and styled.is_auto and self._kept_for is not None:
            return self._kept_for[1]
        return height

    def _style(self, name: str) -> Style:
        """A run's style on the widget's own: resolving one walks up the tree, so each is kept."""
        style = self._styles.get(name)
        if style is None:
            if name == _SELECTED:
                style = self.screen.get_component_rich_style("screen--selection")
            else:
                style = self.rich_style + self.style_of(name) if name else self.rich_style
            self._styles[name] = style
        return style

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        text = "\n".join("".join(part for part, _ in row) for row in self._kept)
        return selection.extract(text), "\n"

    def selection_updated(self, selection: Selection | None) -> None:
        self._strips.clear()
        self.refresh()


_SELECTED = "\0selected"


def _marked(row: StyledRow, start: int, end: int) -> Row:
    """The row with its characters from ``start`` to ``end`` (-1: to its end) in the style of a selection."""
    marked: Row = []
    at = 0
    for text, style in row:
        last = len(text) if end == -1 else min(max(end - at, 0), len(text))
        first = min(max(start - at, 0), last)
        marked += [(text[:first], style), (text[first:last], _SELECTED), (text[last:], style)]
        at += len(text)
    return marked
