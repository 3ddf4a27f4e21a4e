"""A figure of a demonstration, and beneath it the sentence that says what to see."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from rich.style import Style
from textual.app import App
from textual.geometry import Size
from textual.reactive import reactive

from engine.notation.wrap import wrap
from engine.text import Language, Text
from tui.drawing import Colours, Row, figure_rows
from tui.drawing.rows import clean, shorten
from tui.widgets.menu import laid
from tui.widgets.rows import RowsView, StyledRow

if TYPE_CHECKING:
    from engine.figure import Figure

FAULT = Text("This figure cannot be drawn: {error}", "无法绘制这幅图：{error}")

_SEE = "see "


class FigureView(RowsView):
    """Draws ``figure`` in the terminal's colours, as large as the widget is."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"figure--see"}
    DEFAULT_CSS = """
    FigureView { width: 1fr; height: 1fr; }
    FigureView .figure--see { color: $text-muted; text-style: italic; }
    """

    # arrays have no single truth value, so figures are never compared
    figure: reactive[Figure | None] = reactive(None, always_update=True)
    language: reactive[Language] = reactive("en")
    ambiguous_wide: reactive[bool] = reactive(False)

    def watch_figure(self, old: Figure | None, new: Figure | None) -> None:
        self.changed(layout=_is_auto(self) and (old is None) != (new is None))

    def watch_language(self) -> None:
        self.changed(layout=_is_auto(self))

    def watch_ambiguous_wide(self) -> None:
        self.changed()

    def rows(self, width: int, height: int) -> Sequence[StyledRow]:
        if self.figure is None:
            return []
        # the sentence takes a quarter of the height at most; a longer one is cut, its figure is not
        most = max(1, height // 4) if height >= 4 else 0
        said = laid(self.figure.see.of(self.language), width)
        see: list[Row] = [[(text, _SEE + kind) for text, kind in row] for row in said[:most]]
        if 0 < most < len(said):
            last = "".join(text for text, _ in see[-1])
            see[-1] = [(shorten(last, width - 1).removesuffix("…") + "…", _SEE + "text")]
        return [*self._drawn(self.figure, width, height - len(see)), *see]

    def _drawn(self, figure: Figure, width: int, height: int) -> Sequence[StyledRow]:
        try:
            return figure_rows(
                figure,
                width,
                height,
                self.language,
                terminal_colours(self.app),
                ambiguous_wide=self.ambiguous_wide,
            )
        except Exception as error:  # a faulty figure is shown as a fault, and the app goes on
            said = FAULT.of(self.language).format(error=f"{type(error).__name__}: {error}")
            return [[(line, "bold")] for line in wrap(clean(said), width)]

    def style_of(self, name: str) -> Style:
        if name.startswith(_SEE):
            return self.component_style("figure--see")
        return Style.parse(name)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """As tall as the figure reads well, where the style sheet leaves the height to it."""
        if self.figure is None:
            return 1
        height = natural_height(self.figure, width)
        said = len(laid(self.figure.see.of(self.language), width))
        return min(height + said, max(viewport.height, 4))

    def _height_for(self, height: int) -> int:
        return height


def _is_auto(view: FigureView) -> bool:
    height = view.styles.height
    return height is not None and height.is_auto


def natural_height(figure: Figure, width: int) -> int:
    """The rows a figure reads well in, at a width."""
    from engine.figure import Bars, HeatMap

    match figure:
        case Bars():
            return len(figure.bars) + 5
        case HeatMap():
            rows = len(figure.values)
            return 4 + (rows if rows <= 18 else -(-rows // 2))
        case _:
            return min(max(width // 4, 10), 20)


def terminal_colours(app: App[object]) -> Colours:
    """What the terminal that the app runs in can show."""
    if app.no_color:
        return "none"
    return {"truecolor": "full", "256": "full", None: "none"}.get(app.console.color_system, "16")  # type: ignore[return-value]
