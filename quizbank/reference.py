"""What cards refer to: sources of the bibliography and claims of the inventory."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from quizbank.card import Topic, Verdict


@dataclass(frozen=True)
class Source:
    """A paper, a book, a report. One of ``arxiv``, ``doi`` and ``url`` is there; the others are empty."""

    key: str
    authors: tuple[str, ...]
    year: int
    title: str
    venue: str
    arxiv: str = ""
    doi: str = ""
    url: str = ""

    @property
    def link(self) -> str:
        """Where it can be read."""
        if self.arxiv:
            return f"https://arxiv.org/abs/{self.arxiv}"
        return f"https://doi.org/{self.doi}" if self.doi else self.url

    @property
    def short(self) -> str:
        """As a text names it: ``Vaswani et al. 2017``."""
        names = [author.split()[-1] for author in self.authors]
        if len(names) == 1:
            return f"{names[0]} {self.year}"
        if len(names) == 2:
            return f"{names[0]} & {names[1]} {self.year}"
        return f"{names[0]} et al. {self.year}"


@dataclass(frozen=True)
class Claim:
    """Something said about these architectures, how far it is true, and what backs that.

    ``topic`` is the one whose cards are to carry it, ``system`` the family it is about.
    ``graded`` is False where nobody is to be marked right or wrong for it.
    """

    id: str
    system: str
    topic: Topic
    claim: str
    verdict: Verdict
    kind: Literal["proved", "measured", "cited"]
    demos: tuple[str, ...]
    graded: bool = True
