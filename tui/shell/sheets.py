"""`sheet`: answer sheets from the shell."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.errors import InputError
from engine.text import Language, Text
from tui.shell.deck import Deck, matching, open_deck
from tui.shell.progress import WRITING, shown_progress

if TYPE_CHECKING:
    from quizbank.card import Card
    from quizbank.papers.paper import Paper
    from quizbank.sheets.gather import Source

_NO_QUESTIONS = Text(
    "this paper has no questions; draw another (proofdeck paper)",
    "这份试卷没有题目；请另组一份（proofdeck paper）",
)
_CANNOT_ASK = Text(
    "question {number}: {why}; name the deck it came from (--deck), or draw another paper (proofdeck paper)",
    "第 {number} 题：{why}；请用 --deck 指定它所在的卡片文件，或另组一份试卷（proofdeck paper）",
)

_IN_EVERY_MODE = Text(
    "--mode {mode}: {format} has question and answer in every mode",
    "--mode {mode}：{format} 在任何模式下都同时含问题与答案",
)
_NO_EFFECT = Text("--{name}: has no effect on {format}", "--{name}：对 {format} 不起作用")
_DRAWN_ALREADY = Text(
    "--seed: has no effect, the questions are drawn already", "--seed：不起作用，题目已经抽定"
)


def sheet(
    topics: tuple[str, ...],
    cards: tuple[str, ...],
    level: str | None,
    verdict: str | None,
    demo: str | None,
    card_set: str | None,
    paper: Path | None,
    session: str | None,
    mode: Any,
    sheet_lang: Any,
    format_: Any,
    flavour: Any,
    size: Any,
    seed: int | None,
    date: str | None,
    force: bool,
    output: Path,
    decks: tuple[Path, ...],
) -> int:
    """Write the cards asked for (all of them where nothing is said), a paper or a self-test to a file."""
    from quizbank.fault import shown
    from quizbank.sheets.export import export, made, printed_date
    from quizbank.sheets.formats import Options
    from quizbank.target import check_target

    filtered = bool(topics or cards or level or verdict or demo or card_set)
    if sum((filtered, paper is not None, session is not None)) > 1:
        raise InputError(
            Text("name cards, a paper or a session, not several", "卡片、试卷、自测三者只能选其一"),
            "--paper" if paper is not None else "--session",
        )
    asked = {"mode": mode, "flavour": flavour, "size": size, "seed": seed, "date": printed_date(date or "")}
    asked = {name: value for name, value in asked.items() if value not in (None, "")}
    options = Options(language=sheet_lang, force=force, **asked)
    to_stdout = str(output) == "-"
    format_ = format_ or _by_ending(output)
    if to_stdout and format_ == "md":
        raise InputError(
            Text(
                "Markdown has its figures in files beside it; name a file",
                "Markdown 的插图另存为文件；请指定文件名",
            ),
            "--output -",
        )
    if not to_stdout:
        check_target(output, force)
    language: Language = "zh" if sheet_lang == "zh" else "en"
    deck = open_deck(decks, language)
    source: Source
    if paper is not None:
        source = _drawn(deck, paper)
    elif session is not None:
        from tui.shell.papers import sat

        source = sat(deck.home, session)
    else:
        source = _chosen(deck, topics, cards, level, verdict, demo, card_set)
    for line in _without_effect(asked, format_, drawn=paper is not None or session is not None):
        print(line.of(language), file=sys.stderr)
    if to_stdout:
        with _ended_cleanly(), shown_progress(WRITING, language) as told:
            written = made(
                source,
                deck.bank,
                deck.quantities,
                format_,
                options,
                cache=deck.home.cache,
                progress=lambda done, whole: told(done / max(1, whole)),
            )
        if isinstance(written.content, str):
            sys.stdout.write(written.content)
        else:
            sys.stdout.buffer.write(written.content)
        return 0
    with _ended_cleanly(), shown_progress(WRITING, language) as told:
        export(
            source,
            deck.bank,
            deck.quantities,
            output,
            format_,
            options,
            cache=deck.home.cache,
            progress=lambda done, whole: told(done / max(1, whole)),
        )
    print(shown(str(output), 4096), file=sys.stderr)
    return 0


def _without_effect(asked: Mapping[str, Any], format_: Any, drawn: bool) -> Iterator[Text]:
    """A line for each option that was given and changes nothing; ``drawn``: a paper or a self-test is written."""
    from quizbank.sheets.formats import FORMATS

    kind = FORMATS[format_]
    for name, value in asked.items():
        if name == "mode" and kind.answers and value != "embedded":
            yield _IN_EVERY_MODE.filled(mode=value, format=kind.name)
        elif name in kind.unread:
            yield _NO_EFFECT.filled(name=name, format=kind.name)
        elif name == "seed" and drawn:
            yield _DRAWN_ALREADY


def _by_ending(output: Path) -> str:
    """The format that the file's name ends in.

    Raises:
        InputError: none does.
    """
    from quizbank.sheets.formats import FORMATS

    for known in FORMATS.values():
        if output.suffix.lower() == known.ending:
            return known.name
    raise InputError(
        Text(
            "must be one of {all}, or the file's name must end in one",
            "须取 {all} 之一，或者让文件名以其中之一结尾",
        ).filled(all=", ".join(FORMATS)),
        "--format",
    )


@contextmanager
def _ended_cleanly() -> Iterator[None]:
    """A call that is told to end, or whose terminal is closed, takes with it what it had begun to write."""

    def end(number: int, _frame: object) -> None:
        raise SystemExit(128 + number)

    told = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
    before = {number: signal.signal(number, end) for number in told}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _drawn(deck: Deck, path: Path) -> Paper:
    """A paper whose questions are all in the bank still.

    Raises:
        InputError: they are not, or there are none; with the file, the number of the question and what to do.
    """
    from quizbank.drills.variant import find_drill
    from quizbank.fault import shown
    from quizbank.papers.paper import read_paper

    paper = read_paper(path)
    cards = deck.bank.by_id
    where = shown(str(path), 300)
    if not paper.questions:
        raise InputError(_NO_QUESTIONS, where)
    for number, question in enumerate(paper.questions, 1):
        try:
            find_drill(cards, question.variant)
        except InputError as error:
            text = Text(
                _CANNOT_ASK.en.format(number=number, why=error.text.en),
                _CANNOT_ASK.zh.format(number=number, why=error.text.zh),
            )
            raise InputError(text, where) from error
    return paper


def _chosen(
    deck: Deck,
    topics: tuple[str, ...],
    cards: tuple[str, ...],
    level: str | None,
    verdict: str | None,
    demo: str | None,
    card_set: str | None,
) -> list[Card]:
    """The cards named, then those that match what else is asked for; of a set, in its order."""
    chosen = [deck.bank.card(card_id) for card_id in dict.fromkeys(cards)]
    if not cards or topics or level or verdict or demo or card_set:
        if demo is not None:
            from engine.demos import find

            demo = find(demo).id
        matched = list(matching(deck.bank, topics, level, verdict, demo))
        if card_set is not None:
            matched = [card for card in deck.bank.of_set(card_set) if card in matched]
        chosen += [card for card in matched if card not in chosen]
    return chosen
