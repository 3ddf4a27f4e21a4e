"""The words of the interface: all there, in both languages, each language by its own rules."""

from __future__ import annotations

import importlib
import pkgutil
import re

import tui.screens
import tui.widgets
from engine.text import Text
from tui import answer_messages, marking_messages, messages
from tui.commands import APP_COMMANDS, MOVES, Command, keys_named
from tui.keymap import commands
from tui.screens import settings_words, workbench_words
from tui.screens.base import Page, scope_of
from tui.widgets import slider

HAN = re.compile(r"[\u4e00-\u9fff]")
NAMED = re.compile(r"<key:([^>]*)>")
LITERAL = re.compile(
    r"\b(Esc|Space|PgDn|PgUp|F\d+|Ctrl\+\w)\b|空格|[←→↑↓]|\b[Pp]ress \w+\b|按 [A-Za-z0-9]|(?<!press )\bEnter\b"
)


IN_A_LINE = (
    answer_messages.LINE_HINT, answer_messages.LINE_HINT_OPEN, answer_messages.NO_LINE_YET,
    answer_messages.EDITED_LINE_HINT, answer_messages.NOT_UNDERSTOOD,
    answer_messages.NOT_UNDERSTOOD_YET, messages.GUESS_HINT, messages.PALETTE_ABOUT, slider.TYPING,
    settings_words.ABOUT, workbench_words.DERIVE_ABOUT,
)  # fmt: skip
"""Enter in a line that is typed is the line's own key, which no keymap changes."""


def texts_in(value: object) -> list[Text]:
    if isinstance(value, Text):
        return [value]
    if isinstance(value, Command):
        return [value.name, value.help]
    if isinstance(value, dict):
        return [text for part in value.values() for text in texts_in(part)]
    if isinstance(value, tuple):
        return [text for part in value for text in texts_in(part)]
    return []


def modules() -> list[object]:
    names = [
        module.name
        for package in (tui.screens, tui.widgets)
        for module in pkgutil.iter_modules(package.__path__, f"{package.__name__}.")
    ]
    return [
        messages,
        answer_messages,
        marking_messages,
        *(importlib.import_module(name) for name in ("tui.commands", *names)),
    ]


def interface_texts() -> list[Text]:
    """Every text of the messages, and the names and explanations of every command."""
    found = [text for module in modules() for value in vars(module).values() for text in texts_in(value)]
    return [text for text in dict.fromkeys(found) if text.en]


def faults(said: Text) -> list[str]:
    found = []
    if not said.zh:
        found.append("no Chinese")
    if set(re.findall(r"{\w+}", said.en)) != set(re.findall(r"{\w+}", said.zh)):
        found.append("other placeholders")
    if NAMED.findall(said.en) != NAMED.findall(said.zh):
        found.append("other keys")
    if said not in IN_A_LINE and any(LITERAL.search(NAMED.sub("", words)) for words in said):
        found.append("a key by its letter")
    if HAN.search(said.en) and said.en != "中文":
        found.append("Chinese in the English")
    words = re.sub(r"{\w+}|`[^`]*`", "", said.zh)
    if (
        said.en != said.zh
        and re.search(r"[A-Za-z]", words)
        and not HAN.search(words)
        and said.zh != "English"
    ):
        found.append("no Chinese in the Chinese")
    if re.search(r"[\u4e00-\u9fff] ?[,;!?:]|[,;!?:][\u4e00-\u9fff]", said.zh):
        found.append("Latin punctuation")
    if re.search(
        r"[\u4e00-\u9fff][A-Za-z0-9{]|[A-Za-z0-9}][\u4e00-\u9fff]",
        re.sub(r"{interval}|{meaning}", "三天", said.zh),
    ):
        found.append("no space between the scripts")
    return found


def test_every_text_of_the_interface_is_there_in_both_languages() -> None:
    texts = interface_texts()
    assert len(texts) > 100
    assert {said: faults(said) for said in texts if faults(said)} == {}


def test_every_key_that_a_text_names_is_the_key_of_a_command() -> None:
    ids = commands()
    names = {name for said in interface_texts() for name in NAMED.findall(said.en)}
    assert "undo" in names
    known = {*ids, *(id_.partition(".")[2] for id_ in ids)}
    assert names - known == set()
    # what only looks like one, in a text of one's own, stays as it is
    found = {"undo": "u"}.get
    assert keys_named("<key:undo> and <key:sos> and <sos>", found) == "u and <key:sos> and <sos>"


def test_the_help_of_a_screen_fills_in_every_key_it_names() -> None:
    modules()
    ids = commands()
    # what a command does is said without keys: on the screen of the help its own would not be found
    assert [id_ for id_, command in ids.items() for text in texts_in(command) if NAMED.search(text.en)] == []
    for page in all_pages():
        scopes = [*(scope_of(cls) for cls in page.__mro__ if issubclass(cls, Page)), "page", "app"]
        for name in NAMED.findall(page.ABOUT.en):
            assert name in ids or any(f"{scope}.{name}" in ids for scope in scopes), (page.__name__, name)


def all_pages(cls: type[Page] = Page) -> list[type[Page]]:
    return [page for child in cls.__subclasses__() for page in (child, *all_pages(child))]


def test_no_key_of_a_screen_means_two_things_and_every_command_has_its_action() -> None:
    modules()
    pages = all_pages()
    assert len(pages) > 7
    for page in pages:
        keys = [key for command in (*page.OFFERS, *MOVES, *APP_COMMANDS) for key in command.keys]
        assert len(keys) == len(set(keys)), page.__name__
        for command in page.OFFERS:
            assert hasattr(page, f"action_{command.parts[0]}"), f"{page.__name__}: {command.action}"


def test_a_tab_of_a_card_and_its_key_have_one_name_in_chinese() -> None:
    from quizbank import labels
    from tui.screens import card

    assert card.ANSWER.name.zh == labels.ANSWER.zh
    assert card.SOURCES.name.zh == labels.SOURCES.zh
