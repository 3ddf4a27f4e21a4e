"""A figure of a demonstration, and beneath it the sentence that says what to see."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from rich.style import Style
from textual.app import App
from textual.geometry import Size
from textual.reactive import reactive

from engine.text import Language
from tui.drawing import Colours
from tui.drawing.framed import SEE, Frame, framed_rows
from tui.drawing.prose import laid
from tui.widgets.rows import RowsView, StyledRow

if TYPE_CHECKING:
    from engine.figure import Figure


class Drawn(NamedTuple):
    """A figure that is drawn: its rows in this frame, over that other figure."""

    figure: Figure
    pinned: Figure | None
    frame: Frame
    rows: Sequence[StyledRow]


class FigureView(RowsView):
    """Draws ``figure``, over a ``pinned`` one if there is any, in the terminal's colours, as large as the widget is."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"figure--see"}
    DEFAULT_CSS = """
    FigureView { width: 1fr; height: 1fr; }
    FigureView .figure--see { color: $text-muted; text-style: italic; }
    """

    # arrays have no single truth value, so figures are never compared
    figure: reactive[Figure | None] = reactive(None, always_update=True)
    pinned: reactive[Figure | None] = reactive(None, always_update=True)
    language: reactive[Language] = reactive("en")
    ambiguous_wide: reactive[bool] = reactive(False)

    def __init__(self, *, name: str | None = None, id: str | None = None, classes: str | None = None) -> None:  # noqa: A002
        super().__init__(name=name, id=id, classes=classes)
        self._frame: Frame | None = None
        self._ahead: Drawn | None = None

    def watch_figure(self, old: Figure | None, new: Figure | None) -> None:
        self.changed(layout=_is_auto(self) and (old is None) != (new is None))

    def watch_pinned(self) -> None:
        self.changed()

    def watch_language(self) -> None:
        self.changed(layout=_is_auto(self))

    def watch_ambiguous_wide(self) -> None:
        self.changed()

    @property
    def frame(self) -> Frame | None:
        """How the last figure was framed: so may the next be drawn beforehand, in another thread or process."""
        return self._frame

    def keep(self, drawn: Drawn) -> None:
        """Show these rows when their turn comes, and draw nothing."""
        self._ahead = drawn

    def rows(self, width: int, height: int) -> Sequence[StyledRow]:
        figure, pinned, ahead = self.figure, self.pinned, self._ahead
        if figure is None:
            return []
        frame = Frame(width, height, self.language, terminal_colours(self.app), self.ambiguous_wide)
        self._frame = frame
        if ahead is not None and ahead.figure is figure and ahead.pinned is pinned and ahead.frame == frame:
            return ahead.rows
        return framed_rows(figure, pinned, frame)

    def style_of(self, name: str) -> Style:
        if name.startswith(SEE):
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
