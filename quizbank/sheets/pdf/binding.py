"""The parts of a sheet bound into one PDF: pages in a row, links and bookmarks across parts, footers on every page."""

from __future__ import annotations

import io
from collections.abc import Iterable
from typing import Any, NamedTuple

from pikepdf import (
    Array,
    Dictionary,
    Name,
    NameTree,
    ObjectStreamMode,
    OutlineItem,
    Page,
    PageLocation,
    Pdf,
    String,
)

_LINK = "sheet:"
_FOOTER = "/SheetFooter"


class Bookmark(NamedTuple):
    """An entry of the outline, that leads to an anchor."""

    level: int
    title: str
    anchor: str


class _Place(NamedTuple):
    """Where an anchor stands: on which page of the bodies, from 0, and at which point of it."""

    page: int
    left: Any
    top: Any


class Binding:
    """Takes parts (PDF 1.7, from ``part: body``) in their order, and binds them behind a front.

    Tags that say what is a heading and what a paragraph are not carried over: they would treble the file.
    """

    def __init__(self) -> None:
        self._bound = Pdf.new()
        self._places: dict[str, _Place] = {}
        self.placed: dict[str, int] = {}
        """The page of each anchor, from 1, without the front."""

    @property
    def pages(self) -> int:
        """So many so far, without the front."""
        return len(self._bound.pages)

    def add(self, part: bytes) -> None:
        """The pages of one part; what it names is known to every other part then."""
        before = self.pages
        opened = Pdf.open(io.BytesIO(part))
        order = {page.obj.objgen: place for place, page in enumerate(opened.pages, before)}
        names = opened.Root.get("/Names", Dictionary()).get("/Dests")
        for name, target in () if names is None else NameTree(names).items():
            page, _, left, top, *_ = list(target)
            self._places[name] = _Place(order[page.objgen], left, top)
            self.placed[name] = order[page.objgen] + 1
        self._bound.pages.extend(opened.pages)
        for taken in self._bound.pages[before:]:
            _link(taken)

    def foot(self, feet: bytes) -> None:
        """Draw on each page so far what the page of ``feet`` that goes with it holds."""
        whole = self._bound
        save, draw = (whole.make_stream(content) for content in (b"q\n", f"\nQ\n{_FOOTER} Do\n".encode()))
        for page, footer in zip(whole.pages, Pdf.open(io.BytesIO(feet)).pages, strict=True):
            page.add_resource(whole.copy_foreign(footer.as_form_xobject()), Name.XObject, Name(_FOOTER))
            page.obj.Contents = Array([save, page.obj.Contents, draw])

    def bound(self, front: bytes, bookmarks: Iterable[Bookmark]) -> bytes:
        """The whole file, the pages of ``front`` before the others: the same bytes for the same parts."""
        whole, opened = self._bound, Pdf.open(io.BytesIO(front))
        leaves = len(opened.pages)
        for place, page in enumerate(opened.pages):
            whole.pages.insert(place, page)
            _link(whole.pages[place])
        whole.trailer.Info = whole.copy_foreign(opened.trailer.Info)
        whole.Root.Lang = String(str(opened.Root.Lang))
        preferences = opened.make_indirect(opened.Root.ViewerPreferences)
        whole.Root.ViewerPreferences = whole.copy_foreign(preferences)
        self._name(leaves)
        self._mark(bookmarks, leaves)
        whole.Root.PageMode = Name.UseOutlines
        file = io.BytesIO()
        whole.save(file, deterministic_id=True, object_stream_mode=ObjectStreamMode.generate)
        return file.getvalue()

    def _name(self, leaves: int) -> None:
        whole = self._bound
        names = Array()
        for name, place in sorted(self._places.items()):
            names.append(String(name))
            page = whole.pages[leaves + place.page].obj
            names.append(Array([page, Name.XYZ, place.left, place.top, None]))
        whole.Root.Names = Dictionary(Dests=Dictionary(Names=names))

    def _mark(self, bookmarks: Iterable[Bookmark], leaves: int) -> None:
        with self._bound.open_outline() as outline:
            above: list[tuple[int, OutlineItem]] = []
            for mark in bookmarks:
                page, left, top = self._places[mark.anchor]
                item = OutlineItem(
                    mark.title, leaves + page, PageLocation.XYZ, left=float(left), top=float(top)
                )
                item.is_closed = True
                while above and above[-1][0] >= mark.level:
                    above.pop()
                (above[-1][1].children if above else outline.root).append(item)
                above.append((mark.level, item))


def count(part: bytes) -> int:
    """How many pages a PDF has."""
    return len(Pdf.open(io.BytesIO(part)).pages)


def _link(page: Page) -> None:
    """Make links of what names a target in another part."""
    for link in page.obj.get("/Annots", ()):
        address = str(link.get("/A", Dictionary()).get("/URI", ""))
        if address.startswith(_LINK):
            del link["/A"]
            link.Dest = String(address.removeprefix(_LINK))
