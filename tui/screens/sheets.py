"""Answer sheets: what goes on one, in what form, how it begins; written to a file, then opened."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.message import Message

from engine.errors import InputError
from engine.text import LANGUAGES, Text
from quizbank.sheets.formats import FLAVOURS, FORMATS, SIZES, Mode, Options, SheetFormat
from tui.commands import Command
from tui.desktop import open_on_desktop, opener
from tui.recompute import Outcome, Recompute, Recomputed
from tui.screens import sheets_words as words
from tui.screens.base import Pane
from tui.screens.form import FormPage
from tui.screens.sheet_source import selection_name
from tui.sheet_selection import WHOLE_BANK, Selection
from tui.widgets.fields import Chooser, Entry, Picker
from tui.widgets.folder_entry import FolderInput, expanded
from tui.widgets.plain import PlainView
from tui.widgets.sheet_view import SheetView

if TYPE_CHECKING:
    from quizbank.card_set import CardSet
    from quizbank.sheets.preview import Beginning

GO = Command(
    "go",
    ("enter",),
    Text("Write", "写出"),
    Text("write the sheet to the file named", "把答案册写入所填的文件"),
    1,
)
READ = Command(
    "read",
    ("v",),
    Text("Preview", "预览"),
    Text("how the sheet begins, alone on the screen, and back", "让答案册的开头占满屏幕，再按一次还原"),
    11,
)
OPEN = Command(
    "open", ("o", "ctrl+o"), Text("Open", "打开"), Text("open the file that was written", "打开写出的文件"), 2
)
COPY = Command(
    "copy",
    ("c", "ctrl+y"),
    Text("Copy path", "复制路径"),
    Text("the path of the file that was written, to the clipboard", "把写出文件的路径复制到剪贴板"),
    3,
)
FIRST_CARDS = 2
"""Cards or questions that a preview makes; more than fill its pages, in most sheets."""


class Stopped(Exception):  # noqa: N818 (not an error: the person asked for it)
    """The person went back while the sheet was being made."""


class AlreadyThereError(Exception):
    """What the typed path names is there already, or the figures beside it."""

    def __init__(self, typed: str, there: Path) -> None:
        super().__init__(str(there))
        self.typed, self.there = typed, there


class Progressed(Message):
    """So much of the sheet is done, of so much in all; the first half of it are the cards."""

    def __init__(self, done: int, whole: int) -> None:
        super().__init__()
        self.done, self.whole = done, whole


class Wish(NamedTuple):
    """What a preview is of: it says the same in every format."""

    selection: Selection
    options: Options


class SheetsScreen(FormPage):
    """The same export as the shell's ``sheet`` call. A file that is there is replaced only when Enter is pressed twice."""

    HEADING = words.HEADING
    ABOUT = words.ABOUT
    OFFERS = (GO, OPEN, COPY, READ)
    AUTO_FOCUS = "Picker"
    CSS = """
    SheetsScreen #sheet-form { height: auto; padding: 0; }
    SheetsScreen #sheet-preview { height: 1fr; margin-top: 1; }
    SheetsScreen.-reading #sheet-form { display: none; }
    SheetsScreen.-reading #sheet-preview { margin-top: 0; }
    """

    def __init__(self, given: Selection = WHOLE_BANK) -> None:
        super().__init__()
        self.given = self.selection = given
        self.sets: Mapping[str, CardSet] = {}
        self.outcome: Text | None = None
        self.preview: Beginning | None = None
        self.fault: Exception | None = None
        self.written: Path | None = None
        self.replace = ""
        self.busy = self.stopping = False
        self._asked: Wish | None = None
        self._shown: Wish | None = None
        self._suggested = ""
        self._recompute: Recompute[Wish, Beginning] = Recompute(self._lay_out, self._deliver, settles=False)

    def body(self) -> ComposeResult:
        with Vertical(id="sheet-form"):
            yield Chooser(id="what")
            yield Picker(id="mode")
            yield Picker(id="format")
            yield Picker(id="variant")
            yield Picker(id="language")
            yield Entry(id="path", field=FolderInput)
            yield PlainView(id="outcome")
        with Pane(id="sheet-preview", can_focus=False):
            yield SheetView(id="sheet-view")

    def begin(self) -> None:
        # the one that everybody can open
        self.picker("format").choose("html")
        self._changed()
        self.later(lambda: self.proofdeck.workspace.bank.sets, self._with_sets, group="sets")

    def _with_sets(self, sets: Mapping[str, CardSet]) -> None:
        self.sets = sets
        self.show()

    def on_unmount(self) -> None:
        self.stopping = True
        self._recompute.close()

    # What is on screen -------------------------------------------------------------------------

    @property
    def format(self) -> SheetFormat:
        chosen: Any = self.picker("format").value or next(iter(FORMATS))
        return FORMATS[chosen]

    def show(self) -> None:
        say = self.say
        name = say(selection_name(self.selection, self.sets))
        self.query_one("#what", Chooser).tell(say(words.WHAT), [("", name)])
        modes = words.MODES
        formats = list(FORMATS.values())
        if self.selection.unfinished:
            modes = {"paper": modes["paper"]}
            formats = [each for each in formats if not each.answers]
        elif self.selection.session:
            modes = {**modes, "embedded": words.AS_ANSWERED}
        self.picker("mode").tell(say(words.MODE), [(mode, say(text)) for mode, text in modes.items()])
        self.picker("format").tell(say(words.FORMAT), [(each.name, self._called(each)) for each in formats])
        self.picker("language").tell(
            say(words.LANGUAGE), [("both", say(words.BOTH)), ("zh", "中文"), ("en", "English")]
        )
        self._show_variants()
        self.picker("mode").display = not self.format.answers
        self.query_one("#path", Entry).tell(say(words.PATH))
        self._suggest()
        self._show_outcome()
        self._show_preview()

    def _called(self, kind: SheetFormat) -> str:
        label = self.say(kind.label)
        return self.say(words.NEEDS, format=label) if kind.install_line else label

    def _show_variants(self) -> None:
        """What only one format asks for."""
        picker = self.picker("variant")
        label, values, said = {
            "md": (words.FLAVOUR, FLAVOURS, words.FLAVOURS),
            "pdf": (words.SIZE, SIZES, words.SIZES),
        }.get(self.format.name, (words.SIZE, (), {}))
        picker.display = bool(values)
        picker.tell(self.say(label), [(value, self.say(said[value])) for value in values])

    def _suggest(self) -> None:
        """A file name that says what is in it, unless the person has typed one of their own."""
        field = self.query_one("#path", Entry).input
        stem, ending = self.selection.stem, self.format.ending
        if field.value in ("", self._suggested):
            field.value = self._suggested = stem + ending
            field.cursor_position = len(field.value)
        elif (typed := Path(field.value)).suffix in {each.ending for each in FORMATS.values()} - {ending}:
            # a name of their own keeps step with the format
            field.value = str(typed.with_suffix(ending))

    def _show_outcome(self) -> None:
        told = [self.outcome] if self.outcome else []
        if line := self.format.install_line:
            told.append(words.INSTALL.filled(format=self.say(self.format.label), line=line))
        if self.written is not None:
            told.append(words.OPEN_OR_COPY if opener() else words.COPY_ONLY)
        self.query_one("#outcome", PlainView).tell([self.say(text) for text in told])

    def _tell(self, text: Text) -> None:
        self.outcome = text
        self._show_outcome()

    # The first pages ---------------------------------------------------------------------------

    def options(self) -> Options:
        # what the pickers offer is what a sheet's options take
        picked: Any = {name: self.picker(name).value for name in ("mode", "language", "variant")}
        variant = {"md": "flavour", "pdf": "size"}.get(self.format.name)
        more = {variant: picked["variant"]} if variant and picked["variant"] else {}
        # a package for Anki has question and answer in every mode
        mode: Mode = "embedded" if self.format.answers else picked["mode"]
        return Options(mode=mode, language=picked["language"], **more)

    def _show_preview(self) -> None:
        options = self.options()
        wish = Wish(self.selection, Options(mode=options.mode, language=options.language))
        if wish != self._asked:
            self._asked = wish
            self._recompute.ask(wish)
        view = self.query_one("#sheet-view", SheetView)
        view.tell(self.preview, self.language, self._note())

    def _note(self) -> str:
        """What stands in place of the first pages, or above those of another choice."""
        if self._shown != self._asked:
            return self.say(words.LAYING_OUT)
        return self.say(words.NO_PREVIEW, why=self.fault_line(self.fault)) if self.fault else ""

    @property
    def is_waiting(self) -> bool:
        """Are the first pages of what is chosen still being made?"""
        return self._shown != self._asked

    def _lay_out(self, wish: Wish, dragging: bool) -> Beginning:
        from quizbank.sheets.preview import beginning

        workspace = self.proofdeck.workspace
        return beginning(
            wish.selection.source(workspace),
            workspace.bank,
            workspace.quantities,
            wish.options,
            FIRST_CARDS,
            cache=workspace.home.cache,
        )

    def _deliver(self, outcome: Outcome[Wish, Beginning]) -> None:
        self.post_message(Recomputed(outcome))

    def on_recomputed(self, event: Recomputed) -> None:
        outcome: Outcome[Wish, Beginning] = event.outcome
        if outcome.given != self._asked:
            return
        self._shown, self.preview, self.fault = outcome.given, outcome.result, outcome.error
        self._show_preview()
        self.query_one("#sheet-preview", Pane).edge(-1)
        self._hint()

    # What a person does ------------------------------------------------------------------------

    def moved(self) -> Pane:
        """The pages, whatever field has the focus."""
        return self.query_one("#sheet-preview", Pane)

    def action_move(self, by: int) -> None:
        if self.has_class("-reading"):
            self.moved().move(by)
        else:
            super().action_move(by)

    def action_edge(self, direction: int) -> None:
        if self.has_class("-reading"):
            self.moved().edge(direction)
        else:
            super().action_edge(direction)

    def on_descendant_focus(self) -> None:
        # in the line of the file other keys open what was written than beside it
        self._show_outcome()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        match action:
            case "open":
                return self.written is not None and not self.busy and opener() is not None
            case "copy":
                return self.written is not None and not self.busy
            case "go":
                return not self.busy and not self.has_class("-reading")
        return True

    def on_chooser_wanted(self) -> None:
        from tui.screens.sheet_source import SheetSourceScreen

        if not self.busy:
            self.app.push_screen(SheetSourceScreen(self.selection, self.given, self._select))

    def _select(self, selection: Selection) -> None:
        self.selection = selection
        self._changed()

    def on_picker_changed(self, event: Picker.Changed) -> None:
        self._changed()

    def _changed(self) -> None:
        self.replace, self.outcome, self.written = "", None, None
        self.show()
        self.refresh_bindings()
        self.frame()

    def action_read(self) -> None:
        self.toggle_class("-reading")
        pane = self.moved()
        # what has the focus would be hidden, and the keys of the page with it
        pane.can_focus = self.has_class("-reading")
        if pane.can_focus:
            pane.focus()
        else:
            self.query_one("#what").focus()
        self.refresh_bindings()
        self.frame()

    def leave(self) -> None:
        """From the pages back to the form; from a sheet that is being made, with nothing left of it."""
        if self.has_class("-reading"):
            self.action_read()
        elif self.busy:
            self.stopping = True
            self._tell(words.STOPPING)
        else:
            super().leave()

    def action_go(self) -> None:
        if self.busy or self.format.install_line:
            return
        typed = self.query_one("#path", Entry).value
        if typed:
            self._write(typed, force=self.replace == typed)
        else:
            self._tell(words.NO_PATH)

    def _write(self, typed: str, force: bool) -> None:
        workspace, selection, kind = self.proofdeck.workspace, self.selection, self.format
        options = replace(self.options(), force=force)
        self.stopping = False

        def progress(done: int, whole: int) -> None:
            if self.stopping:
                raise Stopped
            self.post_message(Progressed(done, whole))

        def write() -> Path:
            from quizbank.sheets.export import export, figures_folder

            path = expanded(typed)
            if path.is_dir():
                path /= selection.stem + kind.ending
            targets = (path, figures_folder(path)) if kind.name == "md" else (path,)
            if not force and (there := next((target for target in targets if target.exists()), None)):
                raise AlreadyThereError(typed, there)
            return export(
                selection.source(workspace),
                workspace.bank,
                workspace.quantities,
                path,
                kind.name,
                options,
                cache=workspace.home.cache,
                progress=progress,
            )

        self.busy, self.written = True, None
        self._tell(words.WRITING.filled(percent=0))
        self.refresh_bindings()
        self.frame()
        self.later(write, self._written, group="export", failed=self._not_written)

    def on_progressed(self, event: Progressed) -> None:
        if not self.busy or self.stopping:
            return
        cards = event.whole // 2
        if event.done < cards:
            self._tell(words.WRITING_CARD.filled(done=event.done + 1, cards=cards))
        else:
            self._tell(words.WRITING.filled(percent=100 * (event.done - cards) // max(1, cards)))

    def _written(self, path: Path) -> None:
        self.busy, self.replace = False, ""
        size = max(1, round(path.stat().st_size / 1000))
        self.written = path.absolute()
        self.outcome = words.WRITTEN.filled(path=self.written, size=size)
        self._finished()

    def _not_written(self, error: Exception) -> None:
        self.busy = False
        if isinstance(error, Stopped):
            self.outcome = words.NOT_WRITTEN
        elif isinstance(error, AlreadyThereError):
            self.replace = error.typed
            self.outcome = words.REPLACE.filled(path=error.there)
        else:
            line = {language: self.fault_line(error, language) for language in LANGUAGES}
            self.outcome = Text(line["en"], line["zh"])
            if not isinstance(error, InputError):
                self.complain(error)
        self._finished()

    def _finished(self) -> None:
        self._show_outcome()
        self.refresh_bindings()
        self.frame()

    def action_open(self) -> None:
        path = self.written
        assert path is not None
        self.later(
            lambda: open_on_desktop(path),
            lambda _: self.proofdeck.notice(self.say(words.OPENED)),
            group="open",
        )

    def action_copy(self) -> None:
        self.app.copy_to_clipboard(str(self.written))
        self.proofdeck.notice(self.say(words.COPIED))
