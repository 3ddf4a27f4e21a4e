"""Which language the shell and the app speak: `--lang`, then PROOFDECK_LANG, then the settings, then the locale."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from engine.errors import InputError
from engine.text import LANGUAGES, Language, Text


def language_of(
    arguments: Sequence[str], environ: Mapping[str, str], chosen: Callable[[], str] = lambda: "auto"
) -> Language:
    """The language to speak before anything else is known; ``chosen`` looks into the settings.

    ``show`` and ``sheet`` have a ``--lang`` of their own that also takes ``both``; here it only
    decides the language of messages.

    Raises:
        InputError: PROOFDECK_LANG is set to something else than zh or en.
    """
    for position, argument in enumerate(arguments):
        if argument == "--":
            break
        value = argument.removeprefix("--lang=") if argument.startswith("--lang=") else None
        if argument == "--lang" and position + 1 < len(arguments):
            value = arguments[position + 1]
        if value in LANGUAGES:
            return _known(value)
    named = environ.get("PROOFDECK_LANG", "")
    if named:
        if named not in LANGUAGES:
            raise InputError(
                Text("must be zh or en", "只能是 zh 或 en"),
                "PROOFDECK_LANG",
            )
        return _known(named)
    if (setting := chosen()) in LANGUAGES:
        return _known(setting)
    for variable in ("LC_ALL", "LC_MESSAGES", "LANG"):
        if environ.get(variable):
            return "zh" if environ[variable].lower().startswith("zh") else "en"
    return "en"


def _known(value: str) -> Language:
    return "zh" if value == "zh" else "en"
