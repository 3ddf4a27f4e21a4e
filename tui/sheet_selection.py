"""What goes on a sheet: cards, topics, a set, a paper, a self-test, or everything."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from quizbank.papers.paper import Paper
    from quizbank.sheets.gather import Source
    from tui.workspace import Workspace


@dataclass(frozen=True)
class Selection:
    """One of the fields says what is meant; the whole bank where none does.

    ``session`` is the id of a self-test; ``paper`` is then the one that was sat, on ``day``. ``unfinished``: it is not
    handed in yet, so only its questions go on a sheet.
    """

    cards: tuple[str, ...] = ()
    topics: tuple[str, ...] = ()
    card_set: str = ""
    paper: Paper | None = None
    session: str = ""
    day: str = ""
    unfinished: bool = False

    @property
    def stem(self) -> str:
        """What a file of it may be called, without its ending."""
        if self.paper is not None:
            return f"proofdeck-{self.paper.form}"
        if len(self.cards) == 1:
            return f"proofdeck-{self.cards[0]}"
        if len(self.topics) == 1:
            return f"proofdeck-{self.topics[0]}"
        return f"proofdeck-{self.card_set or 'cards'}"

    def source(self, workspace: Workspace) -> Source:
        """What the sheet is of.

        Raises:
            InputError: a card, a set or a self-test that is there no longer.
        """
        if self.session:
            return workspace.results.report(self.session)
        if self.paper is not None:
            return self.paper
        bank = workspace.bank
        if self.cards:
            return tuple(bank.card(card) for card in self.cards)
        return workspace.matching({"topics": self.topics, "set": self.card_set})


WHOLE_BANK = Selection()
