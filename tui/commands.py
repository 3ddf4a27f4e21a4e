"""What a person can do, said once.

A :class:`Command` is the one source of a key binding, of an entry in the footer, of a line on the
help screen and of an entry in the palette, so the four cannot disagree. A screen or a widget lists
its commands in ``OFFERS``; its ``BINDINGS`` are made from them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import cache
from itertools import pairwise
from typing import NamedTuple

from textual.actions import parse
from textual.binding import Binding, BindingType

from engine.text import Language, Text

_KEY_NAMES = {
    "escape": "Esc", "enter": "Enter", "space": "Space", "tab": "Tab", "up": "↑", "down": "↓",
    "left": "←", "right": "→", "pageup": "PgUp", "pagedown": "PgDn", "home": "Home", "end": "End",
    "question_mark": "?", "colon": ":", "slash": "/", "left_square_bracket": "[", "right_square_bracket": "]",
    "backspace": "⌫", "minus": "-", "plus": "+", "equals_sign": "=", "comma": ",", "full_stop": ".",
}  # fmt: skip

# What a Chinese input method types when the person meant the key beside it.
_FULL_WIDTH = {
    "question_mark": "fullwidth_question_mark",
    "colon": "fullwidth_colon",
    "slash": "ideographic_comma",
    "left_square_bracket": "left_black_lenticular_bracket",
    "right_square_bracket": "right_black_lenticular_bracket",
}


class Command(NamedTuple):
    """One thing to do: its action, its keys (the first is the one shown), what it is called and does.

    ``footer`` is its rank in the footer (lower stands further left and is dropped last), 0 keeps it
    out. ``palette`` is False for what makes no sense as an entry to pick, such as moving the cursor.
    ``everywhere`` is True for keys that work while something is being typed. Commands with one name
    ``together`` share an entry of the footer, that of the first: ``a–d Choose``.
    """

    action: str
    keys: tuple[str, ...]
    name: Text
    help: Text
    footer: int = 0
    palette: bool = True
    everywhere: bool = False
    together: Text | None = None

    @property
    def parts(self) -> tuple[str, tuple[object, ...]]:
        """The action's name, without namespace, and its arguments, as ``check_action`` takes them."""
        return _parts(self.action)

    def binding(self, scope: str) -> Binding:
        return Binding(
            binding_keys(self.keys),
            self.action,
            self.name.en,
            show=False,
            priority=self.everywhere,
            id=self.id(scope),
        )

    def id(self, scope: str) -> str:
        """What a keymap file calls it: the screen or widget it belongs to, and its name, as ``home.self-test``."""
        # a command named by what it switches to has no name in Latin letters
        name = self.name.en if self.name.en.isascii() else self.parts[0]
        return f"{scope}.{re.sub(r'[^a-z0-9]+', '-', name.lower()).strip('-')}"

    def shown_keys(self, typing: bool = False) -> tuple[str, ...]:
        """The keys as they are written for a person; while typing, only those that are not text."""
        return tuple(key_name(key) for key in self.keys if not (typing and _is_text(key)))

    def offered(self, language: Language, typing: bool = False) -> tuple[str, str] | None:
        """(key, name) for the footer; None where none of its keys works just now."""
        keys = self.shown_keys(typing)
        return (keys[0], self.name.of(language)) if keys else None


def in_footer(offers: Iterable[Command], language: Language, typing: bool) -> list[tuple[int, str, str]]:
    """(rank, key, name) of what stands in the footer, in the order of ranks."""
    entries: list[tuple[int, str, str]] = []
    shared: dict[Text, tuple[int, list[str]]] = {}
    for command in offers:
        if not command.footer or (offered := command.offered(language, typing)) is None:
            continue
        key, name = offered
        if command.together is None:
            entries.append((command.footer, key, name))
        else:
            shared.setdefault(command.together, (command.footer, []))[1].append(key)
    entries += [(rank, _span(keys), name.of(language)) for name, (rank, keys) in shared.items()]
    return sorted(entries)


def _span(keys: list[str]) -> str:
    """``a–d`` for keys that follow one another, else each of them."""
    follow = all(len(key) == 1 for key in keys) and all(
        ord(after) - ord(before) == 1 for before, after in pairwise(keys)
    )
    return f"{keys[0]}–{keys[-1]}" if follow and len(keys) > 2 else " ".join(keys)


@cache
def _parts(action: str) -> tuple[str, tuple[object, ...]]:
    _, name, arguments = parse(action)
    return name, arguments


KEYMAP = "keymap.toml"
"""The file of a person's own keys, in the folder of the settings."""

KNOWN: dict[str, Command] = {}
"""Every command that is bound anywhere in what was imported, by its id."""

