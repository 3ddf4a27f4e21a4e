"""What backs an answer on a sheet: the derivation with its badges, predicted against measured, the figures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from engine.demonstration import RELATION_SIGN, Check, Value
from engine.proof.step import Decided
from engine.proof.words import badge, method
from engine.text import Text, same
from quizbank import labels
from quizbank.sheets.content import Backing
from quizbank.sheets.document import Drawing, Formula, Heading, Node, Note, Passage, Pointer, Table
from quizbank.sheets.wording import bracketed, labelled, listed
from quizbank.slot_grammar import rounded

_CHECK_HEADER = (
    Text("check", "检验"),
    Text("predicted", "预测"),
    Text("measured", "实测"),
    Text("tolerance", "容差"),
    Text("verdict", "结论"),
)
_AGREES, _FAILS = Text("✓ agrees", "✓ 相符"), Text("✗ fails", "✗ 不符")
_AT = Text("at {settings}", "取 {settings}")
_DERIVED_ABOVE = Text("The derivation of {demo} stands above.", "{demo} 的推导见上文。")
_SHOWN_ABOVE = Text("Proof {demo} stands above.", "证明 {demo} 见上文。")
_STEP = Text("{demo}, step {number}", "{demo} 第 {number} 步")


class Proofs:
    """The demonstrations of one sheet: a derivation is set where it is first needed, and pointed at after that.

    So is a measurement at parameters that were shown before. ``level`` is that of a demonstration's heading.
    """

    def __init__(self, level: int) -> None:
        self.level = level
        self._derived: dict[str, str] = {}
        self._shown: set[str] = set()

    def nodes(self, backing: Backing) -> Iterator[Node]:
        """A demonstration: its steps, its numbers, its figures."""
        demo = backing.demo
        anchor = _anchor(backing)
        if anchor in self._shown:
            yield Pointer(_SHOWN_ABOVE.filled(demo=demo.id), anchor)
            return
        self._shown.add(anchor)
        title = labelled(Text(f"{labels.PROOF.en} {demo.id}", f"{labels.PROOF.zh} {demo.id}"), demo.title)
        yield Heading(self.level, title, anchor=anchor)
        yield Passage(demo.shows)
        if demo.id in self._derived:
            yield Pointer(_DERIVED_ABOVE.filled(demo=demo.id), self._derived[demo.id])
        else:
            self._derived[demo.id] = anchor
            for number, step in enumerate(backing.steps, 1):
                yield _formula(number, step)
        settings = listed(*(same(_setting(name, value)) for name, value in backing.params.items()))
        at = Text(_AT.en.format(settings=settings.en), _AT.zh.format(settings=settings.zh))
        yield Table(
            bracketed(labels.MEASURED_AGAINST, at if settings.en else settings),
            _CHECK_HEADER,
            tuple(_check_row(check) for check in backing.checks),
        )
        for picture in backing.figures:
            yield Drawing(picture)

    @staticmethod
    def refutation(name: str, backings: Sequence[Backing]) -> Node:
        """What refutes a trap, ``D19.unit-variance-suffices``: the step or the check, and where it stands."""
        demo, _, part = name.partition(".")
        for backing in backings:
            if backing.demo.id != demo:
                continue
            for number, step in enumerate(backing.steps, 1):
                if step.name == part:
                    what = _STEP.filled(demo=demo, number=number)
                    return Pointer(labelled(labels.REFUTED_BY, what), _anchor(backing))
            if any(check.name == part for check in backing.checks):
                return Pointer(labelled(labels.REFUTED_BY, labels.refuted_by(name)), _anchor(backing))
        return Note(labelled(labels.REFUTED_BY, labels.refuted_by(name)))


def _anchor(backing: Backing) -> str:
    settings = "".join(f"-{name}-{value}" for name, value in sorted(backing.params.items()))
    return f"proof-{backing.demo.id}{settings}"


def _formula(number: int, step: Decided) -> Formula:
    return Formula(
        number=number,
        badge=badge(step),
        latex=step.statement,
        rule=step.rule,
        method=same(step.source) if step.source else method(step),
        counterexample=step.counterexample,
    )


def _setting(name: str, value: Value) -> str:
    said = value if isinstance(value, str | bool) else rounded(value, 6)
    # no line ends within it
    return f"{name}\u00a0=\u00a0{said}"


def _check_row(check: Check) -> tuple[Text, ...]:
    relation = "" if check.relation == "=" else f"{RELATION_SIGN[check.relation]} "
    tolerance = "" if check.tolerance is None else f"± {rounded(check.tolerance, 3)}"
    return (
        check.claim,
        same(relation + rounded(check.predicted, 4)),
        same(rounded(check.measured, 4)),
        bracketed(same(tolerance), check.law) if tolerance else check.law,
        _AGREES if check.ok else _FAILS,
    )
