"""The lines of a derivation apart from the screen: how each is read, its verdict, which hint comes next."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from engine.errors import InputError
from engine.text import Language, Text
from tui import answer_messages as words
from tui.answer_text import symbols_prose
from tui.widgets.menu import Item

if TYPE_CHECKING:
    from engine.answers.form import Form
    from engine.answers.reading import Reading
    from engine.answers.verdict import Verdict
    from quizbank.card import Milestone

JudgeLine = Callable[[str, str], "Verdict"]
"""The verdict on a line, given the line before it: ``judge_line(before, line)``. Called in a thread."""

OWN, HINTED = "=", "?="
"""What a line begins with in the answer: one the person wrote, one a hint gave."""
START = "start"
"""The id of the start in :meth:`DerivedLines.items`; the others have their place, from 0."""


@dataclass(frozen=True)
class Line:
    """A line without its equals sign. ``verdict`` is None until it was judged against the line before."""

    text: str
    hinted: bool = False
    verdict: Verdict | None = None


@dataclass(frozen=True)
class Read:
    """How a line was read; ``form`` is None where it was not, and equal for lines that differ in trifles."""

    reading: Reading
    form: Form | None


class DerivedLines:
    """From ``start`` to ``goal``, both typed formulas over ``symbols``; ``where`` constrains vectors."""

    def __init__(
        self,
        start: str,
        goal: str,
        symbols: Mapping[str, str],
        mode: str,
        where: Mapping[str, str],
        milestones: Sequence[Milestone],
        is_judged: bool,
    ) -> None:
        self.start = start
        self.goal = goal
        self.symbols = dict(symbols)
        self.mode = mode
        self.where = dict(where)
        self.milestones = tuple(milestones)
        self.is_judged = is_judged
        self.lines: list[Line] = []
        self.known: dict[str, Read] = {}

    @property
    def written(self) -> tuple[str, ...]:
        return tuple(f"{HINTED if line.hinted else OWN} {line.text}" for line in self.lines)

    def load(self, answer: str) -> None:
        """Put the lines of an answer in place of those that stand here."""
        self.lines = []
        for line in map(str.strip, answer.splitlines()):
            if text := bare(line.removeprefix("?")):
                self.lines.append(Line(text, line.startswith(HINTED)))

    def change(self, place: int, *texts: str) -> None:
        """Other lines in the place of one; none takes it out. What follows must be judged anew."""
        self.lines[place : place + 1] = [Line(text) for text in texts]
        after = place + len(texts)
        if after < len(self.lines):
            self.lines[after] = replace(self.lines[after], verdict=None)

    # Reading: slow, for a thread ---------------------------------------------------------------

    def read_line(self, text: str) -> Reading:
        """How a line is read, or a chain of them; a fault of the card's is nobody's fault here."""
        from engine.answers.derivation import lines_of
        from engine.answers.reading import Reading, read_answer

        if not text.strip():
            return Reading("")
        links = [line.text for line in lines_of(f"= {text}")]
        try:
            if len(links) == 1:
                return read_answer(text, self.symbols, self.mode)
            return read_answer("\n".join(links), self.symbols, "derivation", line_mode=self.mode)
        except InputError:
            return Reading("")

    def read_chains(self, typed: Iterable[str]) -> tuple[list[str], dict[str, Read]]:
        """What was typed as lines: of ``a = b`` both; and how each is read.

        Raises:
            InputError: they would be more lines than a derivation has.
        """
        from engine.answers.derivation import MOST_LINES, TOO_MANY_LINES, lines_of

        texts = [line.text for one in typed for line in lines_of(f"= {one}") if line.text]
        # the start is a line too
        if len(texts) > 1 and len(self.lines) + len(texts) >= MOST_LINES:
            raise InputError(TOO_MANY_LINES)
        return texts, self.read(texts)

    def read(self, texts: Iterable[str]) -> dict[str, Read]:
        from engine.answers.form import form_of
        from engine.answers.verdict import RefusalError

        found: dict[str, Read] = {}
        for text in texts:
            form = None
            try:
                form = form_of(text, self.symbols, self.mode)
            except (InputError, RefusalError):
                # it has no form to compare; the reading tells the person why
                form = None
            found[text] = Read(self.read_line(text), form)
        return found

    @property
    def unread(self) -> tuple[str, ...]:
        """What of all that is shown was not read yet."""
        texts = [
            self.start,
            self.goal,
            *(m.line for m in self.milestones),
            *(line.text for line in self.lines),
        ]
        return tuple(text for text in dict.fromkeys(texts) if text not in self.known)

    # Where the derivation stands ---------------------------------------------------------------

    @property
    def standing(self) -> int:
        """How many lines stand to be judged: as far as the first that does not follow or cannot be read."""
        stops = (
            place
            for place, line in enumerate(self.lines, 1)
            if line.verdict and line.verdict.verdict not in ("equal", "undecided")
        )
        return next(stops, len(self.lines))

    @property
    def first_bad(self) -> int | None:
        return next(
            (n for n, line in enumerate(self.lines) if line.verdict and line.verdict.verdict != "equal"), None
        )

    @property
    def reached(self) -> bool:
        """Whether every line follows and the last is the goal."""
        return bool(self.lines) and self.first_bad is None and self._alike(self.lines[-1].text, self.goal)

    def next_milestone(self) -> Milestone | None:
        """The first after the last one that stands among the lines already, typed or given."""
        passed = max((self._passed(line.text) for line in self.lines), default=0)
        return self.milestones[passed] if passed < len(self.milestones) else None

    def _passed(self, text: str) -> int:
        """How many milestones lie behind a line: as far as the one it is; 0 where it is none."""
        from quizbank.drills.derivation import places_of

        own = next((place for place, one in enumerate(self.milestones, 1) if one.line == text), 0)
        form, start = self._form(text), self._form(self.start)
        forms = [known for one in self.milestones if (known := self._form(one.line)) is not None]
        if own or form is None or start is None or len(forms) < len(self.milestones):
            return own
        # of several that it could be, the first: a hint too many shows less than one too few
        return min(places_of(form, start, forms), default=-1) + 1

    def _form(self, text: str) -> Form | None:
        return self.known[text].form if text in self.known else None

    def _alike(self, one: str, other: str) -> bool:
        """Whether two lines are the same up to trifles: order, brackets."""
        forms = [self._form(text) for text in (one, other)]
        return one == other or (forms[0] is not None and forms[0] == forms[1])

    # As entries of a list ----------------------------------------------------------------------

    def items(self, language: Language) -> list[Item]:
        """Goal and names, the start, then every line laid out, with its verdict or how it came here."""
        goal = words.GOAL.of(language).format(goal=self._inline(self.goal))
        items = [
            Item("about", f"- {goal}\n- {symbols_prose(self.symbols, self.where, language)}", role="text"),
            Item(START, self._shown(self.start), lead="0.", note=words.START.of(language)),
        ]
        for place, line in enumerate(self.lines):
            note = " · ".join(text.of(language) for text in self._notes(place, line))
            said = "\n".join(f"- {text.of(language)}" for text in self._details(place, line))
            lead = f"{place + 1}."
            items.append(Item(str(place), self._shown(line.text, "= "), lead=lead, note=note, detail=said))
        return items

    def _latex(self, text: str) -> str:
        return self.known[text].reading.latex if text in self.known else ""

    def _shown(self, text: str, sign: str = "") -> str:
        """The formula as prose, laid out in two dimensions; as it was typed where it was not read."""
        latex = self._latex(text)
        return f"$${sign}{latex}$$" if latex else _typed(sign + text)

    def _inline(self, text: str) -> str:
        latex = self._latex(text)
        return f"${latex}$" if latex else _typed(text)

    def _fault(self, text: str) -> Text | None:
        return self.known[text].reading.fault if text in self.known else None

    def _notes(self, place: int, line: Line) -> list[Text]:
        notes = [words.HINT_LINE] if line.hinted else []
        if self._fault(line.text) is not None:
            notes.append(words.NOT_READ)
        elif place >= self.standing:
            notes.append(words.UNCHECKED)
        elif line.verdict is not None:
            sign = {"equal": words.FOLLOWS, "different": words.FOLLOWS_NOT}.get(line.verdict.verdict)
            notes.append(sign or (words.NOT_READ if line.verdict.is_refusal else words.NOT_DECIDED))
        elif self.is_judged:
            notes.append(words.JUDGING)
        if self._alike(line.text, self.goal):
            notes.append(words.IS_GOAL)
        return notes

    def _details(self, place: int, line: Line) -> list[Text]:
        from quizbank.papers.told import counterexample

        if (fault := self._fault(line.text)) is not None:
            return [fault]
        if line.verdict is not None and place == self.first_bad:
            case = counterexample(line.verdict, of_a_line=True)
            return [line.verdict.reason, *([case] if case is not None else [])]
        if line.hinted:
            return [one.hint for one in self.milestones if one.line == line.text]
        return []


def bare(line: str) -> str:
    """A line without the equals sign it may begin with."""
    return line.strip().removeprefix("=").removeprefix("＝").strip()


def _typed(text: str) -> str:
    return f"`{text.replace('`', chr(39))}`"


def judged(judge_line: JudgeLine, before: str, line: str) -> Verdict:
    """The verdict; a fault of the card leaves the line undecided and says so."""
    from engine.answers.verdict import Verdict

    try:
        return judge_line(before, line)
    except InputError as error:
        return Verdict("undecided", error.text)
