"""Writing a sheet: whole or not at all, never over an existing file unasked."""

from __future__ import annotations

import datetime
import re
import shutil
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from typing import Literal

from engine.errors import InputError
from engine.proof.derivation import ProofCache
from engine.text import LANGUAGES, Language, Text
from quizbank.bank import Bank
from quizbank.card import Card
from quizbank.sheets.compose import compose
from quizbank.sheets.content import Heading, Mode, Sheet, back, form_id
from quizbank.sheets.document import Document
from quizbank.sheets.markdown_prose import Flavour
from quizbank.sheets.questions import ask
from quizbank.slots import Quantities, filled
from quizbank.target import check_target, unwritable

Format = Literal["md", "html"]
NOTHING_MATCHES = Text(
    "no card matches, so there is nothing to write", "没有符合条件的卡片，因此没有内容可写"
)
FORMATS: tuple[Format, ...] = ("md", "html")


def export(
    cards: Sequence[Card],
    bank: Bank,
    quantities: Quantities,
    path: Path,
    *,
    format: Format,  # noqa: A002
    language: Language | Literal["both"] = "both",
    mode: Mode = "embedded",
    flavour: Flavour = "github",
    seed: int = 0,
    date: str = "",
    force: bool = False,
    proofs: ProofCache | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Path:
    """Write the sheet of ``cards`` to ``path`` and return the path.

    ``progress`` is told (cards done, cards in all) and may raise to cancel; nothing is left behind then.

    Raises:
        InputError: no cards, a bad date, a path that exists (without ``force``) or cannot be written.
    """
    if not cards:
        raise InputError(NOTHING_MATCHES)
    check_target(path, force)
    document = build(
        cards,
        bank,
        quantities,
        language=language,
        mode=mode,
        seed=seed,
        date=date,
        proofs=proofs,
        progress=progress,
    )
    write(document, path, format, flavour)
    return path


def write(document: Document, path: Path, format: Format, flavour: Flavour = "github") -> None:  # noqa: A002
    """A document in a format, whole or not at all. Raises InputError: it cannot be written."""
    if format == "html":
        from quizbank.sheets.html import html

        _write(path, html(document), {})
    else:
        from quizbank.sheets.markdown import markdown

        written = markdown(document, figures_folder(path).name, flavour)
        _write(path, written.text, dict(written.figures))


def build(
    cards: Sequence[Card],
    bank: Bank,
    quantities: Quantities,
    *,
    language: Language | Literal["both"],
    mode: Mode,
    seed: int = 0,
    date: str = "",
    proofs: ProofCache | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Document:
    """The document of ``cards``, in no format yet: demonstrations run, slots filled, drills drawn."""
    revision = bank.fingerprint[:8]
    heading = Heading(
        form_id(cards, seed, revision), revision, seed, version("proofdeck"), printed_date(date)
    )
    ready, backings, asked = [], {}, {}
    for position, card in enumerate(cards):
        if progress is not None:
            progress(position, len(cards))
        asked[card.id] = ask(card, seed, quantities)
        ready.append(filled(replace(card, drills=()), quantities.fill))
        if mode == "embedded":
            backings[card.id] = back(card, proofs)
    languages: tuple[Language, ...] = LANGUAGES if language == "both" else (language,)
    return compose(Sheet(heading, mode, languages, tuple(ready), backings), bank.bibliography, asked)


def figures_folder(path: Path) -> Path:
    """Where the figures of a Markdown sheet stand: ``answers.md`` has ``answers-figures``."""
    return path.with_name(f"{path.stem}-figures")


def printed_date(date: str) -> str:
    """The date to print; empty where none is asked for. Raises InputError: not YYYY-MM-DD, or no such day."""
    if date and not re.fullmatch(r"\d{4}-\d{2}-\d{2}", date):
        raise InputError(Text("must be a date as YYYY-MM-DD", "须为 YYYY-MM-DD 形式的日期"), "--date")
    try:
        return datetime.date.fromisoformat(date).isoformat() if date else ""
    except ValueError as error:
        raise InputError(Text("there is no such day", "没有这一天"), "--date") from error


def _write(path: Path, text: str, figures: dict[str, str]) -> None:
    """The text and its figures, made beside the target and then moved into place."""
    # through a link to what it names, which a replacement would leave behind
    path = path.resolve()
    folder = figures_folder(path)
    try:
        place = Path(tempfile.mkdtemp(prefix=f".{path.stem[:40]}-", dir=path.parent))
    except OSError as error:
        raise unwritable(path, error) from error
    try:
        sheet = place / "sheet"
        sheet.write_text(text, encoding="utf-8", newline="\n")
        if figures:
            drawn = place / "figures"
            drawn.mkdir()
            for name, svg in figures.items():
                (drawn / name).write_text(svg, encoding="utf-8")
            folder.mkdir(exist_ok=True)
            for name in figures:
                (drawn / name).replace(folder / name)
        sheet.replace(path)
    except OSError as error:
        raise unwritable(path, error) from error
    finally:
        shutil.rmtree(place, ignore_errors=True)
