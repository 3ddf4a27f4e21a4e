"""From cards to a document: what a sheet says and in which order, for every mode and language."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from engine import coding
from engine.demonstration import RELATION_SIGN, Check, Parameter
from engine.proof.words import badge, method
from engine.text import Language, Text
from quizbank import labels
from quizbank.card import Card, CodeDrill, DerivationDrill, Option
from quizbank.reference import Source
from quizbank.sheets.content import Backing, Sheet
from quizbank.sheets.content import Heading as About
from quizbank.sheets.document import (
    Answers,
    Boxed,
    Bullets,
    Document,
    Drawing,
    Entry,
    Formula,
    Heading,
    Node,
    Note,
    Passage,
    Table,
)
from quizbank.sheets.questions import LETTERS, LINES_TO_WRITE, Asked
from quizbank.slot_grammar import rounded

_TITLE = {
    "paper": Text("Interview questions", "面试题"),
    "embedded": Text("Interview questions with answers", "面试题与解答"),
    "key": Text("Answer key", "参考答案"),
}
_FORM = Text(
    "form {form} · bank {revision} · seed {seed} · Proofdeck {version}{date}",
    "卷号 {form} · 题库 {revision} · 种子 {seed} · Proofdeck {version}{date}",
)
_CHECK_HEADER = Text("check|predicted|measured|tolerance|verdict", "检验|预测|实测|容差|结论")
_AGREES, _FAILS = Text("✓ agrees", "✓ 相符"), Text("✗ fails", "✗ 不符")
_AT = Text("at {settings}", "取 {settings}")
COLON, _COMMA = Text(": ", "："), Text(", ", "，")
_BRACKETED = Text(" ({text})", "（{text}）")
_LISTED_TWICE = Text("Bibliography", "参考文献")


def compose(
    sheet: Sheet, bibliography: Mapping[str, Source], asked: Mapping[str, tuple[Asked, ...]]
) -> Document:
    """The whole sheet as nodes. ``asked`` holds the drawn drills of each card, by its id."""
    return Document(
        " · ".join(_TITLE[sheet.mode].of(language) for language in sheet.languages),
        sheet.languages,
        tuple(_nodes(sheet, bibliography, asked)),
    )


def _nodes(
    sheet: Sheet, bibliography: Mapping[str, Source], asked: Mapping[str, tuple[Asked, ...]]
) -> Iterator[Node]:
    heading = sheet.heading
    for language in sheet.languages:
        yield Heading(1, _TITLE[sheet.mode].of(language), language)
        yield form_line(heading, language)
    write = {"paper": _paper, "embedded": _embedded, "key": _key}[sheet.mode]
    for position, card in enumerate(sheet.cards, 1):
        for language in sheet.languages:
            yield Heading(
                2, f"{position}. {card.question.of(language)}", language, anchor=f"{card.id}-{language}"
            )
            yield Note(_standing(card, language), language)
            yield from write(sheet, card, asked.get(card.id, ()), language)
            if sheet.mode != "paper":
                yield from source_nodes(card, bibliography, language)
    if sheet.mode != "paper":
        yield from _bibliography(sheet, bibliography)


def _standing(card: Card, language: Language) -> str:
    parts = (labels.TOPIC[card.topic], labels.LEVEL[card.level], labels.VERDICT[card.verdict])
    return " · ".join(part.of(language) for part in parts)


# the three modes


def _paper(_sheet: Sheet, card: Card, asked: tuple[Asked, ...], language: Language) -> Iterator[Node]:
    yield Answers(8)
    for index, drill in enumerate(asked, 1):
        yield from question_nodes(index, drill, language)
        yield Answers(LINES_TO_WRITE[drill.drill.kind])
    for follow_up in card.follow_ups:
        yield Passage(follow_up.question.of(language), language)
        yield Answers(3)


def _embedded(sheet: Sheet, card: Card, asked: tuple[Asked, ...], language: Language) -> Iterator[Node]:
    yield from _answer(card, language)
    for backing in sheet.backings.get(card.id, ()):
        yield from proof_nodes(backing, language)
    if card.follow_ups:
        yield Heading(3, labels.FOLLOW_UPS.of(language), language)
    for follow_up in card.follow_ups:
        yield Boxed(follow_up.question.of(language), follow_up.answer.of(language), language)
    if asked:
        yield Heading(3, labels.DRILLS.of(language), language)
    for index, drill in enumerate(asked, 1):
        yield from question_nodes(index, drill, language)
        yield from solution_nodes(drill, card, language)


def _key(_sheet: Sheet, card: Card, asked: tuple[Asked, ...], language: Language) -> Iterator[Node]:
    yield from _answer(card, language)
    for index, drill in enumerate(asked, 1):
        yield Heading(4, f"{index}. {labels.KIND[drill.drill.kind].of(language)}", language)
        yield from solution_nodes(drill, card, language)
    for follow_up in card.follow_ups:
        yield Boxed(follow_up.question.of(language), follow_up.answer.of(language), language)


def _answer(card: Card, language: Language) -> Iterator[Node]:
    if card.is_plain:
        yield Passage(card.answer.of(language), language)
        if not card.demos:
            yield Note(labels.NO_DEMONSTRATION.of(language), language)
        return
    yield Boxed(labels.SPOKEN.of(language), card.spoken.of(language), language)
    yield Heading(3, labels.ANSWER.of(language), language)
    yield Passage(card.answer.of(language), language)
    yield Heading(3, labels.KEY_POINTS.of(language), language)
    yield Bullets(tuple(point.text.of(language) for point in card.key_points), language)
    yield Heading(3, labels.TRAP.of(language), language)
    yield Boxed(labels.POPULAR.of(language), card.trap.popular.of(language), language)
    yield Boxed(labels.CORRECTION.of(language), card.trap.correction.of(language), language)
    yield Note(labelled(labels.REFUTED_BY, card.trap.refuted_by, language), language)


def form_line(heading: About, language: Language) -> Note:
    """The line that says which paper it is, of which bank, drawn how."""
    text = _FORM.of(language).format(
        form=heading.form,
        revision=heading.revision,
        seed=heading.seed,
        version=heading.version,
        date=f" · {heading.date}" if heading.date else "",
    )
    return Note(text, language)


def labelled(label: Text, text: str, language: Language) -> str:
    return f"{label.of(language)}{COLON.of(language)}{text}"


def bracketed(text: str, language: Language) -> str:
    return _BRACKETED.of(language).format(text=text)


# what backs a card


def proof_nodes(backing: Backing, language: Language) -> Iterator[Node]:
    """A demonstration: its steps with their badges, predicted against measured, its figures."""
    demo, run = backing.demo, backing.run
    title = f"{labels.PROOF.of(language)} {demo.id}{COLON.of(language)}{demo.title.of(language)}"
    yield Heading(3, title, language)
    yield Passage(demo.shows.of(language), language)
    for number, step in enumerate(backing.steps, 1):
        yield Formula(
            number=number,
            badge=badge(step).of(language),
            latex=step.statement,
            rule=step.rule.of(language),
            method=step.source or method(step).of(language),
            counterexample=step.counterexample,
            language=language,
        )
    settings = _COMMA.of(language).join(
        _setting(parameter, run.params.as_dict()[parameter.name]) for parameter in demo.parameters
    )
    yield Table(
        labels.MEASURED_AGAINST.of(language)
        + bracketed(_AT.of(language).format(settings=settings), language),
        tuple(_CHECK_HEADER.of(language).split("|")),
        tuple(_check_row(check, language) for check in run.checks),
        language,
    )
    for figure in run.figures():
        yield Drawing(figure, language)


def _setting(parameter: Parameter, value: object) -> str:
    return f"{parameter.name} = {f'{value:.6g}' if isinstance(value, float) else value}"


def _check_row(check: Check, language: Language) -> tuple[str, ...]:
    relation = "" if check.relation == "=" else f"{RELATION_SIGN[check.relation]} "
    tolerance = "" if check.tolerance is None else f"± {rounded(check.tolerance, 3)}"
    law = check.law.of(language)
    return (
        check.claim.of(language),
        relation + rounded(check.predicted, 4),
        rounded(check.measured, 4),
        tolerance + bracketed(law, language) if tolerance else law,
        (_AGREES if check.ok else _FAILS).of(language),
    )


# drills


def question_nodes(index: int, asked: Asked, language: Language) -> Iterator[Node]:
    """A drill under a heading of its own."""
    kind = labels.KIND[asked.drill.kind].of(language)
    yield Heading(4, f"{index}. {kind}", language)
    yield from asked_nodes(asked, language)


def asked_nodes(asked: Asked, language: Language) -> Iterator[Node]:
    """What is asked, with its options, the ends of a derivation, or how a program begins."""
    yield Passage(asked.question.of(language), language)
    if isinstance(asked.drill, CodeDrill):
        specification = coding.load(asked.drill.spec)
        yield Passage(specification.task.of(language), language)
        yield Passage(_program(specification.start(language)), language)
    if isinstance(asked.drill, DerivationDrill):
        ends = ((labels.START, asked.drill.start), (labels.GOAL, asked.drill.goal))
        yield Bullets(tuple(labelled(label, f"`{end}`", language) for label, end in ends), language)
    if asked.options:
        yield Bullets(
            tuple(_option(letter, option, language) for letter, option in _lettered(asked)), language
        )


def _program(source: str) -> str:
    """A program as prose."""
    stripped = source.strip("\n")
    return f"```python\n{stripped}\n```"


def _lettered(asked: Asked) -> Iterator[tuple[str, Option]]:
    return zip(LETTERS, asked.options, strict=False)


def _option(letter: str, option: Option, language: Language) -> str:
    return f"({letter}) {option.text.of(language)}"


def solution_nodes(asked: Asked, card: Card, language: Language) -> Iterator[Node]:
    """The key of a drill, and what the wrong answers to it get wrong."""
    if asked.options:
        for letter, option in _lettered(asked):
            if option.right:
                yield Boxed(labelled(labels.KEY, letter, language), option.feedback.of(language), language)
        wrong = tuple(
            f"({letter}) {option.feedback.of(language)}"
            for letter, option in _lettered(asked)
            if not option.right
        )
        yield Bullets(wrong, language)
    elif isinstance(asked.drill, CodeDrill):
        yield Passage(_program(coding.load(asked.drill.spec).solution), language)
    elif asked.answer:
        yield Passage(labelled(labels.KEY, asked.answer, language), language)
        if asked.slips:
            slips = (f"{value}{COLON.of(language)}{name.of(language)}" for value, name in asked.slips)
            yield Bullets(tuple(slips), language)
    else:
        yield Bullets(tuple(point.text.of(language) for point in card.key_points), language)


# sources


def source_nodes(card: Card, bibliography: Mapping[str, Source], language: Language) -> Iterator[Node]:
    """Where the card's answer is written, down to the section."""
    if not card.sources:
        return
    yield Heading(3, labels.SOURCES.of(language), language)
    for reference in card.sources:
        yield Entry(bibliography[reference.key], reference.where.of(language), language)


def _bibliography(sheet: Sheet, bibliography: Mapping[str, Source]) -> Iterator[Node]:
    language = sheet.languages[0]
    used = {reference.key for card in sheet.cards for reference in card.sources}
    yield Heading(
        2, " · ".join(_LISTED_TWICE.of(each) for each in sheet.languages), language, anchor="bibliography"
    )
    for key in sorted(used):
        yield Entry(bibliography[key], "", language)
