"""A person's own keys: ``keymap.toml`` in the folder of the settings.

A table a screen or widget, a line a command, one key or several::

    [home]
    study = "f"
    [page]
    down = ["down", "j", "ctrl+n"]

``proofdeck keys`` prints the whole file as it stands. What cannot be used is left out and named with its line.
"""

from __future__ import annotations

import importlib
import pkgutil
import re
import tomllib
import unicodedata
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import NamedTuple

from engine.text import Text
from quizbank.fault import Fault, shown
from tui.commands import KEYMAP, KNOWN, Command

LARGEST_FILE = 200_000
EVERYWHERE = ("app", "page")
"""Scopes whose keys work on every screen."""
MODIFIERS = ("ctrl", "alt", "shift", "super", "meta", "hyper")

_UNREADABLE = Text("cannot be read: {why}", "无法读取：{why}")
_NO_TEXT = Text("this is not UTF-8 text", "不是 UTF-8 文本")
_TOO_LARGE = Text("is too large for a file of keys", "文件过大，不像按键文件")
_UNKNOWN = Text("nothing is called {name}", "没有名为 {name} 的命令")
_NEAR = Text("nothing is called {name}; did you mean {near}?", "没有名为 {name} 的命令；是否指 {near}？")
_NO_KEYS = Text(
    "{name} needs a key, or several in brackets, as strings", "{name} 须为按键字符串，多个写成列表"
)
_NO_KEY = Text("{name}: no key is called {key}", "{name}：没有名为 {key} 的按键")
_TAKEN = Text("{name}: {key} is the key of {other} there", "{name}：按键 {key} 已用于同一处的 {other}")
_TYPED = Text(
    "{name} works while something is typed, so {key} cannot be its key",
    "{name} 在输入文字时也有效，因此不能用 {key}",
)


class Keymap(NamedTuple):
    """Keys by the id of their command, in Textual's names; and what is wrong with the file."""

    keys: Mapping[str, tuple[str, ...]]
    faults: tuple[Fault, ...]


def keymap_path(config: Path) -> Path:
    return config / KEYMAP


def read_keymap(config: Path) -> Keymap:
    """The keys of a config folder, as far as they can be used. No file is no fault. Raises nothing.

    All screens are imported for it, to know what there is: slow, so not for the event loop.
    """
    path = keymap_path(config)
    if not path.exists():
        return Keymap({}, ())
    name = shown(path, 300)
    try:
        if path.stat().st_size > LARGEST_FILE:
            return Keymap({}, (Fault(name, _TOO_LARGE),))
        text = (data := path.read_bytes()).decode("utf-8-sig")
        given = tomllib.loads(text)
    except OSError as error:
        return Keymap({}, (Fault(name, _UNREADABLE.filled(why=error.strerror or type(error).__name__)),))
    except UnicodeDecodeError as error:
        return Keymap({}, (Fault(f"{name}:{data.count(10, 0, error.start) + 1}:1", _NO_TEXT),))
    except (ValueError, RecursionError) as error:
        from quizbank.toml_faults import toml_fault

        what, place = toml_fault(error, text)
        return Keymap({}, (Fault(f"{name}:{place}" if place else name, what),))
    return _read(given, lines_of(text), name)


def _read(given: Mapping[str, object], lines: Mapping[str, int], file: str) -> Keymap:
    known = commands()
    keys: dict[str, tuple[str, ...]] = {}
    faults: list[Fault] = []

    def fault(name: str, what: Text) -> None:
        line = lines.get(name, lines.get(name.partition(".")[0]))
        faults.append(Fault(f"{file}:{line}" if line else file, what))

    for name, value in _flat(given):
        if name not in known:
            near = get_close_matches(name, known, n=1)
            told = {"name": shown(name), "near": near[0] if near else ""}
            fault(name, (_NEAR if near else _UNKNOWN).filled(**told))
            continue
        words = [value] if isinstance(value, str) else value
        if not isinstance(words, list) or not words or not all(isinstance(word, str) for word in words):
            fault(name, _NO_KEYS.filled(name=name))
            continue
        found = {word: key_of(word) for word in words}
        if wrong := [word for word, key in found.items() if key is None]:
            fault(name, _NO_KEY.filled(name=name, key=shown(wrong[0]) or '""'))
            continue
        own = tuple(dict.fromkeys(key for key in found.values() if key is not None))
        if known[name].everywhere and (typed := [key for key in own if _is_typed(key)]):
            fault(name, _TYPED.filled(name=name, key=typed[0]))
            continue
        keys[name] = own
    while clashes := list(_clashes(keys, known)):
        for name, key, other in clashes:
            if name in keys:
                fault(name, _TAKEN.filled(name=name, key=key, other=other))
                del keys[name]
    return Keymap(keys, tuple(sorted(faults, key=lambda fault: _line(fault.where))))


