"""`study`, `test` and `interview` with ``--plain``: line by line on stdin and stdout, without the app."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.text import Language

if TYPE_CHECKING:
    from tui.workspace import Workspace


def goes_by_lines(plain: bool) -> bool:
    """Asked for, set in the settings, or the only thing this terminal can do.

    Raises:
        InputError: a fault in the settings.
    """
    if plain or os.environ.get("TERM") == "dumb":
        return True
    from quizbank.home import Home
    from quizbank.settings import check_settings

    return check_settings(Home.from_environment().config).plain


def study_by_lines(options: Mapping[str, Any], decks: Sequence[Path], language: Language) -> int:
    """Review the cards that match. Raises InputError as :func:`tui.lines.study.study`."""
    from tui.lines.study import study
    from tui.lines.talk import Talk

    with _workspace(decks, language) as workspace:
        study(workspace, workspace.session(options), Talk(language))
    return 0


def test_by_lines(options: Mapping[str, Any], decks: Sequence[Path], language: Language) -> int:
    """Sit a paper drawn as asked, or the unfinished one, and tell how it went.

    Raises:
        InputError: as :func:`tui.lines.self_test.self_test`.
    """
    from tui.lines.self_test import self_test
    from tui.lines.talk import Talk
    from tui.shell.cards import width
    from tui.shell.deck import Deck
    from tui.shell.papers import report_rows

    with _workspace(decks, language) as workspace:
        if options.get("resume"):
            sitting = workspace.results.resume(workspace.grader)
        else:
            sitting = workspace.results.begin(workspace.paper(options), workspace.grader)
        self_test(workspace, sitting, Talk(language))
        if not sitting.running:
            deck = Deck(workspace.home, workspace.bank, workspace.quantities)
            for row in report_rows(workspace.results.report(sitting.id), deck, language, width()):
                print(row)
    return 0


def interview_by_lines(options: Mapping[str, Any], decks: Sequence[Path], language: Language) -> int:
    """Hold an interview. Raises InputError as :func:`tui.lines.interview.interview`, or no such opening."""
    from tui.lines.interview import interview
    from tui.lines.talk import Talk

    with _workspace(decks, language) as workspace:
        interview(workspace, workspace.interview(options), Talk(language))
    return 0


@contextmanager
def _workspace(decks: Sequence[Path], language: Language) -> Iterator[Workspace]:
    """What the screens share, without a screen; what a person should know of their files goes to stderr."""
    from quizbank.home import Home
    from quizbank.settings import read_settings
    from tui.workspace import Workspace

    home = Home.from_environment()
    home.data_folder()
    workspace = Workspace(home, tuple(decks), *read_settings(home.config))
    try:
        for notice in workspace.notices():
            print(notice.of(language), file=sys.stderr)
        yield workspace
    finally:
        workspace.close()
