"""The command-line library in the person's language: headings, the help option, complaints about values."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import click

from engine.errors import InputError
from engine.notation.wide import width
from engine.notation.wrap import wrap
from engine.text import Language, Text

_HEADINGS = {
    "Options": Text("Options:", "选项："),
    "Commands": Text("Commands:", "子命令："),
    "Usage: ": Text("Usage: ", "用法："),
}


_AT_LEAST = Text("must be {a} of {low} or more, not {given}", "须为不小于 {low} 的{b}，不能是 {given}")
_BETWEEN = Text(
    "must be {a} from {low} to {most}, not {given}", "须为 {low} 到 {most} 之间的{b}，不能是 {given}"
)


def shown(value: object) -> str:
    """What was given, short and printable, for a message."""
    text = "".join(character if character.isprintable() else "�" for character in str(value))
    return text if len(text) <= 60 else text[:60] + "…"


class OneOf(click.Choice[str]):
    """One of a few words; the complaint lists them, in Chinese each with its name where it has another."""

    def __init__(self, choices: Sequence[str], names: Mapping[str, Text] | None = None) -> None:
        super().__init__(choices)
        self.named = [
            f"{choice}（{names[choice].zh}）" if names and names[choice].zh.casefold() != choice else choice
            for choice in choices
        ]

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if value in self.choices:
            return value
        raise InputError(
            Text("must be one of {all}, not {given}", "只能取 {named} 之一，不能是 {given}").filled(
                all=", ".join(map(str, self.choices)), named="、".join(self.named), given=shown(value)
            ),
            _option(param),
        )


class AtLeast(click.ParamType):
    """A number with a lower bound, and an upper one where ``most`` says so; whole unless ``fraction``."""

    name = "number"

    def __init__(self, low: float, fraction: bool = False, most: float | None = None) -> None:
        self.low = low
        self.fraction = fraction
        self.most = most

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        try:
            number = float(value) if self.fraction else int(str(value))
        except (ValueError, OverflowError):
            number = None
        # NaN compares false and is refused here too
        most = 2**63 - 1 if self.most is None else self.most
        if number is not None and self.low <= number <= most:
            return number
        said = _AT_LEAST if self.most is None else _BETWEEN
        raise InputError(
            said.filled(
                a="a number" if self.fraction else "a whole number",
                b="数" if self.fraction else "整数",
                low=f"{self.low:g}",
                most=most,
                given=shown(value),
            ),
            _option(param),
        )


def _option(parameter: click.Parameter | None) -> str:
    return max(parameter.opts, key=len) if parameter is not None else ""


def formatter(language: Language) -> type[click.HelpFormatter]:
    """A help formatter whose headings are in ``language``."""

    required = Text("[required]", "[必填]").of(language)

    class Formatter(click.HelpFormatter):
        def write_usage(self, prog: str, args: str = "", prefix: str | None = None) -> None:
            super().write_usage(prog, args, prefix or _HEADINGS["Usage: "].of(language))

        def write_heading(self, heading: str) -> None:
            said = _HEADINGS[heading].of(language) if heading in _HEADINGS else f"{heading}:"
            self.write(f"{'':>{self.current_indent}}{said}\n")

        def write_text(self, text: str) -> None:
            indent = " " * self.current_indent
            for line in wrap(text, self.width - len(indent)):
                self.write(f"{indent}{line}\n")

        def write_dl(self, rows: Sequence[tuple[str, str]], col_max: int = 30, col_spacing: int = 2) -> None:
            """Terms beside what they mean, wrapped by cells: a Chinese character takes two."""
            widest = max((width(term) for term, _ in rows if width(term) <= col_max), default=0)
            indent = " " * self.current_indent
            beside = indent + " " * (widest + col_spacing)
            for term, means in rows:
                first = f"{indent}{term}" + " " * (len(beside) - len(indent) - width(term))
                lines = wrap(means.replace("[required]", required), self.width - len(beside)) or [""]
                if width(term) > col_max:
                    self.write(f"{indent}{term}\n")
                    first = beside
                self.write(
                    "\n".join([(first + lines[0]).rstrip(), *(beside + line for line in lines[1:])]) + "\n"
                )

    return Formatter


class _Localized:
    """Mixed into commands and groups: `--help` says in ``language`` what it does."""

    language: Language = "en"

    def get_help_option(self, ctx: click.Context) -> click.Option | None:
        option = super().get_help_option(ctx)  # type: ignore[misc]
        if option is not None:
            option.help = Text("show this message", "显示本说明").of(self.language)
        return option  # type: ignore[no-any-return]


class Call(_Localized, click.Command):
    """One call of the shell."""


class Calls(_Localized, click.Group):
    """The group of all calls."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Each call with what it is for, up to the first stop, and in as many rows as that takes."""
        calls = [(name, self.commands[name].help or "") for name in self.list_commands(ctx)]
        if calls:
            with formatter.section("Commands"):
                formatter.write_dl(
                    [(name, re.split(r"[.;](?:\s|$)|[。；]", help_)[0]) for name, help_ in calls]
                )
