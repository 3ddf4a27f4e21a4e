"""What a card refers to is there, and what it must have it has."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from engine import coding
from engine.errors import InputError
from engine.proof.step import Status
from engine.text import Text
from quizbank.bank import BIBLIOGRAPHY, COMPLETE, SHIPPED
from quizbank.card import LEVELS, Card, ChoiceDrill, CodeDrill
from quizbank.check.likeness import content
from quizbank.check.view import View, entry_places
from quizbank.fault import Fault
from quizbank.reference import Claim
from quizbank.reference_file import read_bibliography, read_claims, read_complete
from quizbank.teaching_order import circle_through
from quizbank.yaml_nodes import Loc, read_document

FEWEST = 3
"""Follow-ups, and drills."""
RESTATED = 0.8
"""Share of the words of a claim from which a text says the claim."""


def card_reference_faults(view: View, card: Card) -> Iterator[Fault]:
    if card.is_plain:
        yield from _demos(view, card)
        return
    yield from _complete(view, card)
    yield from _doubled(view, card)
    yield from _claims(view, card)
    yield from _sources(view, card)
    yield from _demos(view, card)
    yield from _trap(view, card)
    yield from _specifications(view, card)
    yield from _needs(view, card)
    for i, follow_up in enumerate(card.follow_ups):
        loc: Loc = ("follow_ups", i, "card")
        if follow_up.card == card.id:
            yield view.fault(card, loc, "a follow-up leads to its own card", "追问指向了它所在的卡片")
        elif follow_up.card and follow_up.card not in view.bank:
            yield view.fault(
                card, loc, f"no card is called {follow_up.card}", f"没有名为 {follow_up.card} 的卡片"
            )


def _complete(view: View, card: Card) -> Iterator[Fault]:
    for name, held in (("claims", card.claims), ("sources", card.sources), ("demos", card.demos)):
        if not held:
            yield view.fault(card, (name,), f"a card needs {name}", f"卡片缺少 {name}")
    for name, many in (("follow_ups", len(card.follow_ups)), ("drills", len(card.drills))):
        if many < FEWEST:
            yield view.fault(
                card,
                (name,),
                f"{many} of {name}, at least {FEWEST} are needed",
                f"{name} 只有 {many} 个，至少要 {FEWEST} 个",
            )
    kinds = {drill.kind for drill in card.drills}
    if len(kinds) < 2:
        yield view.fault(card, ("drills",), "drills of two kinds are needed", "至少要有两种题型")


def _doubled(view: View, card: Card) -> Iterator[Fault]:
    lists: list[tuple[Loc, Iterable[str]]] = [
        (("key_points",), (point.id for point in card.key_points)),
        (("drills",), (drill.id for drill in card.drills)),
    ]
    for i, drill in enumerate(card.drills):
        if isinstance(drill, ChoiceDrill):
            lists.append((("drills", i, "options"), (option.id for option in drill.options)))
    for loc, ids in lists:
        first: dict[str, int] = {}
        for i, id_ in enumerate(ids):
            if id_ in first:
                place = view.place(card, (*loc, first[id_], "id"))
                yield view.fault(
                    card,
                    (*loc, i, "id"),
                    f"the id {id_} is there twice, first at {place}",
                    f"编号 {id_} 重复，首次出现在 {place}",
                )
            first.setdefault(id_, i)
    for name, values in (
        ("claims", card.claims),
        ("sources", [f"{source.key} {source.where.en}" for source in card.sources]),
    ):
        for i, value in enumerate(values):
            if value in values[:i]:
                yield view.fault(card, (name, i), f"{value} is there twice", f"{value} 重复")


def _claims(view: View, card: Card) -> Iterator[Fault]:
    for i, claim in enumerate(card.claims):
        if claim not in view.bank.claims:
            yield view.fault(
                card, ("claims", i), f"{claim} is not in the inventory of claims", f"论断清单中没有 {claim}"
            )
    known = [view.bank.claims[claim] for claim in card.claims if claim in view.bank.claims]
    verdicts = {claim.verdict for claim in known if claim.graded}
    if known and not verdicts:
        yield view.fault(
            card,
            ("claims",),
            f"{known[0].id} is not to be graded: it may stand beside a claim that is, not alone",
            f"{known[0].id} 不作对错评判：它只能与要评判的论断并列，不能单独成卡",
        )
    for ungraded in (claim for claim in known if not claim.graded):
        yield from _asked(view, card, ungraded)
    if verdicts and card.verdict not in verdicts:
        yield view.fault(
            card,
            ("verdict",),
            f"none of its claims is {card.verdict} by the inventory",
            f"清单中它的论断没有一条是 {card.verdict}",
        )


def _asked(view: View, card: Card, ungraded: Claim) -> Iterator[Fault]:
    """Options and the popular version that hold a claim nobody is marked right or wrong for."""
    said: list[tuple[Loc, Text]] = [(("trap", "popular"), card.trap.popular)]
    for i, drill in enumerate(card.drills):
        if isinstance(drill, ChoiceDrill):
            said += [(("drills", i, "options", j, "text"), o.text) for j, o in enumerate(drill.options)]
    words = set(content(ungraded.claim))
    for loc, text in said:
        if len(words & set(content(text.en))) >= RESTATED * len(words):
            yield view.fault(
                card,
                loc,
                f"this says {ungraded.id}, which is not to be called right or wrong",
                f"此处说的是 {ungraded.id}，它不作对错评判",
            )


def _needs(view: View, card: Card) -> Iterator[Fault]:
    for i, need in enumerate(card.needs):
        if need not in view.bank:
            yield view.fault(card, ("needs", i), f"no card is called {need}", f"没有名为 {need} 的卡片")
        elif LEVELS.index(view.bank.card(need).level) > LEVELS.index(card.level):
            yield view.fault(
                card,
                ("needs", i),
                f"a {card.level} card cannot need {need}, which is {view.bank.card(need).level}",
                f"{card.level} 级的卡片不能以 {view.bank.card(need).level} 级的 {need} 为前提",
            )
    circle = circle_through(card, {other.id: other for other in view.bank.cards})
    if circle and card.id == min(circle):
        chain = " → ".join(circle)
        yield view.fault(card, ("needs",), f"the needs run in a circle: {chain}", f"前提成环：{chain}")


def _sources(view: View, card: Card) -> Iterator[Fault]:
    named = [(("sources", i, "key"), source.key) for i, source in enumerate(card.sources)]
    named += [(("cited", i, "key"), cited.key) for i, cited in enumerate(card.cited)]
    for loc, key in named:
        if key not in view.bank.bibliography:
            yield view.fault(card, loc, f"{key} is not in the bibliography", f"参考文献中没有 {key}")


def _demos(view: View, card: Card) -> Iterator[Fault]:
    for i, demo in enumerate(card.demos):
        try:
            run = view.run(demo.id, demo.set)
        except InputError as error:
            yield view.fault(card, ("demos", i), error.text.en, error.text.zh)
            continue
        for check in run.checks:
            if not check.ok:
                yield view.fault(
                    card,
                    ("demos", i, "set"),
                    f"at these parameters the check {check.name} of {demo.id} fails",
                    f"在这组参数下，{demo.id} 的检验 {check.name} 不成立",
                )
    for i, name in enumerate(demo.id for demo in card.demos):
        if name in [demo.id for demo in card.demos[:i]]:
            yield view.fault(card, ("demos", i, "id"), f"{name} is there twice", f"{name} 重复")


def _specifications(view: View, card: Card) -> Iterator[Fault]:
    for i, drill in enumerate(card.drills):
        if isinstance(drill, CodeDrill) and drill.spec not in coding.names():
            known = ", ".join(coding.names())
            yield view.fault(
                card,
                ("drills", i, "spec"),
                f"there is no specification {drill.spec}; there are {known}",
                f"没有名为 {drill.spec} 的编程规格；可用的有 {known}",
            )


def _trap(view: View, card: Card) -> Iterator[Fault]:
    loc: Loc = ("trap", "refuted_by")
    demo_id, _, name = card.trap.refuted_by.partition(".")
    cited = {demo.id: demo.set for demo in card.demos}
    if demo_id not in cited:
        yield view.fault(
            card, loc, f"{demo_id} is not among the card's demonstrations", f"{demo_id} 不在卡片的演示之中"
        )
        return
    if not view.known_demo(demo_id):
        return
    steps = view.steps(demo_id)
    if name in steps:
        if steps[name] is not Status.REFUTED:
            yield view.fault(
                card,
                loc,
                f"the step {name} of {demo_id} is expected to be {steps[name]}, so it refutes nothing",
                f"{demo_id} 的步骤 {name} 预期状态为 {steps[name]}，并不反驳什么",
            )
        return
    try:
        checks = {check.name for check in view.run(demo_id, cited[demo_id]).checks}
    except InputError:
        return
    if name not in checks:
        refuted = [step for step, status in steps.items() if status is Status.REFUTED]
        known = ", ".join([*refuted, *sorted(checks)])
        yield view.fault(
            card,
            loc,
            f"{demo_id} has no step or check {name}; what can refute: {known}",
            f"{demo_id} 没有步骤或检验 {name}；可用来反驳的有 {known}",
        )


def reference_file_faults(view: View) -> Iterator[Fault]:
    """Faults of the bibliographies and of the inventory of claims, and sources that no card refers to."""
    places: dict[str, str] = {}
    for deck in view.bank.decks:
        if deck.name:
            claims = SHIPPED / "claims.yaml"
            yield from read_claims(claims, f"{SHIPPED.name}/{claims.name}")[1]
            complete = SHIPPED / COMPLETE
            yield from read_complete(complete, f"{SHIPPED.name}/{COMPLETE}")[1]
        if deck.bibliography is not None:
            yield from read_bibliography(deck.bibliography, deck.bibliography_label)[1]
            places |= entry_places(read_document(deck.bibliography, deck.bibliography_label), "key")
    used = {source.key for card in view.bank.cards for source in card.sources}
    used |= {cited.key for card in view.bank.cards for cited in card.cited}
    for key in view.bank.bibliography:
        # what could not be read may name it
        if key not in used and not view.bank.faults:
            yield Fault(
                places.get(key, f"{SHIPPED.name}/{BIBLIOGRAPHY}"),
                Text(f"no card refers to {key}", f"没有卡片引用 {key}"),
            )
