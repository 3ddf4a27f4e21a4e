"""`sheet`: answer sheets from the shell."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from engine.errors import InputError
from engine.proof.derivation import ProofCache
from engine.text import Language, Text
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
    from quizbank.sheets.export import build, check_target, export

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
    chosen = [deck.bank.card(card_id) for card_id in dict.fromkeys(cards)]
    chosen += (
        [card for card in matching(deck.bank, topics) if card not in chosen] if topics or not cards else []
    )
    proofs = ProofCache(deck.home.cache / "proofs")
    if to_stdout:
        from quizbank.sheets.html import html

        document = build(
            chosen, deck.bank, deck.quantities, language=sheet_lang, mode=mode, date=date or "", proofs=proofs
        )
        sys.stdout.write(html(document))
        return 0
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
        proofs=proofs,
    )
    print(written, file=sys.stderr)
    return 0
