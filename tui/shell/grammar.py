"""The command-line library in the person's language: headings, the help option, complaints about values."""

from __future__ import annotations

from typing import Any

import click

from engine.errors import InputError
from engine.text import Language, Text

_HEADINGS = {
    "Options": Text("Options", "选项"),
    "Commands": Text("Commands", "子命令"),
    "Usage: ": Text("Usage: ", "用法："),
}


def shown(value: object) -> str:
    """What was given, short and printable, for a message."""
    text = "".join(character if character.isprintable() else "�" for character in str(value))
    return text if len(text) <= 60 else text[:60] + "…"


class OneOf(click.Choice[str]):
    """One of a few words; the complaint lists them."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if value in self.choices:
            return value
        raise InputError(
            Text("must be one of {all}, not {given}", "只能取 {all} 之一，不能是 {given}").filled(
                all=", ".join(map(str, self.choices)), given=shown(value)
            ),
            _option(param),
        )


class AtLeast(click.ParamType):
    """A number with a lower bound; whole unless ``fraction``."""

    name = "number"

    def __init__(self, low: float, fraction: bool = False) -> None:
        self.low = low
        self.fraction = fraction

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        try:
            number = float(value) if self.fraction else int(str(value))
        except (ValueError, OverflowError):
            number = None
        # NaN compares false and is refused here too
        if number is not None and self.low <= number < 2**63:
            return number
        raise InputError(
            Text(
                "must be {a} of {low} or more, not {given}", "须为不小于 {low} 的{b}，不能是 {given}"
            ).filled(
                a="a number" if self.fraction else "a whole number",
                b="数" if self.fraction else "整数",
                low=f"{self.low:g}",
                given=shown(value),
            ),
            _option(param),
        )


def _option(parameter: click.Parameter | None) -> str:
    return max(parameter.opts, key=len) if parameter is not None else ""


def formatter(language: Language) -> type[click.HelpFormatter]:
    """A help formatter whose headings are in ``language``."""

    class Formatter(click.HelpFormatter):
        def write_usage(self, prog: str, args: str = "", prefix: str | None = None) -> None:
            super().write_usage(prog, args, prefix or _HEADINGS["Usage: "].of(language))

        def write_heading(self, heading: str) -> None:
            super().write_heading(_HEADINGS[heading].of(language) if heading in _HEADINGS else heading)

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
