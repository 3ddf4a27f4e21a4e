"""No two questions of the bank ask the same, and the length of an option does not give it away."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import ceil

from engine.errors import InputError
from engine.notation.page import inline
from engine.notation.wide import width
from engine.text import LANGUAGES, Language, Text
from quizbank.card import Card, ChoiceDrill, Option
from quizbank.check.likeness import alike, content
from quizbank.check.view import View
from quizbank.fault import Fault
from quizbank.yaml_nodes import Loc

SHARED = 0.7
"""Share of the words of two questions, in either language, from which they are looked at together."""
MOST_LONGEST = 0.4
"""Share of the choices in which the right option may be the longest."""
COUNTED_FROM = 10
"""Choices from which that share says something."""
_LANGUAGE = {"en": Text("English", "英文"), "zh": Text("Chinese", "中文")}


def question_faults(view: View) -> Iterator[Fault]:
    yield from _doubled(view)
    for language in LANGUAGES:
        yield from _longest(view, language)


@dataclass(frozen=True)
class _Asked:
    card: Card
    loc: Loc
    text: Text
    kind: str


def _asked(view: View) -> Iterator[_Asked]:
    for card in view.bank.cards:
        if card.is_plain:
            # one's own question may well be one of the bank's
            continue
        yield _Asked(card, ("question",), card.question, "card")
        for i, drill in enumerate(card.drills):
            yield _Asked(card, ("drills", i, "question"), drill.question, drill.kind)


def _doubled(view: View) -> Iterator[Fault]:
    asked = list(_asked(view))
    told = set()
    for earlier, later in sorted(_pairs(asked)):
        one, other = asked[earlier], asked[later]
        # a recall drill may ask for its own card's answer
        own = one.card is other.card and {one.kind, other.kind} == {"card", "recall"}
        if later in told or own or not alike(one.text, other.text):
            continue
        told.add(later)
        place = view.place(one.card, one.loc)
        yield view.fault(
            other.card,
            other.loc,
            f"the same question as {place} ({one.card.id})",
            f"与 {place}（{one.card.id}）的问题相同",
        )


def _pairs(asked: Sequence[_Asked]) -> set[tuple[int, int]]:
    """Pairs of positions whose texts share most of their words in one language.

    Two sets of which one shares the part ``SHARED`` with the other have a word in common among the rarest
    of each, so only those are looked up.
    """
    found: set[tuple[int, int]] = set()
    for language in LANGUAGES:
        words = [frozenset(content(question.text.of(language))) for question in asked]
        often = Counter(word for each in words for word in each)
        holding: defaultdict[str, list[int]] = defaultdict(list)
        for position, each in enumerate(words):
            rarest = sorted(each, key=lambda word: (often[word], word))
            for word in rarest[: len(each) - ceil(SHARED * len(each)) + 1]:
                for earlier in holding[word]:
                    common = len(each & words[earlier])
                    if common >= SHARED * max(len(each), len(words[earlier])):
                        found.add((earlier, position))
                holding[word].append(position)
    return found


def _longest(view: View, language: Language) -> Iterator[Fault]:
    """A fault for each file with such choices, where there are too many in the whole bank."""
    counted = 0
    given_away: defaultdict[str, list[tuple[Card, Loc, str]]] = defaultdict(list)
    for card in view.bank.cards:
        for i, drill in enumerate(card.drills):
            if isinstance(drill, ChoiceDrill):
                longest = _the_longest(view, drill, language)
                counted += longest is not None
                if longest is not None and longest.right:
                    loc: Loc = ("drills", i, "options", drill.options.index(longest), "text")
                    given_away[view.file(card)].append((card, loc, f"{card.id}/{drill.id}"))
    many = sum(map(len, given_away.values()))
    if counted < COUNTED_FROM or many <= MOST_LONGEST * counted:
        return
    share, most = f"{many / counted:.0%}", f"{MOST_LONGEST:.0%}"
    for drills in given_away.values():
        card, loc, _ = drills[0]
        names = ", ".join(name for _, _, name in drills)
        said = _LANGUAGE[language]
        what = Text(
            f"in {share} of the bank's {counted} choices the right option is the longest in {said.en}, "
            f"at most {most} may be; here: {names}",
            f"题库的 {counted} 道选择题中，有 {share} 的正确选项{said.zh}最长，至多允许 {most}；此处有：{names}",
        )
        yield Fault(view.place(card, loc), what)


def _the_longest(view: View, drill: ChoiceDrill, language: Language) -> Option | None:
    """The option that takes most cells as shown; None where several do, or where one cannot be shown."""
    try:
        cells = [width(inline(view.quantities.fill(option.text.of(language)))) for option in drill.options]
    except InputError:
        return None  # another rule reports it
    most = max(cells)
    return drill.options[cells.index(most)] if cells.count(most) == 1 else None
