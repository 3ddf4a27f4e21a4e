"""Predicted against measured, check by check, with the tolerance and the verdict of each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from rich.cells import cell_len
from rich.style import Style
from textual.reactive import reactive

from engine.text import Language, Text
from tui.drawing.prose import laid
from tui.drawing.rows import Row, right, shorten
from tui.widgets.rows import RowsView, StyledRow

if TYPE_CHECKING:
    from engine.demonstration import Check

PREDICTED = Text("predicted", "预测")
MEASURED = Text("measured", "实测")
TOLERANCE = Text("tolerance", "容差")
HOLDS = Text("✓ holds", "✓ 成立")
FAILS = Text("✗ fails", "✗ 不成立")
EXACT = Text("exact", "精确")
SIGNS = {"=": "", "<=": "≤ ", ">=": "≥ ", "!=": "≠ "}
COLUMN = 10


class ChecksView(RowsView):
    """A table whose columns stay in line; each check's claim stands above its numbers, wrapped by its language."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "checks--head", "checks--holds", "checks--fails", "checks--quiet", "checks--math", "checks--code",
    }  # fmt: skip
    DEFAULT_CSS = """
    ChecksView { height: auto; width: 1fr; }
    ChecksView .checks--head { text-style: bold; color: $text-muted; }
    ChecksView .checks--holds { text-style: bold; color: $text-success; }
    ChecksView .checks--fails { text-style: bold; color: $text-error; }
    ChecksView .checks--quiet { color: $text-muted; }
    ChecksView .checks--math { color: $text-success; }
    ChecksView .checks--code { color: $text-warning; }
    """

    language: reactive[Language] = reactive("en")
    checks: reactive[tuple[Check, ...]] = reactive((), always_update=True)

    def watch_language(self) -> None:
        self.changed(layout=True)

    def watch_checks(self) -> None:
        self.rewritten()

    def rows(self, width: int, height: int) -> Sequence[StyledRow]:
        if not self.checks:
            return []
        of = self.language
        verdict = max(cell_len(HOLDS.of(of)), cell_len(FAILS.of(of))) + 3
        names = [name.of(of) for name in (PREDICTED, MEASURED, TOLERANCE)]
        table = [
            (SIGNS[check.relation] + number(check.predicted), number(check.measured), self._tolerance(check))
            for check in self.checks
        ]
        needed = [2 + max(map(cell_len, column)) for column in zip(names, *table, strict=True)]
        narrow = verdict + sum(needed) > width
        room = (width - verdict) // 3
        columns = [min(max(COLUMN, cells), room) if cells <= room else cells for cells in needed]
        if verdict + sum(columns) > width:
            columns = needed
        head: Row = [(" " * verdict, "")]
        head += [(right(name, column), "head") for name, column in zip(names, columns, strict=True)]
        rows: list[StyledRow] = [] if narrow else [head]
        for check, texts in zip(self.checks, table, strict=True):
            rows += laid(check.claim.of(of), width)
            said = (HOLDS if check.ok else FAILS).of(of)
            figures: Row = [("  ", ""), (said, "holds" if check.ok else "fails")]
            if narrow:
                rows += _packed(figures, names, texts, width)
            else:
                figures.append((" " * (verdict - 2 - cell_len(said)), ""))
                figures += [(right(text, column), "") for text, column in zip(texts, columns, strict=True)]
                rows.append(figures)
            if law := check.law.of(of):
                rows += [
                    [("  ", ""), *((text, f"quiet {kind}") for text, kind in row)]
                    for row in laid(law, width - 2)
                ]
        return rows

    def _tolerance(self, check: Check) -> str:
        """What the comparison allows: a bound that nothing may cross allows nothing, so it says nothing."""
        if check.tolerance:
            return f"±{number(check.tolerance)}"
        return EXACT.of(self.language) if check.relation == "=" else ""

    def style_of(self, name: str) -> Style:
        style = Style.null()
        for kind in name.split():
            if f"checks--{kind}" in self.COMPONENT_CLASSES:
                style += self.get_component_rich_style(f"checks--{kind}")
        return style


def _packed(begun: Row, names: Sequence[str], texts: Sequence[str], width: int) -> list[StyledRow]:
    """A check where there is no room for columns: its numbers after their names, as many in a row as fit."""
    rows: list[StyledRow] = []
    for name, text in zip(names, texts, strict=True):
        if not text:
            continue
        if sum(cell_len(said) for said, _ in begun) + 3 + cell_len(name) + cell_len(text) > width:
            rows.append(begun)
            begun = [("  ", "")]
        begun += [("  ", ""), (f"{name} ", "head"), (shorten(text, width - 5 - cell_len(name)), "")]
    return [*rows, begun]


def number(value: float) -> str:
    """Four significant digits, as a person writes them; a count in full."""
    from quizbank.slot_grammar import rounded

    return rounded(value, 4)
