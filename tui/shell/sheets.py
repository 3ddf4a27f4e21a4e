"""`sheet`: answer sheets from the shell."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from engine.proof.derivation import ProofCache
from engine.text import Language
from tui.shell.deck import matching, open_deck


def sheet(
    topics: tuple[str, ...],
    cards: tuple[str, ...],
    mode: Any,
    sheet_lang: Any,
    format_: Any,
    flavour: Any,
    date: str | None,
    force: bool,
    output: Path,
    decks: tuple[Path, ...],
) -> int:
    """Write the cards asked for (all of them where nothing is said) to a file."""
    from quizbank.sheets.export import check_target, export

    check_target(output, force)
    language: Language = "zh" if sheet_lang == "zh" else "en"
    deck = open_deck(decks, language)
    chosen = [deck.bank.card(card_id) for card_id in dict.fromkeys(cards)]
    chosen += (
        [card for card in matching(deck.bank, topics) if card not in chosen] if topics or not cards else []
    )
    written = export(
        chosen,
        deck.bank,
        deck.quantities,
        output,
        format=format_,
        language=sheet_lang,
        mode=mode,
        flavour=flavour,
        date=date or "",
        force=force,
        proofs=ProofCache(deck.home.cache / "proofs"),
    )
    print(written, file=sys.stderr)
    return 0
