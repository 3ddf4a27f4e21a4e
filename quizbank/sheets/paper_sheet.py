"""A self-test on paper: its questions, its key, or what a person answered, each beside the reference.

The variants are the frozen ones of the paper, so questions and key agree whatever was drawn since.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib.metadata import version
from typing import Literal

from engine.errors import InputError
from engine.proof.derivation import ProofCache
from engine.text import LANGUAGES, Language, Text
from quizbank import labels
from quizbank.bank import Bank
from quizbank.card import Card
from quizbank.drills.variant import Variant, find_drill
from quizbank.papers.paper import Paper, Question
from quizbank.papers.results import Line, Report, Score
from quizbank.papers.told import told
from quizbank.plain import demo_line
from quizbank.sheets.compose import asked_nodes, form_line, labelled, proof_nodes, solution_nodes
from quizbank.sheets.content import Heading as About
from quizbank.sheets.content import Mode, back
from quizbank.sheets.document import Answers, Boxed, Bullets, Document, Heading, Node, Note, Passage, Table
from quizbank.sheets.export import printed_date
from quizbank.sheets.questions import LINES_TO_WRITE, Asked, ask_variant
from quizbank.slots import Quantities, filled

_TITLE: Mapping[str, Text] = {
    "paper": Text("Self-test", "自测试卷"),
    "embedded": Text("Self-test with answers", "自测试卷与解答"),
    "key": Text("Key to the self-test", "自测试卷答案"),
    "session": Text("Self-test, as answered", "自测作答与解析"),
}
_LIMIT = Text("{n} questions, {minutes} minutes", "共 {n} 题，限时 {minutes} 分钟")
_NO_LIMIT = Text("{n} questions, no time limit", "共 {n} 题，不限时")
_SAT = Text("sat on {day}, {time} used, {status}", "作答日期 {day}，用时 {time}，{status}")
_SCORES = Text("Scores", "得分")
_SCORES_HEADER = Text("topic or kind|points|share", "主题或题型|得分|得分率")
_ALL = Text("all", "合计")
_GONE = Text("this question is no longer in the bank: {key}", "题库中已没有这道题：{key}")


class PaperSheets:
    """Makes the documents of papers, over one bank.

    Raises:
        InputError: a value of a question cannot be computed.
    """

    def __init__(
        self,
        bank: Bank,
        quantities: Quantities,
        language: Language | Literal["both"] = "both",
        date: str = "",
        proofs: ProofCache | None = None,
    ) -> None:
        self.bank = bank
        self.quantities = quantities
        self.languages: tuple[Language, ...] = LANGUAGES if language == "both" else (language,)
        self.date = printed_date(date)
        self.proofs = proofs
        self._cards = {card.id: card for card in bank.cards}

    def of_paper(self, paper: Paper, mode: Mode) -> Document:
        """The questions alone, the key alone, or each question with its key and what backs it.

        Raises:
            InputError: a question is no longer in the bank, or has changed since the paper was drawn.
        """
        asked = [self._asked(question.variant) for question in paper.questions]
        nodes = list(self._head(mode, paper))
        write = {"paper": self._to_answer, "key": self._key, "embedded": self._with_key}[mode]
        proved: set[str] = set()
        for number, (question, (card, drill)) in enumerate(zip(paper.questions, asked, strict=True), 1):
            for language in self.languages:
                nodes.append(_heading(number, question, language))
                nodes.extend(write(drill, card, language))
            if mode == "embedded" and card.id not in proved:
                proved.add(card.id)
                for backing in back(card, self.proofs):
                    nodes.extend(
                        node for language in self.languages for node in proof_nodes(backing, language)
                    )
        return self._document(mode, nodes)

    def of_session(self, report: Report) -> Document:
        """What the person answered, graded, each answer beside the reference; also of cards that are gone."""
        nodes = list(self._head("session", report.paper))
        for language in self.languages:
            minutes, seconds = divmod(report.used_ms // 1000, 60)
            facts = _SAT.of(language).format(
                day=report.day.isoformat(),
                time=f"{minutes}:{seconds:02d}",
                status=labels.STATUS[report.status].of(language),
            )
            nodes.append(Note(facts, language))
            nodes.append(_scores(report, language))
        for number, line in enumerate(report.lines, 1):
            for language in self.languages:
                nodes.append(_heading(number, line.question, language))
                nodes.extend(self._answered(line, language))
        return self._document("session", nodes)

    def _document(self, title: str, nodes: list[Node]) -> Document:
        words = " · ".join(_TITLE[title].of(language) for language in self.languages)
        return Document(words, self.languages, tuple(nodes))

    def _head(self, title: str, paper: Paper) -> Iterator[Node]:
        about = About(paper.form, self.bank.fingerprint[:8], paper.seed, version("proofdeck"), self.date)
        limit = _NO_LIMIT if paper.minutes is None else _LIMIT
        for language in self.languages:
            yield Heading(1, _TITLE[title].of(language), language)
            yield form_line(about, language)
            yield Note(limit.of(language).format(n=len(paper.questions), minutes=paper.minutes), language)

    def _asked(self, variant: Variant) -> tuple[Card, Asked]:
        card, drill = find_drill(self._cards, variant)
        return card, ask_variant(drill, variant, self.quantities)

    def _to_answer(self, asked: Asked, _card: Card, language: Language) -> Iterator[Node]:
        yield from asked_nodes(asked, language)
        yield Answers(LINES_TO_WRITE[asked.drill.kind])

    def _with_key(self, asked: Asked, card: Card, language: Language) -> Iterator[Node]:
        yield from asked_nodes(asked, language)
        yield from self._key(asked, card, language)

    def _key(self, asked: Asked, card: Card, language: Language) -> Iterator[Node]:
        yield from solution_nodes(asked, card, language)
        answer = filled(card.answer, self.quantities.fill).of(language)
        if asked.drill.kind == "recall":
            yield Passage(answer, language)
        yield from self._backed(card, language)

    def _backed(self, card: Card, language: Language) -> Iterator[Node]:
        """The calls that show it."""
        if card.demos:
            yield Bullets(tuple(demo_line(demo) for demo in card.demos), language)

    def _answered(self, line: Line, language: Language) -> Iterator[Node]:
        variant = line.question.variant
        try:
            card, asked = self._asked(variant)
        except InputError:
            card = None
            yield Note(_GONE.of(language).format(key=variant.key), language)
        else:
            yield from asked_nodes(asked, language)
        sign, word = labels.OUTCOME[line.outcome]
        minutes, seconds = divmod(line.spent_ms // 1000, 60)
        yield Note(
            f"{sign} {word.of(language)} · {labelled(labels.TIME, f'{minutes}:{seconds:02d}', language)}",
            language,
        )
        for part in told(line.graded) if line.graded else ():
            if part.label is not None:
                yield Boxed(part.label.of(language), part.text.of(language), language)
            else:
                yield Passage(part.text.of(language), language)
        if line.graded is None and card is not None:
            yield from solution_nodes(asked, card, language)
        if card is not None:
            yield from self._backed(card, language)


def _heading(number: int, question: Question, language: Language) -> Heading:
    facts = (
        labels.KIND[question.variant.kind],
        labels.TOPIC[question.topic],
        labels.LEVEL[question.level],
    )
    title = f"{number}. {' · '.join(fact.of(language) for fact in facts)}"
    return Heading(2, title, language, anchor=f"question-{number}-{language}")


def _scores(report: Report, language: Language) -> Table:
    def row(name: str, score: Score) -> tuple[str, ...]:
        share = "–" if score.share is None else f"{score.share:.0%}"
        return name, f"{score.earned:.3g} / {score.possible}", share

    rows = [row(_ALL.of(language), report.score)]
    rows += [row(labels.TOPIC[topic].of(language), score) for topic, score in report.by_topic.items()]
    rows += [row(labels.KIND[kind].of(language), score) for kind, score in report.by_kind.items()]
    return Table(_SCORES.of(language), tuple(_SCORES_HEADER.of(language).split("|")), tuple(rows), language)
