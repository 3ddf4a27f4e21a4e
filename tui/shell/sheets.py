"""`sheet`: answer sheets from the shell."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.errors import InputError
from engine.proof.derivation import ProofCache
from engine.text import Language, Text
from tui.shell.deck import Deck, matching, open_deck

if TYPE_CHECKING:
    from quizbank.card import Card
    from quizbank.sheets.document import Document


def sheet(
    topics: tuple[str, ...],
    cards: tuple[str, ...],
    paper: Path | None,
    session: str | None,
    mode: Any,
    sheet_lang: Any,
    format_: Any,
    flavour: Any,
    date: str | None,
    force: bool,
    output: Path,
    decks: tuple[Path, ...],
) -> int:
    """Write the cards asked for (all of them where nothing is said), a paper or a self-test to a file."""
    from quizbank.sheets.export import build, write
    from quizbank.target import check_target

    if sum((bool(topics or cards), paper is not None, session is not None)) > 1:
        raise InputError(
            Text("name cards, a paper or a session, not several", "卡片、试卷、自测三者只能选其一"),
            "--paper" if paper is not None else "--session",
        )
    to_stdout = str(output) == "-"
    if to_stdout and format_ != "html":
        raise InputError(
            Text("only html is one stream; name a file", "只有 html 能输出到标准输出；请指定文件名"),
            "--output -",
        )
    if not to_stdout:
        check_target(output, force)
    language: Language = "zh" if sheet_lang == "zh" else "en"
    deck = open_deck(decks, language)
    proofs = ProofCache(deck.home.cache / "proofs")
    if paper is not None or session is not None:
        document = _of_paper(deck, paper, session, mode, sheet_lang, date, proofs)
    else:
        document = build(
            _chosen(deck, topics, cards),
            deck.bank,
            deck.quantities,
            language=sheet_lang,
            mode=mode,
            date=date or "",
            proofs=proofs,
        )
    if to_stdout:
        from quizbank.sheets.html import html

        sys.stdout.write(html(document))
        return 0
    write(document, output, format_, flavour)
    print(output, file=sys.stderr)
    return 0


def _chosen(deck: Deck, topics: tuple[str, ...], cards: tuple[str, ...]) -> list[Card]:
    from quizbank.sheets.export import NOTHING_MATCHES

    chosen = [deck.bank.card(card_id) for card_id in dict.fromkeys(cards)]
    chosen += (
        [card for card in matching(deck.bank, topics) if card not in chosen] if topics or not cards else []
    )
    if not chosen:
        raise InputError(NOTHING_MATCHES)
    return chosen


def _of_paper(
    deck: Deck,
    paper: Path | None,
    session: str | None,
    mode: Any,
    language: Any,
    date: str | None,
    proofs: ProofCache,
) -> Document:
    """A paper from its file, or a self-test: with its answers, or in another mode the paper that was sat."""
    from quizbank.papers.paper import read_paper
    from quizbank.sheets.paper_sheet import PaperSheets
    from tui.shell.papers import sat

    made = PaperSheets(deck.bank, deck.quantities, language, date or "", proofs)
    if paper is not None:
        return made.of_paper(read_paper(paper), mode)
    assert session is not None
    report = sat(deck.home, session)
    return made.of_session(report) if mode == "embedded" else made.of_paper(report.paper, mode)