_NAMED = re.compile(r"<key:([a-z][a-z.-]*)>")


def keys_named(text: str, key: Callable[[str], str | None]) -> str:
    """``text`` with ``<key:NAME>`` replaced by ``key(NAME)``: what tells of a key gets it from its binding.

    What is no command's name stays as it stands: it may be a person's own text.
    """
    return _NAMED.sub(lambda named: key(named[1]) or named[0], text) if "<key:" in text else text


def bindings(scope: str, commands: Iterable[Command]) -> list[BindingType]:
    """The bindings of a screen or a widget; ``scope`` is what a keymap file calls it."""
    made: list[BindingType] = []
    for command in commands:
        KNOWN[command.id(scope)] = command
        made.append(command.binding(scope))
    return made


def binding_keys(keys: Iterable[str]) -> str:
    """Keys as Textual takes them, with what a Chinese input method sends in their place."""
    return ",".join(one for key in keys for one in (key, _FULL_WIDTH.get(key)) if one)


def key_name(key: str) -> str:
    """A key as it stands on the keyboard."""
    if key in _KEY_NAMES:
        return _KEY_NAMES[key]
    if re.fullmatch(r"f\d+", key):
        return key.upper()
    for modifier, sign in (("ctrl+", "^"), ("shift+", "⇧")):
        if key.startswith(modifier):
            return sign + key_name(key.removeprefix(modifier))
    return key


_EDITING = frozenset({"space", "left", "right", "home", "end", "backspace", "ctrl+d", "ctrl+u"})


def _is_text(key: str) -> bool:
    """True for a key that an input takes for itself: a character, or one that moves in the text."""
    return (
        len(key) == 1
        or key in _EDITING
        or (len(_KEY_NAMES.get(key, "long")) == 1 and key not in ("up", "down"))
    )


# Everywhere -----------------------------------------------------------------------------------

LANGUAGE = Command(
    "app.toggle_language",
    ("f2",),
    Text("中文", "English"),
    Text("switch the whole app to Chinese, at once and in place", "把整个界面立即切换为英文"),
    footer=91,
    everywhere=True,
)
HELP = Command(
    "app.help",
    ("question_mark", "f1"),
    Text("Help", "帮助"),
    Text("every key that works here", "列出当前可用的全部按键"),
    footer=90,
)
PALETTE = Command(
    "app.palette",
    ("colon", "f3"),
    Text("Commands", "命令"),
    Text("find a command by typing part of its name", "输入名称的一部分来查找命令"),
    palette=False,
)
BACK = Command(
    "app.back",
    ("escape",),
    Text("Back", "返回"),
    Text("go back to where you came from; nothing is lost", "返回上一处；不会丢失任何内容"),
    footer=92,
)
THEME = Command(
    "app.toggle_theme",
    ("f4",),
    Text("Light/dark", "明暗主题"),
    Text("switch between the light and the dark theme", "在浅色与深色主题之间切换"),
)
QUIT = Command(
    "app.quit",
    ("q",),
    Text("Quit", "退出"),
    Text("leave; every answer given is already stored", "退出；已给出的评分都已保存"),
    footer=93,
)
SUSPEND = Command(
    "app.suspend_process",
    ("ctrl+z",),
    Text("Suspend", "挂起"),
    Text("back to the shell for a while; fg returns", "暂回 shell，用 fg 返回"),
    palette=False,
)
APP_COMMANDS = (LANGUAGE, HELP, PALETTE, BACK, THEME, SUSPEND, QUIT)

# Moving: the same keys on every screen ---------------------------------------------------------

DOWN = Command(
    "move(1)",
    ("down", "j"),
    Text("Down", "向下"),
    Text("one line or one entry down", "下移一行或一项"),
    palette=False,
)
UP = Command(
    "move(-1)",
    ("up", "k"),
    Text("Up", "向上"),
    Text("one line or one entry up", "上移一行或一项"),
    palette=False,
)
PAGE_DOWN = Command(
    "page(1)",
    ("pagedown", "ctrl+d"),
    Text("Page down", "下一页"),
    Text("one page down", "下翻一页"),
    palette=False,
)
PAGE_UP = Command(
    "page(-1)",
    ("pageup", "ctrl+u"),
    Text("Page up", "上一页"),
    Text("one page up", "上翻一页"),
    palette=False,
)
TOP = Command(
    "edge(-1)", ("home", "g"), Text("Top", "开头"), Text("to the beginning", "跳到开头"), palette=False
)
BOTTOM = Command(
    "edge(1)", ("end", "G"), Text("Bottom", "末尾"), Text("to the end", "跳到末尾"), palette=False
)
MOVES = (DOWN, UP, PAGE_DOWN, PAGE_UP, TOP, BOTTOM)
