"""A formula as it was read: a tree of operations over declared names, and the LaTeX that shows it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from engine.answers.tokens import grouped

GREEK_LETTERS = {
    "α": "alpha", "β": "beta", "γ": "gamma", "δ": "delta", "ε": "epsilon", "ζ": "zeta", "η": "eta",
    "θ": "theta", "ι": "iota", "κ": "kappa", "λ": "lambda", "μ": "mu", "ν": "nu", "ξ": "xi",
    "π": "pi", "ρ": "rho", "σ": "sigma", "τ": "tau", "υ": "upsilon", "φ": "phi", "χ": "chi",
    "ψ": "psi", "ω": "omega", "Γ": "Gamma", "Δ": "Delta", "Θ": "Theta", "Λ": "Lambda", "Ξ": "Xi",
    "Π": "Pi", "Σ": "Sigma", "Φ": "Phi", "Ψ": "Psi", "Ω": "Omega",
}  # fmt: skip
_GREEK_NAMES = frozenset(GREEK_LETTERS.values())
_SUM, _PRODUCT, _POWER, _ATOM = range(4)
_LEVELS = {
    "+": _SUM, "neg": _SUM, "∘": _SUM, "*": _PRODUCT, "/": _ATOM, "^": _POWER, "transpose": _POWER,
    "sum": _PRODUCT, "prod": _PRODUCT,
}  # fmt: skip
_WRITTEN = {
    "sqrt": r"\sqrt{{{0}}}", "cbrt": r"\sqrt[3]{{{0}}}", "abs": r"\left|{0}\right|",
    "floor": r"\left\lfloor {0} \right\rfloor", "ceil": r"\left\lceil {0} \right\rceil",
    "log2": r"\log_{{2}}\left({0}\right)", "log10": r"\log_{{10}}\left({0}\right)",
    "sigmoid": r"\sigma\left({0}\right)", "gamma": r"\Gamma\left({0}\right)",
    "binomial": r"\binom{{{0}}}{{{1}}}", "delta": r"\delta_{{{0},{1}}}",
}  # fmt: skip
_LATEX_FUNCTIONS = frozenset(("exp", "ln", "max", "min", "det", "sin", "cos", "tan", "sinh", "cosh", "tanh"))
_OF_MATRICES = frozenset(
    ("matrix", "vector", "transpose", "∘", "softmax", "tr", "det", "inv", "diag", "norm")
)
_NAMED = ("symbol", "entry", "logsumexp", "matrix", "vector")
RELATIONS = {"<": "<", ">": ">", "<=": r"\le", ">=": r"\ge", "=": "=", "!=": r"\ne"}


@dataclass(frozen=True)
class Node:
    """One operation. ``name`` is that of a symbol, vector, constant or bound variable, or a relation.

    ``sum`` and ``prod`` have the arguments (term, first, last); ``entry`` has the index.
    """

    op: str
    args: tuple[Node, ...] = ()
    name: str = ""
    value: Fraction | None = None
    shown: str = ""


def number(value: Fraction | int, shown: str = "") -> Node:
    return Node("number", value=Fraction(value), shown=shown)


def nodes(node: Node) -> Iterator[Node]:
    yield node
    for arg in node.args:
        yield from nodes(arg)


def height(node: Node) -> int:
    """How many operations stand one within the other."""
    level, found = [node], 0
    while level:
        level = [arg for one in level for arg in one.args]
        found += 1
    return found


def free_names(node: Node) -> frozenset[str]:
    """The symbols and vectors the value depends on."""
    if node.op in ("sum", "prod"):
        return (free_names(node.args[0]) - {node.name}) | free_names(node.args[1]) | free_names(node.args[2])
    found = frozenset[str]().union(*map(free_names, node.args))
    return found | {node.name} if node.op in _NAMED else found


def holds_matrix(node: Node) -> bool:
    """Whether a matrix, a vector as a whole, or an operation on matrices stands in the formula."""
    return node.op in _OF_MATRICES or any(map(holds_matrix, node.args))


def renamed(node: Node, names: dict[str, str]) -> Node:
    """The tree with symbols renamed, all at once."""
    args = tuple(renamed(arg, names) for arg in node.args)
    name = names.get(node.name, node.name) if node.op in _NAMED else node.name
    return Node(node.op, args, name, node.value, node.shown)


def latex(node: Node) -> str:
    """The tree as LaTeX, for a reader to see how it was understood."""
    args = node.args
    match node.op:
        case "number":
            return node.shown or _fraction(node.value or Fraction(0))
        case "symbol" | "constant" | "matrix" | "vector":
            return name_latex(node.name)
        case "entry":
            return f"{_base(node.name)}_{{{_subscript(node.name)}{latex(args[0])}}}"
        case "+":
            text = latex(args[0])
            for arg in args[1:]:
                if arg.op == "neg":
                    text += f" - {_within(arg.args[0], _PRODUCT)}"
                else:
                    text += f" + {_within(arg, _PRODUCT)}"
            return text
        case "neg":
            return f"-{_within(args[0], _PRODUCT)}"
        case "*":
            return _product(args)
        case "/":
            return rf"\frac{{{latex(args[0])}}}{{{latex(args[1])}}}"
        case "^":
            base = _within(args[0], _ATOM) if args[0].op != "/" else rf"\left({latex(args[0])}\right)"
            return f"{base}^{{{latex(args[1])}}}"
        case "∘":
            return rf"{_within(args[0], _POWER)} \odot {_within(args[1], _POWER)}"
        case "transpose":
            base = _within(args[0], _ATOM) if args[0].op != "/" else rf"\left({latex(args[0])}\right)"
            return rf"{base}^{{\top}}"
        case "norm":
            mark = f"_{{{node.name}}}" if node.name else ""
            return rf"\left\|{latex(args[0])}\right\|{mark}"
        case "sum" | "prod":
            first, last = latex(args[1]), latex(args[2])
            return rf"\{node.op}_{{{name_latex(node.name)}={first}}}^{{{last}}} {_within(args[0], _PRODUCT)}"
        case "factorial":
            text = _within(args[0], _ATOM) if args[0].op != "/" else rf"\left({latex(args[0])}\right)"
            return f"{text}!"
        case "logsumexp":
            return rf"\operatorname{{logsumexp}}\left({name_latex(node.name)}\right)"
        case "ind":
            relation = RELATIONS[node.name]
            return rf"\mathbf{{1}}\left({latex(args[0])} {relation} {latex(args[1])}\right)"
    inner = [latex(arg) for arg in args]
    if node.op in _WRITTEN:
        return _WRITTEN[node.op].format(*inner)
    head = rf"\{node.op}" if node.op in _LATEX_FUNCTIONS else rf"\operatorname{{{node.op}}}"
    return rf"{head}\left({', '.join(inner)}\right)"


def name_latex(name: str) -> str:
    subscript = _subscript(name)
    return f"{_base(name)}_{{{subscript[:-1]}}}" if subscript else _base(name)


def _base(name: str) -> str:
    base = name.partition("_")[0]
    if base in _GREEK_NAMES:
        return rf"\{base}"
    return base if len(base) == 1 else rf"\mathrm{{{base}}}"


def _subscript(name: str) -> str:
    """The subscript that belongs to the name, followed by a comma; empty where there is none."""
    rest = name.partition("_")[2].replace("_", ",")
    if not rest:
        return ""
    return (rf"\{rest}" if rest in _GREEK_NAMES else rest if len(rest) == 1 else rf"\mathrm{{{rest}}}") + ","


def _within(node: Node, level: int) -> str:
    text = latex(node)
    return rf"\left({text}\right)" if _level(node, text) < level else text


def _level(node: Node, text: str) -> int:
    """2e3 is shown as a product, ½ as a fraction."""
    if node.op == "number" and not text.replace("{,}", "").replace(".", "").isdigit():
        return _PRODUCT
    return _LEVELS.get(node.op, _ATOM)


def _product(args: tuple[Node, ...]) -> str:
    text = ""
    for place, arg in enumerate(args):
        last = place == len(args) - 1
        part = _within(arg, _PRODUCT if last or arg.op not in ("sum", "prod") else _ATOM)
        text += (r" \cdot " if part[0].isdigit() else r"\,") + part if place else part
    return text


def _fraction(value: Fraction) -> str:
    if value.denominator == 1:
        return grouped(str(value.numerator))
    return rf"\frac{{{value.numerator}}}{{{value.denominator}}}"