def _line(where: str) -> int:
    number = where.rpartition(":")[2]
    return int(number) if number.isdigit() else 0


def _clashes(
    keys: Mapping[str, tuple[str, ...]], known: Mapping[str, Command]
) -> Iterator[tuple[str, str, str]]:
    """(changed command, key, the other command that has it where both work)."""
    screens = page_scopes()
    for name, own in keys.items():
        scope = name.partition(".")[0]
        for other, command in known.items():
            if other == name or not _together(scope, other.partition(".")[0], screens):
                continue
            for key in own:
                # what shares a key as it comes is told apart by what is on the screen
                as_it_comes = key in known[name].keys and key in command.keys
                if key in keys.get(other, command.keys) and not as_it_comes:
                    yield name, key, other


def _together(one: str, other: str, screens: frozenset[str]) -> bool:
    """Would a key of both scopes mean two things? A widget's keys go before those of the screen it is on."""
    if one == other or "app" in (one, other):
        return True
    return (one in EVERYWHERE and (other in screens or other in EVERYWHERE)) or (
        other in EVERYWHERE and one in screens
    )


def commands() -> Mapping[str, Command]:
    """Every command of the app by its id."""
    import tui.app
    import tui.screens
    import tui.widgets

    for package in (tui.screens, tui.widgets):
        for module in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
            importlib.import_module(module.name)
    # in an order that does not hang on which screens were opened before
    return dict(sorted(KNOWN.items()))


def page_scopes() -> frozenset[str]:
    """What the screens are called in a keymap."""
    from tui.screens.base import Page, scope_of

    found, waiting = set(), [Page]
    while waiting:
        page = waiting.pop()
        found.add(scope_of(page))
        waiting += page.__subclasses__()
    return frozenset(found)


def key_of(word: str) -> str | None:
    """A key as Textual names it: ``?`` is ``question_mark``; None where there is no such key."""
    *modifiers, last = word.split("+") if len(word) > 1 else [word]
    if any(modifier not in MODIFIERS for modifier in modifiers) or len(set(modifiers)) < len(modifiers):
        return None
    if len(last) == 1:
        last = _name_of(last)
    elif last not in _named_keys():
        return None
    return "+".join((*modifiers, last)) if last else None


def _name_of(character: str) -> str:
    """The key that writes a character; empty where none does."""
    from textual.keys import KEY_NAME_REPLACEMENTS

    if character.isalnum() or not character.isprintable() or character.isspace():
        return character if character.isalnum() else ""
    name = re.sub(r"[^a-z0-9]", "_", unicodedata.name(character, "").lower())
    return KEY_NAME_REPLACEMENTS.get(name, name)


@cache
def _named_keys() -> frozenset[str]:
    from textual.keys import Keys

    return frozenset(
        {str(key.value) for key in Keys if "<" not in key.value}
        | {_name_of(chr(code)) for code in range(33, 127)}
        | {"space"}
    )


def _is_typed(key: str) -> bool:
    """Does this key write something?"""
    from textual.keys import key_to_character

    return "+" not in key and key_to_character(key) is not None


def _flat(given: Mapping[str, object], scope: str = "") -> Iterator[tuple[str, object]]:
    for name, value in given.items():
        full = f"{scope}.{name}" if scope else name
        if isinstance(value, dict):
            yield from _flat(value, full)
        else:
            yield full, value


_TABLE = re.compile(r"""^\s*\[\s*["']?([\w.-]+)["']?\s*\]""")
_LINE = re.compile(r"""^\s*(["']?)([\w.-]+)\1\s*(?:\.\s*(["']?)([\w-]+)\3\s*)?=""")


def lines_of(text: str) -> dict[str, int]:
    """On which line each table and each entry begins."""
    found: dict[str, int] = {}
    scope = ""
    for number, line in enumerate(text.split("\n"), 1):
        if table := _TABLE.match(line):
            scope = table[1]
            found.setdefault(scope, number)
        elif entry := _LINE.match(line):
            name = ".".join(filter(None, (scope, entry[2], entry[4])))
            found.setdefault(name, number)
    return found
