"""The calls that the README shows are calls there are, with options they have."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import click
import pytest

from tui.shell.group import build

README = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
CALLS = [
    shlex.split(re.split(r" [<>] ", line)[0], comments=True)[1:]
    for block in re.findall(r"```sh\n(.*?)```", README, re.DOTALL)
    for line in block.splitlines()
    if line.startswith("proofdeck ")
]


def test_it_shows_every_kind_of_call() -> None:
    assert {words[0] for words in CALLS} >= {"study", "test", "demo", "sheet", "plan", "grade", "lint"}


@pytest.mark.parametrize("words", CALLS, ids=" ".join)
def test_a_call_of_the_readme_is_one(words: list[str]) -> None:
    command: click.Command = build("en")
    context = click.Context(command, info_name="proofdeck")
    rest = words
    while isinstance(command, click.Group):
        _, command, rest = command.resolve_command(context, rest)
        assert command is not None
    # parsed as when it is called: an option that is not there, or lacks its value, ends the call
    command.make_context(words[0], list(rest), parent=context)
