"""A person's settings: one TOML file that explains itself, read leniently, changed without losing its comments.

``settings.toml`` lies in the config folder. A key that is unknown and a value that cannot be used are faults with
their line; the default stands in for them, so a slip of the pen keeps nobody from studying. Nothing here writes
the file before a setting is changed.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import date, datetime
from pathlib import Path
from typing import Any, Literal

from engine.errors import InputError
from engine.text import Text
from quizbank.fault import Fault, shown
from quizbank.learning.weights import are_usable
from quizbank.planning.limits import MOST_MINUTES

FILE_NAME = "settings.toml"
LARGEST_FILE = 256 * 1024
"""Bytes; a larger file is not one of settings."""

Theme = Literal["auto", "light", "dark"]
SpokenLanguage = Literal["auto", "zh", "en"]


@dataclass(frozen=True)
class Preferences:
    """The settings in force. ``auto`` leaves the choice to locale and terminal; a limit of None is none.

    ``desired_retention`` is a probability of recall; ``minutes_a_day`` and ``interview_date`` are what the plan
    starts from; ``decks`` are folders and files of cards beside the shipped ones; ``fsrs_weights`` are the scheduler's
    weights fitted to this person, empty for the library's.
    """

    language: SpokenLanguage = "auto"
    theme: Theme = "auto"
    desired_retention: float = 0.9
    new_per_day: int = 20
    reviews_per_day: int = 200
    leech_lapses: int = 6
    minutes_a_day: int = 20
    interview_date: date | None = None
    decks: tuple[Path, ...] = ()
    plain: bool = False
    fsrs_weights: tuple[float, ...] = ()


_NO_CARD_FILE = Text("no card file is at {name}", "{name} 处没有卡片文件")


class _Refused(Exception):  # noqa: N818 (becomes a fault with its line, never seen as it is)
    def __init__(self, text: Text, place: str = "") -> None:
        self.text, self.place = text, place
        super().__init__(text.en)


def _one_of(*words: str) -> Callable[[Any], Any]:
    def read(given: Any) -> Any:
        if given not in words or not isinstance(given, str):
            raise _Refused(_wanted(given, f"one of {', '.join(words)}", f" {'、'.join(words)} 之一"))
        return given

    return read


def _whole(least: int, most: int) -> Callable[[Any], Any]:
    def read(given: Any) -> Any:
        if isinstance(given, bool) or not isinstance(given, int) or not least <= given <= most:
            en, zh = f"a whole number from {least} to {most}", f" {least} 到 {most} 的整数"
            raise _Refused(_wanted(given, en, zh))
        return given

    return read


def _retention(given: Any) -> float:
    usable = isinstance(given, int | float) and not isinstance(given, bool) and math.isfinite(given)
    if not usable or not 0.7 <= given <= 0.99:
        raise _Refused(_wanted(given, "a number from 0.7 to 0.99", " 0.7 到 0.99 的数"))
    return float(given)


def _day(given: Any) -> date | None:
    if given == "":
        return None
    if isinstance(given, date) and not isinstance(given, datetime):
        return given
    try:
        return date.fromisoformat(given)
    except (TypeError, ValueError):
        en, zh = "a date such as 2027-01-15, or empty for none", " 2027-01-15 这样的日期，未定则留空"
        raise _Refused(_wanted(given, en, zh)) from None


def _flag(given: Any) -> bool:
    if not isinstance(given, bool):
        raise _Refused(_wanted(given, "true or false", " true 或 false"))
    return given


def _weights(given: Any) -> tuple[float, ...]:
    if not isinstance(given, list | tuple) or (given and not are_usable(given)):
        en, zh = (
            "21 numbers as `proofdeck fit` finds them, or [] for the usual ones",
            " `proofdeck fit` 求出的 21 个数，或用 [] 表示默认值",
        )
        raise _Refused(_wanted(given, en, zh))
    return tuple(float(weight) for weight in given)


def _paths(given: Any) -> tuple[Path, ...]:
    if not isinstance(given, list) or not all(isinstance(path, str) and path.strip() for path in given):
        raise _Refused(
            _wanted(given, 'a list of paths such as ["~/my-cards"]', ' ["~/my-cards"] 这样的路径列表')
        )
    return tuple(Path(path) for path in given)


def _wanted(given: Any, en: str, zh: str) -> Text:
    value = shown(given)
    return Text(f"{value} cannot be used: this must be {en}", f"{value} 不可用：此处应为{zh}")


@dataclass(frozen=True)
class Setting:
    """One key of the file: what it means, how its value is read."""

    name: str
    meaning: Text
    read: Callable[[Any], Any]


SETTINGS: tuple[Setting, ...] = (
    Setting(
        "language",
        Text(
            "Language of the app and of messages: zh, en, or auto (that of the system). PROOFDECK_LANG and --lang go before it.",
            "界面与提示的语言：zh、en，或 auto（随系统）。PROOFDECK_LANG 与 --lang 优先。",
        ),
        _one_of("auto", "zh", "en"),
    ),
    Setting(
        "theme",
        Text(
            "Theme of the app: light, dark, or auto (as the terminal says).",
            "应用的主题：light（浅色）、dark（深色）或 auto（随终端）。",
        ),
        _one_of("auto", "light", "dark"),
    ),
    Setting(
        "desired_retention",
        Text(
            "How likely you want to recall a card on the day it is due, 0.7 to 0.99. Higher means more reviews.",
            "希望卡片到期当天还能想起来的概率，0.7 到 0.99。越高，复习越多。",
        ),
        _retention,
    ),
    Setting(
        "new_per_day",
        Text("The most new cards a day; 0 for none.", "每天最多学多少张新卡；0 表示不学新卡。"),
        _whole(0, 9999),
    ),
    Setting(
        "reviews_per_day",
        Text(
            "The most cards a day that come back for review; what is over waits until the next day.",
            "每天最多复习多少张到期的卡片；超出的顺延到第二天。",
        ),
        _whole(0, 9999),
    ),
    Setting(
        "leech_lapses",
        Text(
            "After forgetting a card so many times you are offered its demonstration, and again every half as many; 0 for never.",
            "一张卡片忘记多少次之后，提议去看它的演示；此后每多忘一半次数再提一次；0 表示从不。",
        ),
        _whole(0, 99),
    ),
    Setting(
        "minutes_a_day",
        Text(
            "Minutes a day that the plan for the interview may count on.",
            "制定面试计划时，每天可用的分钟数。",
        ),
        _whole(1, MOST_MINUTES),
    ),
    Setting(
        "interview_date",
        Text(
            'The day of the interview, such as "2027-01-15"; "" where there is none yet.',
            '面试日期，如 "2027-01-15"；尚未确定则为 ""。',
        ),
        _day,
    ),
    Setting(
        "decks",
        Text(
            'Your own cards: folders or files beside the shipped ones, such as ["~/my-cards"]. A relative path starts at this file\'s folder.',
            '你自己的卡片：内置题库之外的文件夹或文件，如 ["~/my-cards"]。相对路径从本文件所在的文件夹算起。',
        ),
        _paths,
    ),
    Setting(
        "plain",
        Text(
            "true: the shell prints numbers and texts without drawing plots, and study, test and interview go line by line.",
            "true：命令行只输出数字和文字，不画图；study、test 与 interview 逐行进行。",
        ),
        _flag,
    ),
    Setting(
        "fsrs_weights",
        Text(
            "The scheduler's weights, fitted to your own reviews by `proofdeck fit --apply`; [] for the usual ones.",
            "排期算法的参数，由 `proofdeck fit --apply` 根据你自己的复习记录求得；[] 表示默认值。",
        ),
        _weights,
    ),
)
BY_NAME = {setting.name: setting for setting in SETTINGS}


def settings_path(config: Path) -> Path:
    """The file of the settings in a config folder."""
    return config / FILE_NAME


def read_settings(config: Path) -> tuple[Preferences, tuple[Fault, ...]]:
    """The settings of a config folder, and what is wrong with the file. Raises nothing.

    No file is no fault. Where a value cannot be used its default is; a deck that is not there is left out.
    """
    path = settings_path(config)
    if not path.exists():
        return Preferences(), ()
    name = shown(path, 300)
    try:
        text = _text(path)
        given = _parsed(text)
    except _Refused as refused:
        where = f"{name}:{refused.place}" if refused.place else name
        return Preferences(), (Fault(where, refused.text),)
    lines = _lines(text)
    faults: list[Fault] = []
    values: dict[str, Any] = {}
    for key, value in given.items():
        where = f"{name}:{_line_of(lines, key)}"
        if key not in BY_NAME:
            faults.append(Fault(where, _unknown(key)))
            continue
        try:
            values[key] = BY_NAME[key].read(value)
        except _Refused as refused:
            faults.append(Fault(where, Text(f"{key}: {refused.text.en}", f"{key}：{refused.text.zh}")))
    if "decks" in values:
        values["decks"], missing = _there(values["decks"], path.parent)
        where = f"{name}:{_line_of(lines, 'decks')}"
        faults += [Fault(where, fault) for fault in missing]
    return replace(Preferences(), **values), tuple(faults)


def check_settings(config: Path) -> Preferences:
    """As :func:`read_settings`, for the shell.

    Raises:
        InputError: the first fault, with its line, and how many more there are.
    """
    found, faults = read_settings(config)
    if not faults:
        return found
    first, more = faults[0], len(faults) - 1
    text = first.what
    if more:
        text = Text(f"{text.en} (and {more} more)", f"{text.zh}（另有 {more} 处）")
    raise InputError(text, first.where)


def _text(path: Path) -> str:
    try:
        if not path.is_file():
            raise _Refused(Text("is no ordinary file", "不是普通文件"))
        if path.stat().st_size > LARGEST_FILE:
            raise _Refused(Text("is too large for a file of settings", "文件过大，不像设置文件"))
        data = path.read_bytes()
    except OSError as error:
        reason = error.strerror or str(error)
        raise _Refused(Text(f"cannot be read: {reason}", f"无法读取：{reason}")) from None
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise _Refused(Text("this is not UTF-8 text", "不是 UTF-8 文本"), f"{line}:1") from None


def _parsed(text: str) -> dict[str, Any]:
    import tomllib

    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        from quizbank.toml_faults import toml_fault

        # a plain ValueError is a number of thousands of digits
        raise _Refused(*toml_fault(error, text)) from None


def _unknown(key: str) -> Text:
    from difflib import get_close_matches

    near = get_close_matches(key, BY_NAME, n=1)
    en = f"; did you mean {near[0]}?" if near else f"; there are: {', '.join(BY_NAME)}"
    zh = f"；是否指 {near[0]}？" if near else f"；可用的有 {', '.join(BY_NAME)}"
    return Text(f"no setting is called {shown(key)}{en}", f"没有名为 {shown(key)} 的设置{zh}")


def _there(paths: tuple[Path, ...], base: Path) -> tuple[tuple[Path, ...], list[Text]]:
    """The decks that can be opened, as absolute paths, and what is wrong with the others."""
    found: list[Path] = []
    missing: list[Text] = []
    for given in paths:
        path = _opened(given, base)
        if path is not None:
            found.append(path)
        else:
            why = _NO_CARD_FILE.filled(name=shown(given, 200))
            missing.append(Text(f"decks: {why.en}", f"decks：{why.zh}"))
    return tuple(found), missing


def _opened(given: Path, base: Path) -> Path | None:
    """Where a deck is, as an absolute path; None where no card file is there."""
    try:
        path = base / given.expanduser()
        cards = [path] if path.is_file() else path.iterdir()
        usable = any(file.suffix in (".yaml", ".yml") for file in cards)
    except (OSError, ValueError, RuntimeError):
        usable = False
    return path if usable else None


# Changing the file ----------------------------------------------------------------------------


def write_setting(config: Path, name: str, value: object) -> None:
    """Put one value into the file of the settings, which is made, with what each key means, where there is none.

    Comments, order and the other values stay as the person wrote them.

    Raises:
        InputError: no such setting, a value it cannot take, a file that is no TOML or cannot be written.
    """
    from quizbank.target import write_whole

    if name not in BY_NAME:
        raise InputError(_unknown(name))
    try:
        wanted = BY_NAME[name].read(value)
    except _Refused as refused:
        raise InputError(refused.text, name) from None
    path = settings_path(config)
    try:
        text = _text(path) if path.exists() else template()
        _parsed(text)
        changed = _with(text, name, wanted)
        # the file must say what was asked for before it replaces the one that is there
        if BY_NAME[name].read(_parsed(changed)[name]) != wanted:
            raise _Refused(Text(f"{name} could not be changed in it", f"无法在其中修改 {name}"))
    except (_Refused, KeyError) as error:
        found = (
            error if isinstance(error, _Refused) else _Refused(Text("it could not be changed", "无法修改"))
        )
        place = f":{found.place}" if found.place else ""
        raise InputError(found.text, f"{shown(path, 300)}{place}") from None
    write_whole(path, changed)


def check_decks(config: Path, paths: list[str]) -> None:
    """For a form: are these decks that can be opened from the settings of a config folder?

    The file itself may name what is not there: a folder of a disk that is away, a deck still to be written.

    Raises:
        InputError: no such list, or the first of them at which no card file is; its place is the setting.
    """
    try:
        given = _paths(paths)
    except _Refused as refused:
        raise InputError(refused.text, "decks") from None
    for path in given:
        if _opened(path, config) is None:
            raise InputError(_NO_CARD_FILE.filled(name=shown(path, 200)), "decks")


def template() -> str:
    """The file as it is made: every setting with its meaning in both languages, at its default."""
    head = "# Settings of Proofdeck. Changes made in the app keep your comments.\n# Proofdeck 的设置。在应用中修改不会丢失注释。\n"
    return head + "".join(f"\n{_entry(setting.name, _default(setting.name))}" for setting in SETTINGS)


def _default(name: str) -> object:
    return getattr(Preferences(), name)


def _entry(name: str, value: object) -> str:
    meaning = BY_NAME[name].meaning
    return f"# {meaning.en}\n# {meaning.zh}\n{name} = {_toml(value)}\n"


def _toml(value: object) -> str:
    match value:
        case None:
            return '""'
        case bool():
            return "true" if value else "false"
        case date():
            return f'"{value.isoformat()}"'
        case tuple() | list():
            return f"[{', '.join(_toml(item if isinstance(item, float) else str(item)) for item in value)}]"
        case str():
            return f'"{"".join(_escaped(character) for character in value)}"'
        case _:
            return repr(value)


def _escaped(character: str) -> str:
    if character in '"\\':
        return f"\\{character}"
    return character if character.isprintable() else f"\\U{ord(character):08X}"


def _with(text: str, name: str, value: object) -> str:
    lines = _lines(text)
    first = _index_of(lines, name)
    if first is None:
        # before the first table, whose keys are none of ours
        end = next((n for n, line in enumerate(lines) if line.lstrip().startswith("[")), len(lines))
        before = "".join(lines[:end])
        gap = "" if not before or before.endswith("\n") else "\n"
        return f"{before}{gap}\n{_entry(name, value)}{''.join(lines[end:])}"
    last = _end_of_value(lines, first)
    line = f"{name} = {_toml(value)}{_comment(lines[last])}\n"
    return "".join([*lines[:first], line, *lines[last + 1 :]])


def _lines(text: str) -> list[str]:
    """The lines as TOML counts them, each with its end: U+2028 and its like end none."""
    return re.findall(r"[^\n]*\n|[^\n]+", text)


def _index_of(lines: list[str], name: str) -> int | None:
    pattern = re.compile(rf"""\s*(?:\[+\s*)?(["']?){re.escape(name)}\1\s*[=.\]]""")
    return next((n for n, line in enumerate(lines) if pattern.match(line)), None)


def _line_of(lines: list[str], name: str) -> int:
    found = _index_of(lines, name)
    return 1 if found is None else found + 1


def _end_of_value(lines: list[str], first: int) -> int:
    """The last line of a value that may go over several: the first at which what was read is whole."""
    for last in range(first, len(lines)):
        try:
            _parsed("".join(lines[first : last + 1]))
        except _Refused:
            continue
        return last
    return first


def _comment(line: str) -> str:
    """The comment at the end of a line of TOML, with the space before it; outside of strings."""
    bare = re.sub(r'"(?:\\.|[^"\\])*"|\'[^\']*\'', lambda found: "x" * len(found[0]), line.rstrip("\r\n"))
    at = bare.find("#")
    return "" if at < 0 else f"  {line[at:].rstrip()}"
