"""A self-test on paper: its questions, its key, or what a person answered, each beside the reference.

The variants are the frozen ones of the paper, so questions and key agree whatever was drawn since.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from engine.text import Text, same
from quizbank import labels
from quizbank.card import Card
from quizbank.drills.graded import Graded
from quizbank.papers.paper import Paper, Question
from quizbank.papers.results import Line, Report, Score
from quizbank.papers.told import Told, told
from quizbank.plain import demo_line
from quizbank.sheets.content import Item, Sheet
from quizbank.sheets.document import Answers, Boxed, Bullets, Document, Heading, Node, Note, Passage, Table
from quizbank.sheets.drill_nodes import asked_nodes, solution_nodes
from quizbank.sheets.proof_nodes import Proofs
from quizbank.sheets.questions import LINES_TO_WRITE, Asked
from quizbank.sheets.references import bibliography_nodes, form_line, source_nodes
from quizbank.sheets.wording import capital, joined, labelled

_TITLE: Mapping[str, Text] = {
    "paper": Text("Self-test", "自测试卷"),
    "embedded": Text("Self-test with answers", "自测试卷与解答"),
    "key": Text("Key to the self-test", "自测试卷答案"),
}
_ANSWERED = Text("Self-test, as answered", "自测作答与解析")
_LIMIT = Text(
    "{n} {n:question|questions}, {minutes} {minutes:minute|minutes}", "共 {n} 题，限时 {minutes} 分钟"
)
_NO_LIMIT = Text("{n} {n:question|questions}, no time limit", "共 {n} 题，不限时")
_SAT = Text("sat on {day}, {time} used, {status}", "作答日期 {day}，用时 {time}，{status}")
_SCORES = Text("Scores", "得分")
_SCORES_HEADER = (Text("topic or kind", "主题或题型"), Text("points", "得分"), Text("share", "得分率"))
_ALL = Text("all", "合计")
_GONE = Text("this question is no longer in the bank: {key}", "题库中已没有这道题：{key}")


def compose_paper(sheet: Sheet, paper: Paper) -> Document:
    """The questions alone, the key alone, or each question with its key and what backs it."""
    return _document(sheet, _TITLE[sheet.mode], [*_limit(paper), *_questions(sheet)])


def compose_answered(sheet: Sheet, report: Report) -> Document:
    """What the person answered, graded, each answer beside the reference; also of cards that are gone."""
    nodes = [*_limit(report.paper), _sitting(report), _scores(report)]
    for number, (line, item) in enumerate(zip(report.lines, sheet.items, strict=True), 1):
        nodes.append(_heading(number, line.question))
        nodes.extend(_answered(line, item))
    return _document(sheet, _ANSWERED, nodes)


def _document(sheet: Sheet, title: Text, nodes: list[Node]) -> Document:
    whole: list[Node] = [Heading(1, title), form_line(sheet.heading), *nodes]
    if sheet.mode != "paper":
        used = {source.key for card in sheet.cards for source in card.sources}
        whole += bibliography_nodes(used, sheet.bibliography)
    return Document(title, sheet.languages, tuple(whole), sheet.heading.form, sheet.heading.date)


def _limit(paper: Paper) -> Iterator[Node]:
    limit = _NO_LIMIT if paper.minutes is None else _LIMIT
    yield Note(limit.filled(n=len(paper.questions), minutes=paper.minutes))


def _questions(sheet: Sheet) -> Iterator[Node]:
    proofs = Proofs(level=3)
    for number, item in enumerate(sheet.items, 1):
        yield _heading(number, item.question)
        card, asked = item.card, item.asked
        if card is None or asked is None:
            # a self-test outlives its cards
            yield _gone(item.question)
            continue
        if sheet.mode != "key":
            yield from asked_nodes(asked)
        if sheet.mode == "paper":
            yield Answers(LINES_TO_WRITE[asked.drill.kind])
            continue
        yield from _key(asked, card)
        for backing in sheet.backings.get(card.id, ()):
            yield from proofs.nodes(backing)
        yield from source_nodes(card.sources, sheet.bibliography, level=3)


def _key(asked: Asked, card: Card) -> Iterator[Node]:
    yield from solution_nodes(asked, card)
    if asked.drill.kind == "recall":
        yield Passage(card.answer)
    yield from _calls(card)


def _calls(card: Card) -> Iterator[Node]:
    """The calls that show it."""
    if card.demos:
        yield Bullets(tuple(same(demo_line(demo)) for demo in card.demos))


def _answered(line: Line, item: Item) -> Iterator[Node]:
    if item.asked is None:
        yield _gone(line.question)
    else:
        yield from asked_nodes(item.asked)
    sign, word = labels.OUTCOME[line.outcome]
    time = labelled(labels.TIME, same(_clock(line.spent_ms)))
    yield Note(joined(Text(f"{sign} {word.en}", f"{sign} {word.zh}"), time))
    for part in _told(line.graded) if line.graded else ():
        yield Boxed(part.label, part.text) if part.label is not None else Passage(part.text)
    if item.card is not None and item.asked is not None:
        if line.graded is None:
            yield from solution_nodes(item.asked, item.card)
        yield from _calls(item.card)


def _gone(question: Question) -> Note:
    return Note(_GONE.filled(key=question.variant.key))


def _told(graded: Graded) -> Iterator[Told]:
    """As :func:`told`, the lines of a derivation as one text."""
    parts = tuple(told(graded))
    lines = len(graded.lines)
    if lines:
        yield Told(joined(*(part.text for part in parts[:lines]), by=same("\n\n")), labels.GIVEN)
    yield from parts[lines:]


def _heading(number: int, question: Question) -> Heading:
    kind = capital(labels.KIND[question.variant.kind])
    facts = joined(kind, labels.TOPIC[question.topic], labels.LEVEL[question.level])
    title = Text(f"{number}. {facts.en}", f"{number}. {facts.zh}")
    return Heading(2, title, anchor=f"question-{number}", listed=True)


def _sitting(report: Report) -> Note:
    status = labels.STATUS[report.status]
    facts = {"day": report.day.isoformat(), "time": _clock(report.used_ms)}
    return Note(Text(_SAT.en.format(status=status.en, **facts), _SAT.zh.format(status=status.zh, **facts)))


def _clock(ms: int) -> str:
    minutes, seconds = divmod(ms // 1000, 60)
    return f"{minutes}:{seconds:02d}"


def _scores(report: Report) -> Table:
    def row(name: Text, score: Score) -> tuple[Text, ...]:
        share = "–" if score.share is None else f"{score.share:.0%}"
        return name, same(f"{score.earned:.3g} / {score.possible}"), same(share)

    rows = [row(_ALL, report.score)]
    rows += [row(labels.TOPIC[topic], score) for topic, score in report.by_topic.items()]
    rows += [row(labels.KIND[kind], score) for kind, score in report.by_kind.items()]
    return Table(_SCORES, _SCORES_HEADER, tuple(rows))
