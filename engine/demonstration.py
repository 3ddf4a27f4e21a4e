"""The contract of a demonstration: parameters, derivation, measurement, checks, figures, headline.

A demonstration is one file in ``engine/demos`` that ends in ``DEMO = Demonstration(…)``. The
formula that its derivation proves is the very function that predicts; the measurement never
calls it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from numbers import Real
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from engine.errors import InputError
from engine.figure import Figure
from engine.proof.step import Step
from engine.text import Text, fill

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Value: TypeAlias = float | int | str
Results: TypeAlias = dict[str, Any]
"""Named scalars (float, int, bool) and arrays."""


NO_UNIT = Text("", "")


@dataclass(frozen=True)
class Choice:
    """One setting of a parameter that is not a number."""

    value: str
    label: Text


@dataclass(frozen=True)
class Parameter:
    """One thing under the person's hand.

    ``kind`` int and float carry a range [``low``, ``high``] and a ``step`` (on a log scale the
    step is the factor minus one between neighbours, e.g. 1.0 for doubling); ``choice`` carries
    ``choices``. ``symbol`` is LaTeX without dollars; ``unit`` a text, empty where there is none.
    """

    name: str
    symbol: str
    meaning: Text
    default: Value
    low: float = 0.0
    high: float = 0.0
    step: float = 1.0
    kind: Literal["int", "float", "choice"] = "float"
    scale: Literal["linear", "log"] = "linear"
    unit: Text = NO_UNIT
    choices: tuple[Choice, ...] = ()

    def read(self, given: object, called: Text | None = None) -> Value:
        """The given value as this parameter's kind.

        Raises:
            InputError: not of the kind, or out of range; the message carries the range. It names the parameter as the
                shell does, or as ``called`` says and then with the sign that a screen has for minus.
        """
        if self.kind == "choice":
            allowed = [choice.value for choice in self.choices]
            if str(given) not in allowed:
                raise self._refusal(
                    "{name} must be one of {allowed}, not {given}",
                    "{name}只能取 {allowed}，不能是 {given}",
                    called,
                    allowed=", ".join(allowed),
                    given=_shown(given),
                )
            return str(given)
        number = _number(given)
        whole = self.kind == "int"
        if number is None or (whole and number != int(number)):
            raise self._refusal(
                "{name} must be {a} from {low} to {high}, not {given}",
                "{name}须为 {low} 到 {high} 之间的{b}，不能是 {given}",
                called,
                a="a whole number" if whole else "a number",
                b="整数" if whole else "数",
                low=_plain(self.low),
                high=_plain(self.high),
                given=_shown(given),
            )
        if not self.low <= number <= self.high:
            raise self._refusal(
                "{name} = {given} is out of range: {low} to {high}",
                "{name}取 {given} 超出范围：{low} 到 {high}",
                called,
                low=_plain(self.low),
                high=_plain(self.high),
                given=_shown(given),
            )
        return int(number) if whole else number

    def _refusal(self, english: str, chinese: str, called: Text | None, **values: str) -> InputError:
        if called is not None and self.kind != "choice":
            values = {key: value.replace("-", "−") for key, value in values.items()}
        # Latin letters stand apart from Chinese, what is quoted does not
        name = called or Text(self.name, f"{self.name} ")
        return InputError(
            Text(fill(english, {"name": name.en, **values}), fill(chinese, {"name": name.zh, **values}))
        )


class Params:
    """The values of a run, read as attributes: ``p.d_k``. ``p.samples`` is how many draws to make."""

    def __init__(self, values: Mapping[str, Value], samples: int = 0) -> None:
        self._values = MappingProxyType(dict(values))
        self.samples = samples

    def __getattr__(self, name: str) -> Any:
        try:
            return self._values[name]
        except KeyError:
            raise AttributeError(name) from None

    def as_dict(self) -> dict[str, Value]:
        return dict(self._values)


Relation = Literal["=", "<=", ">=", "!="]
RELATION_SIGN: dict[Relation, str] = {"=": "=", "<=": "≤", ">=": "≥", "!=": "≠"}
"""How a relation reads."""


@dataclass(frozen=True)
class Check:
    """Predicted against measured.

    ``=``: |measured - predicted| <= tolerance. ``<=`` and ``>=``: measured lies on that side of
    predicted, up to the tolerance. ``!=``: |measured - predicted| > tolerance. ``law`` says where
    the tolerance comes from; ``false_alarm`` is the probability that a correct program fails the
    check at one seed (0 for an exact identity). NaN never passes.
    """

    name: str
    claim: Text
    predicted: float
    measured: float
    tolerance: float | None
    law: Text
    relation: Relation = "="
    false_alarm: float = 0.0

    @property
    def ok(self) -> bool:
        slack = 0.0 if self.tolerance is None else self.tolerance
        # inf - inf is NaN: two equal infinities do agree
        gap = 0.0 if self.measured == self.predicted else self.measured - self.predicted
        if math.isnan(gap) or math.isnan(slack):
            return False
        match self.relation:
            case "=":
                return abs(gap) <= slack
            case "<=":
                return gap <= slack
            case ">=":
                return gap >= -slack
            case "!=":
                return abs(gap) > slack


@dataclass(frozen=True)
class Headline:
    """The one scalar a person predicts before they run it: a key of the results, and a range to guess in."""

    name: str
    meaning: Text
    unit: Text
    low: float
    high: float
    scale: Literal["linear", "log"] = "linear"


@dataclass(frozen=True)
class Samples:
    """How many draws: at rest, and while a slider moves. ``drag`` None: as many, for fewer would hardly be quicker."""

    rest: int
    drag: int | None = None

    @property
    def dragging(self) -> int:
        return self.rest if self.drag is None else self.drag


Predict: TypeAlias = Callable[[Params], Results]
Measure: TypeAlias = "Callable[[Params, np.random.Generator], Results]"
Checks: TypeAlias = Callable[[Params, Results, Results], tuple[Check, ...]]
Figures: TypeAlias = Callable[[Params, Results, Results], tuple[Figure, ...]]


@dataclass(frozen=True)
class Run:
    """One run: what the formulas say, what came out, how the two compare."""

    demo: Demonstration
    params: Params
    seed: int
    predicted: Results
    results: Results
    checks: tuple[Check, ...]

    @property
    def ok(self) -> bool:
        return all(check.ok for check in self.checks)

    @property
    def headline(self) -> float:
        return float(self.results[self.demo.headline.name])

    def figures(self) -> tuple[Figure, ...]:
        return self.demo.figures(self.params, self.predicted, self.results)


@dataclass(frozen=True)
class Demonstration:
    """One claim, proved and measured. See the module's docstring and any file in ``engine/demos``.

    ``kills`` states the popular error that it shows to be one. ``derive`` builds the steps (the
    only function that may import SymPy); ``predict`` evaluates the proved formulas; ``measure``
    runs the experiment and never calls them; ``check`` and ``figures`` compare and show.
    """

    id: str
    name: str
    title: Text
    shows: Text
    kills: Text
    parameters: tuple[Parameter, ...]
    derive: Callable[[], tuple[Step, ...]]
    predict: Predict
    measure: Measure
    check: Checks
    figures: Figures
    headline: Headline
    samples: Samples = Samples(0)

    def read(self, given: Mapping[str, object] | None = None) -> dict[str, Value]:
        """Every parameter's value: as given, else its default.

        Raises:
            InputError: an unknown name (the message lists the known), a bad or out-of-range value.
        """
        given = dict(given or {})
        known = {parameter.name: parameter for parameter in self.parameters}
        for name in given:
            if name not in known:
                raise InputError(
                    Text(
                        "{demo} has no parameter {name}; it has {known}",
                        "{demo} 没有参数 {name}；可用的有 {known}",
                    ).filled(demo=self.id, name=_shown(name), known=", ".join(known))
                )
        return {name: parameter.read(given.get(name, parameter.default)) for name, parameter in known.items()}

    def run(self, given: Mapping[str, object] | None = None, seed: int = 0, dragging: bool = False) -> Run:
        """Predict, measure and check at the given parameters.

        The generator is seeded by (seed, number of the demonstration) alone, so equal parameters
        and seeds give equal results.

        Raises:
            InputError: as :meth:`read`; also for a negative seed.
        """
        if seed < 0:
            raise InputError(Text("the seed must be 0 or more", "随机种子不能为负"))
        import numpy as np

        _keep_freed_memory()
        params = Params(self.read(given), self.samples.dragging if dragging else self.samples.rest)
        rng = np.random.default_rng([seed, int(self.id[1:])])
        predicted = self.predict(params)
        results = self.measure(params, rng)
        return Run(self, params, seed, predicted, results, self.check(params, predicted, results))


Array: TypeAlias = "NDArray[np.float64]"


@cache
def _keep_freed_memory() -> None:
    """Let freed arrays stay with the process: to hand each back to the system and fault its pages in anew takes up to a
    third of a run.

    The C library of Linux keeps back as much as the largest mapped block that was ever freed, up to 32 MiB (mallopt(3),
    M_MMAP_THRESHOLD). This one is never written to and so takes no memory; elsewhere nothing changes.
    """
    import numpy as np

    np.empty(32 * 2**20 - 2**16, dtype=np.uint8)


def _number(given: object) -> float | None:
    if isinstance(given, bool) or not isinstance(given, Real | str):
        return None
    try:
        # the sign of minus that numbers are shown with
        number = float(given.replace("−", "-") if isinstance(given, str) else given)
    except (ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None


def _plain(number: float) -> str:
    return f"{number:.10g}"


def _shown(given: object) -> str:
    text = "".join(character if character.isprintable() else "�" for character in str(given))
    return text if len(text) <= 40 else text[:40] + "…"
