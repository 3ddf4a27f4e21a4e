"""One formula, two-dimensional."""

from __future__ import annotations

from collections.abc import Sequence

from engine.errors import InputError
from engine.notation.terminal import layout
from tui.drawing.rows import clean
from tui.widgets.rows import RowsView, StyledRow


class FormulaView(RowsView):
    """LaTeX of the subset as rows of Unicode; broken at its relations where it is wider than there is room."""

    DEFAULT_CSS = "FormulaView { height: auto; width: 1fr; color: $text-success; }"

    def __init__(
        self,
        latex: str = "",
        *,
        name: str | None = None,
        id: str | None = None,  # noqa: A002 (Textual's name)
        classes: str | None = None,
    ) -> None:
        super().__init__(name=name, id=id, classes=classes)
        self._latex = latex

    @property
    def latex(self) -> str:
        return self._latex

    @latex.setter
    def latex(self, latex: str) -> None:
        if latex != self._latex:
            self._latex = latex
            self.changed(layout=True)

    def rows(self, width: int, height: int) -> Sequence[StyledRow]:
        return [[(row, "")] for row in formula_rows(self._latex, width)]


def formula_rows(latex: str, width: int) -> Sequence[str]:
    """The formula's rows; what is outside the subset stands as its LaTeX, so nothing is ever hidden."""
    if not latex:
        return ()
    try:
        return layout(latex, max(width, 1)).rows
    except InputError:
        return (clean(latex),)
