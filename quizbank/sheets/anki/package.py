"""An Anki package of a sheet: the same sheet gives the same bytes, on one version of SQLite and zlib.

genanki writes the collection. It stamps one time on everything and lets the clock into the zip; here each note has
the time of its own text, ids count from a fixed one, and the zip is written with a fixed time.
"""

from __future__ import annotations

import json
import sqlite3
import zipfile
from collections.abc import Mapping
from contextlib import closing
from hashlib import sha256
from io import BytesIO
from itertools import count
from typing import Any

from engine.text import Text
from quizbank.sheets.anki.note_type import STYLE_REVISED, note_types
from quizbank.sheets.anki.notes import Note, Notes
from quizbank.sheets.content import Sheet
from quizbank.sheets.formats import Options, Progress, Written

ABOUT = Text(
    "Interview questions on deep-learning architectures, with their proofs. Made by Proofdeck.",
    "深度学习架构面试题，答案附证明。由 Proofdeck 生成。",
)
_FIRST_ID = STYLE_REVISED * 1000
"""Ids of notes and cards in the file; on import Anki gives new ones where they are taken."""
_ZIP_TIME = (1980, 1, 1, 0, 0, 0)


def write(sheet: Sheet, _options: Options, _folder: str, progress: Progress) -> Written:
    """The package of a sheet. Question and answer stand in it in every mode."""
    notes = Notes(sheet)
    made: list[Note] = []
    for done, card in enumerate(sheet.cards):
        progress(done, len(sheet.cards))
        made.extend(notes.of(card))
    return Written(_zipped(_collection(made), notes.media.files))


def _collection(notes: list[Note]) -> bytes:
    """The SQLite file: decks, note types, notes and cards."""
    import genanki

    class Timed(genanki.Note):  # type: ignore[misc]
        """A note with a time of its own."""

        def __init__(self, note: Note, model: Any, place: int) -> None:
            super().__init__(model, list(note.fields), tags=note.tags, guid=note.guid, due=place)
            self.revised = note.revised

        def write_to_db(self, cursor: Any, _timestamp: float, deck_id: int, ids: Any) -> None:
            super().write_to_db(cursor, self.revised, deck_id, ids)

        def _check_invalid_html_tags_in_fields(self) -> None:
            """Nothing to look for: every text is escaped where its field is written."""

    models = note_types()
    decks: dict[str, Any] = {}
    for place, note in enumerate(notes):
        if note.deck not in decks:
            decks[note.deck] = genanki.Deck(_deck_id(note.deck), note.deck, f"{ABOUT.en} {ABOUT.zh}")
        decks[note.deck].add_note(Timed(note, models[note.cloze], place))
    # in memory: a disk for temporary files may be full
    with closing(sqlite3.connect(":memory:")) as connection:
        package = genanki.Package(list(decks.values()))
        package.write_to_db(connection.cursor(), STYLE_REVISED, count(_FIRST_ID))
        connection.commit()
        return connection.serialize()


def _deck_id(name: str) -> int:
    """The same for the same name, in the range that Anki's own ids leave free."""
    return (1 << 30) + int.from_bytes(sha256(name.encode()).digest()[:4]) % (1 << 30)


def _zipped(collection: bytes, media: Mapping[str, bytes]) -> bytes:
    """The package: the collection, the names of the media by number, the media."""
    names = sorted(media)
    listed = json.dumps({str(number): name for number, name in enumerate(names)})
    members = [("collection.anki2", collection), ("media", listed.encode())]
    members += [(str(number), media[name]) for number, name in enumerate(names)]
    held = BytesIO()
    with zipfile.ZipFile(held, "w") as package:
        for name, data in members:
            entry = zipfile.ZipInfo(name, _ZIP_TIME)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.create_system = 3
            entry.external_attr = 0o644 << 16
            package.writestr(entry, data)
    return held.getvalue()
