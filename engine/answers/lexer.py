"""A typed formula cut into tokens, against the names a card declares: longest name first, never split."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Literal

from engine.answers.characters import placed_plain
from engine.answers.exact import LARGEST_LOG10
from engine.answers.placed import Placed
from engine.answers.symbols import Declared
from engine.answers.tokens import MOST_TOKENS
from engine.answers.verdict import RefusalError, invalid, undeclared, unsafe

ONE_ARGUMENT = frozenset((
    "exp", "log", "ln", "log2", "log10", "lg", "sqrt", "cbrt", "abs", "sin", "cos",
    "tan", "asin", "acos", "atan", "arcsin", "arccos", "arctan", "sinh", "cosh", "tanh", "asinh",
    "acosh", "atanh", "sigmoid", "relu", "softplus", "erf", "gamma", "floor", "ceil", "sign", "factorial",
))  # fmt: skip
TWO_ARGUMENTS = frozenset(("binomial", "delta"))
LONG_FORMS = frozenset(("max", "min", "sum", "prod", "logsumexp", "ind"))
FUNCTIONS = ONE_ARGUMENT | TWO_ARGUMENTS | LONG_FORMS
ON_MATRICES = frozenset(("softmax", "tr", "trace", "det", "inv", "transpose", "diag", "norm"))
_BY_LENGTH = sorted(FUNCTIONS, key=len, reverse=True)
_BY_LENGTH_WITH_MATRICES = sorted(FUNCTIONS | ON_MATRICES, key=len, reverse=True)
_CONSTANTS = {"pi": "pi", "π": "pi", r"\pi": "pi", "e": "e"}
_GREEK_FUNCTIONS = {
    "σ": "sigmoid", r"\sigma": "sigmoid", "δ": "delta", r"\delta": "delta", "Γ": "gamma", r"\Gamma": "gamma",
    "√": "sqrt", "∛": "cbrt", "∑": "sum", "Σ": "sum", "∏": "prod", r"\binom": "binomial",
}  # fmt: skip
_LOGARITHM = re.compile(r"\\?log_?(?:\{(10|2)\}|(10|2)(?![0-9.]))")
_NUMBER = re.compile(r"(\d+)?(\.\d*)?")
_THOUSANDS = re.compile(r"\d{1,3}(?:,\d{3})+(?![\d,])")
_EXPONENT = re.compile(r"([eE])([+-]?\d+)")
_WORD = re.compile(r"\\?[^\W\d_]+(?:_\{?\w+\}?)?")
_WRAPPED = re.compile(
    r"\\(?:mathrm|text|operatorname|mathit|textrm|mathbf|mathsf|boldsymbol)\s*\{([A-Za-z0-9_]*)\}"
)
_WRAPPED_SUBSCRIPT = re.compile(rf"_\s*(?:\{{\s*{_WRAPPED.pattern}\s*\}}|{_WRAPPED.pattern})")
_DROPPED = re.compile(r"\\(?:left|right|displaystyle|limits|quad)(?![A-Za-z])|\\[,;:! ]")
_OPERATORS = {
    r"\cdot": "*", r"\times": "*", r"\div": "/", r"\%": "%", r"\frac": "frac", r"\dfrac": "frac", r"\tfrac": "frac",
    r"\le": "<=", r"\leq": "<=", r"\ge": ">=", r"\geq": ">=", r"\ne": "!=", r"\neq": "!=", r"\{": "(", r"\}": ")",
    r"\lfloor": "lfloor", r"\rfloor": "rfloor", r"\lceil": "lceil", r"\rceil": "rceil", r"\lvert": "|", r"\rvert": "|",
}  # fmt: skip
_MATRIX_OPERATORS = {
    r"\odot": "∘",
    r"\circ": "∘",
    r"\top": "T",
    r"\intercal": "T",
    r"\|": "‖",
    r"\lVert": "‖",
    r"\rVert": "‖",
}
_MATRIX_SIGNS = {"∘": "∘", "⊙": "∘", "ᵀ": "ᵀ", "⊤": "T", "'": "ᵀ", "‖": "‖"}
_SIGNS = "+-*/^()[]{}|!%,_=<>"
_SINGLE = {"≤": "<=", "≥": ">=", "≠": "!="}
_NORM = re.compile(r"\s*_(?:\{([F2])\}|([F2]))")
_VULGAR = {
    "½": (1, 2), "¼": (1, 4), "¾": (3, 4), "⅓": (1, 3), "⅔": (2, 3), "⅛": (1, 8), "⅜": (3, 8), "⅝": (5, 8), "⅞": (7, 8),
}  # fmt: skip


@dataclass(frozen=True)
class Token:
    """``text`` is the canonical name of a symbol, function, constant or sign, or the number as typed.

    ``at`` is where it begins in the line as typed.
    """

    kind: Literal["number", "symbol", "function", "constant", "sign", "end"]
    text: str
    value: Fraction | None = None
    at: int = 0


def lex(text: str, declared: Declared) -> list[Token]:
    """The tokens of a line, ended by one of kind ``end``; an equals sign it begins with is passed over.

    Raises:
        RefusalError: what has no place in the grammar or is not declared; too long.
    """
    body = text.strip().removeprefix("=").removeprefix("＝")
    line = Placed.of(body, len(text.rstrip()) - len(body)).sub("⁻ᵀ", "^(-T)")
    line = placed_plain(line).sub("{,}", "").sub("**", "^").sub("$", " ")
    line = line.sub(_WRAPPED_SUBSCRIPT, lambda match: f"_{{{match[1] or match[2]}}}")
    line = line.sub(_WRAPPED, lambda match: f" {match[1]} ").sub(_DROPPED, " ")
    lexer = _Lexer(line.text, declared)
    try:
        found = lexer.tokens()
    except RefusalError as refusal:
        refusal.at = line.origins[min(lexer.start if refusal.at is None else refusal.at, len(line.text))]
        raise
    return [replace(token, at=line.origins[token.at]) for token in found]


class _Lexer:
    def __init__(self, line: str, declared: Declared) -> None:
        self.line = line
        self.declared = declared
        self.longest = max(map(len, declared.spellings), default=0)
        self.at = 0
        self.start = 0
        self.found: list[Token] = []
        self.separating = [False]
        self.functions = _BY_LENGTH_WITH_MATRICES if declared.has_matrices else _BY_LENGTH

    def tokens(self) -> list[Token]:
        while self.at < len(self.line):
            character = self.line[self.at]
            self.start = self.at
            if character == " ":
                self.at += 1
            elif character.isdigit() or (character == "." and self.line[self.at + 1 : self.at + 2].isdigit()):
                self.number()
            elif character in _VULGAR:
                self.vulgar(character)
            elif (character.isalpha() or character in "\\√∛∑∏") and character != "ᵀ":
                self.word()
            else:
                self.sign(character)
            if len(self.found) > MOST_TOKENS:
                raise unsafe(
                    "a line has at most {n} names, numbers and signs",
                    "一行最多 {n} 个名称、数与符号",
                    n=MOST_TOKENS,
                )
        return [*self.found, Token("end", "", at=len(self.line))]

    def add(self, kind: Literal["number", "symbol", "function", "constant", "sign"], text: str) -> None:
        self.found.append(Token(kind, text, at=self.start))

    def sign(self, character: str) -> None:
        self.at += 1
        if character in _SINGLE:
            self.add("sign", _SINGLE[character])
            return
        if character in _MATRIX_SIGNS and self.declared.has_matrices:
            self.matrix_sign(_MATRIX_SIGNS[character])
            return
        if character not in _SIGNS:
            raise invalid("“{c}” has no meaning in a formula", "公式中不能出现“{c}”", c=character)
        if character in "<>!" and self.line[self.at : self.at + 1] == "=":
            self.at += 1
            character += "="
        if character in "([{":
            before = self.found[-1] if self.found else None
            many = (
                before is not None
                and before.kind == "function"
                and before.text not in ONE_ARGUMENT | ON_MATRICES
            )
            self.separating.append(character == "(" and (many or self.separating[-1]))
        elif character in ")]}" and len(self.separating) > 1:
            self.separating.pop()
        self.add("sign", character)

    def number(self) -> None:
        start = self.at
        grouped = None if self.separating[-1] else _THOUSANDS.match(self.line, self.at)
        if grouped:
            whole, self.at = grouped[0], grouped.end()
            part = _NUMBER.match(self.line, self.at) if self.line[self.at : self.at + 1] == "." else None
            digits = part[2] or "" if part else ""
            self.at += len(digits)
        else:
            match = _NUMBER.match(self.line, self.at)
            assert match is not None
            whole, digits, self.at = match[1] or "", match[2] or "", match.end()
        follows = self.line[self.at : self.at + 2]
        if not self.separating[-1] and follows[:1] == "," and follows[1:].isdigit():
            raise invalid(
                "“{n}” may be a decimal comma or thousands: write 3.07 or 3,072",
                "“{n}”里的逗号可能是小数点，也可能是千位分隔：请写成 3.07 或 3,072 的样子",
                n=self.line[start : self.at + 2],
            )
        if follows[:1] == ".":
            raise invalid(
                "“{n}” has two decimal points", "“{n}”有两个小数点", n=self.line[start : self.at + 1]
            )
        exponent = 0
        scientific = _EXPONENT.match(self.line, self.at)
        if scientific and scientific[1] not in self.declared.spellings:
            self.at = scientific.end()
            if len(scientific[2]) > 6 or abs(int(scientific[2])) > LARGEST_LOG10:
                raise unsafe(
                    "the number would have more than {n} digits", "这个数会超过 {n} 位", n=LARGEST_LOG10
                )
            exponent = int(scientific[2])
        part_digits = digits.removeprefix(".")
        value = Fraction(int(whole.replace(",", "") + part_digits or "0")) * Fraction(10) ** (
            exponent - len(part_digits)
        )
        self.found.append(Token("number", self.line[start : self.at], value, start))

    def vulgar(self, character: str) -> None:
        """½, or the mixed number 1½ where a whole number stands right before it."""
        value = Fraction(*_VULGAR[character])
        joined = self.at > 0 and self.line[self.at - 1].isdigit()
        self.at += 1
        if joined and self.found and self.found[-1].value is not None:
            before = self.found.pop()
            if not before.text.isdigit():
                raise invalid("“{n}” is no mixed number", "“{n}”不是带分数", n=before.text + character)
            value += before.value or 0
        self.found.append(Token("number", "", value, self.start))

    def word(self) -> None:
        """One name, function, constant or LaTeX command: the longest that stands here."""
        rest = self.line[self.at :]
        spelling = next(
            (
                rest[:n]
                for n in range(min(self.longest, len(rest)), 0, -1)
                if rest[:n] in self.declared.spellings and not _cuts_command(rest, n)
            ),
            "",
        )
        if not spelling and rest[0] == "T" and self.in_exponent():
            self.at += 1
            self.add("sign", "T")
            return
        function, used = self.function(rest)
        if spelling and used <= len(spelling):
            if spelling in self.declared.ambiguous:
                name = self.declared.ambiguous[spelling]
                raise invalid(
                    "“{s}” may be {n} or a product: write {n}, or a * in between",
                    "“{s}”可能是 {n}，也可能是乘积：请写 {n}，或在中间加 *",
                    s=spelling, n=name,
                )  # fmt: skip
            self.at += len(spelling)
            self.add("symbol", self.declared.spellings[spelling])
            return
        if function:
            self.at += used
            self.add("function", function)
            return
        constant = next((c for c in (r"\pi", "pi", "π", "e") if rest.startswith(c)), "")
        if constant and not _cuts_command(rest, len(constant)):
            self.at += len(constant)
            self.add("constant", _CONSTANTS[constant])
            return
        command = re.match(r"\\(?:[A-Za-z]+|.)?", rest)
        if command and command[0] in _OPERATORS:
            self.at += command.end()
            self.add("sign", _OPERATORS[command[0]])
            return
        if command and command[0] in _MATRIX_OPERATORS and self.declared.has_matrices:
            self.at += command.end()
            self.matrix_sign(_MATRIX_OPERATORS[command[0]])
            return
        start = self.at
        while start and self.line[start].isalpha() and self.line[start - 1].isalpha():
            start -= 1
        shown = _WORD.match(self.line, start)
        word = (shown[0] if shown else rest[0])[:30]
        if not self.declared.kinds:
            raise undeclared(
                "“{w}” is not declared here; no name is",
                "这里没有声明“{w}”，也没有声明任何名称",
                start,
                w=word,
            )
        raise undeclared(
            "“{w}” is not declared here; the names are {names}",
            "这里没有声明“{w}”；可用的名称：{names}",
            start,
            w=word,
            names=", ".join(self.declared.kinds),
        )

    def matrix_sign(self, sign: str) -> None:
        """A sign of the matrix mode; which norm it is may stand behind its bars."""
        self.add("sign", sign)
        match = _NORM.match(self.line, self.at) if sign == "‖" else None
        if match:
            self.at = match.end()
            self.add("sign", "_" + (match[1] or match[2]))

    def in_exponent(self) -> bool:
        """Whether a T here stands right after ^, perhaps behind a bracket and a sign: it transposes."""
        before = [token.text for token in self.found[-3:]]
        while before and before[-1] in ("{", "(", "-"):
            before.pop()
        return self.declared.has_matrices and before[-1:] == ["^"]

    def function(self, rest: str) -> tuple[str, int]:
        """The function that stands here and how many characters it takes."""
        if match := _LOGARITHM.match(rest):
            return "log" + (match[1] or match[2]), match.end()
        for name in self.functions:
            for form in (name, "\\" + name):
                if rest.startswith(form) and not _cuts_command(rest, len(form)):
                    return name, len(form)
        for form, name in _GREEK_FUNCTIONS.items():
            needs_bracket = name in ("sigmoid", "delta", "gamma")
            if rest.startswith(form) and not _cuts_command(rest, len(form)):
                opening = ("(", "_") if name == "delta" else ("(",)
                if needs_bracket and not rest[len(form) :].lstrip().startswith(opening):
                    continue
                return name, len(form)
        return "", 0


def _cuts_command(rest: str, length: int) -> bool:
    r"""Whether a LaTeX command would end in the middle: \eta is not \e."""
    return rest[0] == "\\" and rest[length : length + 1].isascii() and rest[length : length + 1].isalpha()
