"""The parts of a sheet bound into one PDF: pages in a row, links and bookmarks across parts, footers on every page."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Iterable
from typing import Any, NamedTuple

from pypdf import PageObject, PdfReader, PdfWriter
from pypdf.generic import (
    ArrayObject,
    ByteStringObject,
    DictionaryObject,
    Fit,
    FloatObject,
    NameObject,
    NullObject,
    RectangleObject,
    StreamObject,
    TextStringObject,
)

_LINK = "sheet:"
_FOOTER = NameObject("/SheetFooter")


class Bookmark(NamedTuple):
    """An entry of the outline, that leads to an anchor."""

    level: int
    title: str
    anchor: str


class Binding:
    """Takes parts (PDF 1.7, from ``part: body``) in their order, and binds them behind a front.

    Tags that say what is a heading and what a paragraph are not carried over: they would treble the file.
    """

    def __init__(self) -> None:
        self._writer = PdfWriter()
        self._bodies: list[PageObject] = []
        self._places: dict[str, tuple[PageObject, float, float]] = {}
        self.placed: dict[str, int] = {}
        """The page of each anchor, from 1, without the front."""

    @property
    def pages(self) -> int:
        """So many so far, without the front."""
        return len(self._bodies)

    def add(self, part: bytes) -> None:
        """The pages of one part; what it names is known to every other part then."""
        reader = PdfReader(io.BytesIO(part))
        own: dict[int, PageObject] = {}
        for page in reader.pages:
            assert page.indirect_reference is not None
            own[page.indirect_reference.idnum] = self._taken(page)
        first = self.pages
        self._bodies += own.values()
        order = {number: place for place, number in enumerate(own, first + 1)}
        targets: dict[str, Any] = dict(reader.named_destinations)
        for name, target in targets.items():
            number = target.raw_get("/Page").idnum
            self._places[name] = (own[number], float(target["/Left"]), float(target["/Top"]))
            self.placed[name] = order[number]

    def bound(self, front: bytes, bookmarks: Iterable[Bookmark]) -> bytes:
        """The whole file: ``front`` ends with a page for each page of the bodies, which has its footer.

        The same bytes for the same parts.
        """
        writer, reader = self._writer, PdfReader(io.BytesIO(front))
        root: Any = reader.root_object
        leaves = len(reader.pages) - self.pages
        for place in range(leaves):
            self._taken(reader.pages[place], place)
        self._foot(list(reader.pages)[leaves:])
        self._name()
        self._mark(bookmarks)
        writer.metadata = reader.metadata
        for key in ("/Lang", "/ViewerPreferences"):
            writer.root_object[NameObject(key)] = root[key].clone(writer)
        writer.root_object[NameObject("/PageMode")] = NameObject("/UseOutlines")
        file = io.BytesIO()
        # of the two identifiers pypdf offers, one is none at all and the other is random
        writer._ID = _identifier(front, self.placed)
        writer.write(file)
        return file.getvalue()

    def _taken(self, page: PageObject, place: int | None = None) -> PageObject:
        """A page of a part as a page of the whole, with its links between parts made links."""
        writer = self._writer
        taken = writer.add_page(page) if place is None else writer.insert_page(page, place)
        for reference in taken.get("/Annots", ()):
            link: Any = reference.get_object()
            address = str(link.get("/A", {}).get("/URI", ""))
            if address.startswith(_LINK):
                del link["/A"]
                link[NameObject("/Dest")] = TextStringObject(address.removeprefix(_LINK))
        return taken

    def _foot(self, footers: Iterable[PageObject]) -> None:
        writer = self._writer
        save, draw = (
            writer._add_object(_stream(content))
            for content in (b"q\n", b"\nQ\n" + _FOOTER.encode() + b" Do\n")
        )
        for page, footer in zip(self._bodies, footers, strict=True):
            content: Any = footer["/Contents"]
            form = content.clone(writer)
            form[NameObject("/Type")] = NameObject("/XObject")
            form[NameObject("/Subtype")] = NameObject("/Form")
            form[NameObject("/BBox")] = RectangleObject(tuple(footer.mediabox))
            own: Any = footer["/Resources"]
            form[NameObject("/Resources")] = own.clone(writer)
            resources: Any = page["/Resources"]
            drawn = DictionaryObject(resources.get("/XObject", DictionaryObject()).get_object())
            drawn[_FOOTER] = form.indirect_reference
            resources[NameObject("/XObject")] = drawn
            page[NameObject("/Contents")] = ArrayObject([save, page.raw_get("/Contents"), draw])

    def _name(self) -> None:
        names = ArrayObject()
        for name, (page, left, top) in sorted(self._places.items()):
            where = [FloatObject(left), FloatObject(top), NullObject()]
            names.append(TextStringObject(name))
            names.append(ArrayObject([page.indirect_reference, NameObject("/XYZ"), *where]))
        tree = DictionaryObject({NameObject("/Dests"): DictionaryObject({NameObject("/Names"): names})})
        self._writer.root_object[NameObject("/Names")] = tree

    def _mark(self, bookmarks: Iterable[Bookmark]) -> None:
        above: list[tuple[int, Any]] = []
        for mark in bookmarks:
            page, left, top = self._places[mark.anchor]
            while above and above[-1][0] >= mark.level:
                above.pop()
            item = self._writer.add_outline_item(
                title=mark.title,
                page_number=page,
                parent=above[-1][1] if above else None,
                fit=Fit.xyz(left=left, top=top),
                is_open=False,
            )
            above.append((mark.level, item))


def _stream(content: bytes) -> StreamObject:
    stream = StreamObject()
    stream.set_data(content)
    return stream


def _identifier(front: bytes, placed: dict[str, int]) -> ArrayObject:
    digest = hashlib.sha256(front + repr(sorted(placed.items())).encode()).digest()[:16]
    return ArrayObject([ByteStringObject(digest), ByteStringObject(digest)])
