"""Lines of plain text, wrapped by the rules of their language: names of files, what a program said."""

from __future__ import annotations

from collections.abc import Sequence

from engine.notation.wrap import wrap
from tui.drawing.rows import clean
from tui.widgets.rows import RowsView, StyledRow


class PlainView(RowsView):
    """Nothing in the text is read as prose: a dollar or a backtick in a path stays one."""

    DEFAULT_CSS = "PlainView { height: auto; width: 1fr; padding: 0 1; }"

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 (Textual's name)
        super().__init__(id=id)
        self._lines: tuple[str, ...] = ()

    def tell(self, lines: Sequence[str]) -> None:
        """Show these lines; the widget is hidden where there are none."""
        self.display = bool(lines)
        if tuple(lines) != self._lines:
            self._lines = tuple(lines)
            self.changed(layout=True)

    def rows(self, width: int, height: int) -> Sequence[StyledRow]:
        return [[(row, "")] for line in self._lines for row in wrap(clean(line), max(8, width))]
