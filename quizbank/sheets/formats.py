"""The formats of a sheet: what each is called, what it draws, and who writes it.

A writer is imported when a sheet of its format is written, so naming the formats costs nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Literal

from engine.text import Language, Text

if TYPE_CHECKING:
    from pathlib import Path

    from quizbank.sheets.content import Sheet
    from quizbank.sheets.document import Document

Format = Literal["md", "html", "pdf", "apkg", "json"]
Mode = Literal["paper", "embedded", "key"]
MODES: tuple[Mode, ...] = ("paper", "embedded", "key")
Flavour = Literal["github", "plain"]
FLAVOURS: tuple[Flavour, ...] = ("github", "plain")
Size = Literal["a4", "letter"]
SIZES: tuple[Size, ...] = ("a4", "letter")

Progress = Callable[[int, int], None]
"""Told how much is done, of how much in all. It may raise to give the sheet up; nothing is left behind then."""


@dataclass(frozen=True)
class Options:
    """How a sheet is to be made. A format leaves unread what it has no use for.

    ``seed`` draws the variants of the drills; ``date`` is printed in place of the bank's own (YYYY-MM-DD);
    ``force`` overwrites an existing file.
    """

    mode: Mode = "embedded"
    language: Language | Literal["both"] = "both"
    flavour: Flavour = "github"
    size: Size = "a4"
    seed: int = 0
    date: str = ""
    force: bool = False


AS_USUAL = Options()


@dataclass(frozen=True)
class Written:
    """A finished sheet: what the file holds, and by name the files of the folder beside it."""

    content: str | bytes
    beside: Mapping[str, str] = field(default_factory=dict)

    @property
    def text(self) -> str:
        """The content of a format of text."""
        assert isinstance(self.content, str)
        return self.content


@dataclass(frozen=True)
class SheetFormat:
    """One format.

    ``ending`` has its dot; ``binary`` says that the file holds bytes. ``draws`` says what the writer is given: the
    ``document`` (a :class:`~quizbank.sheets.document.Document`) or the ``cards`` (a
    :class:`~quizbank.sheets.content.Sheet`). ``writer`` is ``module:function`` of
    ``(drawn, options, folder, progress) -> Written``; ``folder`` names the folder of ``Written.beside``, and a writer
    tells ``progress`` what it has done of its own work, or at least calls it now and then where that is long.
    ``extra`` names the extra of this distribution that brings the modules ``needs``; both are empty where a plain
    install can write the format. ``answers``: question and answer are in it in every mode. ``unread`` names
    the other fields of :class:`Options` that the writer leaves unread. ``keeps``: the writer takes
    a folder ``cache`` too (None: none), for what it can use again.
    """

    name: Format
    ending: str
    label: Text
    binary: bool
    draws: Literal["document", "cards"]
    writer: str
    needs: tuple[str, ...] = ()
    extra: str = ""
    answers: bool = False
    unread: tuple[str, ...] = ("flavour", "size")
    keeps: bool = False

    @property
    def install_line(self) -> str:
        """The call that installs what this format still lacks; empty where nothing is missing."""
        if all(find_spec(module) is not None for module in self.needs):
            return ""
        return f"pip install 'proofdeck[{self.extra}]'"

    def write(
        self,
        drawn: Document | Sheet,
        options: Options,
        folder: str,
        progress: Progress,
        cache: Path | None = None,
    ) -> Written:
        """The sheet in this format. Raises InputError where it cannot be made; whatever ``progress`` raises."""
        module, name = self.writer.split(":")
        written: Callable[..., Any] = getattr(import_module(module), name)
        more = {"cache": cache} if self.keeps else {}
        result: Written = written(drawn, options, folder, progress, **more)
        return result


FORMATS: dict[Format, SheetFormat] = {
    each.name: each
    for each in (
        SheetFormat(
            "md",
            ".md",
            Text("Markdown", "Markdown"),
            False,
            "document",
            "quizbank.sheets.markdown:write",
            unread=("size",),
            keeps=True,
        ),
        SheetFormat("html", ".html", Text("HTML", "HTML"), False, "document", "quizbank.sheets.html:write"),
        SheetFormat(
            "pdf",
            ".pdf",
            Text("PDF", "PDF"),
            True,
            "document",
            "quizbank.sheets.pdf.writer:write",
            ("typst", "pikepdf"),
            "pdf",
            unread=("flavour",),
            keeps=True,
        ),
        SheetFormat(
            "apkg",
            ".apkg",
            Text("Anki", "Anki"),
            True,
            "cards",
            "quizbank.sheets.anki.package:write",
            answers=True,
            unread=("flavour", "size", "date"),
        ),
        SheetFormat("json", ".json", Text("JSON", "JSON"), False, "cards", "quizbank.sheets.data:write"),
    )
}
"""Those there are, in the order they are offered."""
