"""A file of settings or keys that is no TOML: the cause in the person's language, with its place."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from quizbank.settings import FILE_NAME, read_settings
from quizbank.toml_faults import toml_fault
from tui.commands import KEYMAP
from tui.keymap import read_keymap

MISTAKES = {
    "theme = light": ("1:9", "英文引号"),
    "theme = “light”": ("1:9", "英文引号"),
    "语言 = 'zh'": ("1:1", "含中文的键要加引号"),
    "a = 1\na = 2\n": ("2:6", "同一个键写了两次"),
    "a = 1\n\nb\n": ("3:2", "缺少 ="),
    "a = 1\nb = [1, 2\n\n": ("2:10", "或缺少结束的 ]"),
    "a = {b = 1": ("1:11", "或缺少结束的 }"),
    "[t\na = 1": ("1:3", "缺少结束的 ]"),
    "[[t]\n": ("1:4", "缺少结束的 ]]"),
    "[t]\n[t]": ("2:3", "声明了两次"),
    "a = 'x": ("1:7", "缺少结束的引号"),
    'a = "x\nb = 1"': ("1:7", "缺少结束的引号"),
    'a = """x': ("1:9", "缺少结束的引号"),
    "a = 08": ("1:6", "值应在此之前结束"),
    'a = "C:\\me"': ("1:10", r"要写成 \\"),
    "a = '\x07'": ("1:6", "控制字符"),
    "a = {b = 1, b = 2}": ("1:18", "同一个键写了两次"),
    "a = 2026-02-30": ("1:5", "没有这个日期"),
    "a = " + "9" * 5000: ("", "位数过多"),
    "a = " + "[" * 5000: ("", "嵌套过深"),
}


@pytest.mark.parametrize("text", MISTAKES, ids=range(len(MISTAKES)))
def test_a_mistake_is_told_in_ones_own_language_with_its_place(text: str) -> None:
    with pytest.raises((ValueError, RecursionError)) as caught:
        tomllib.loads(text)
    what, place = toml_fault(caught.value, text)
    assert (place, MISTAKES[text][1] in what.zh) == (MISTAKES[text][0], True)
    # no sentence of the reader's is left in it
    assert not re.search("[A-Za-z]{2} [A-Za-z]", what.zh)
    assert what.en.startswith("this is not TOML: ")


def test_a_cause_that_is_not_known_is_quoted_as_it_stands() -> None:
    what, place = toml_fault(tomllib.TOMLDecodeError("Something new\x1b (at line 4, column 2)"), "")
    assert (what.zh, place) == ("不是合法的 TOML：“Something new�”", "4:2")


def test_both_files_tell_the_line_and_the_column(tmp_path: Path) -> None:
    for name in (FILE_NAME, KEYMAP):
        (tmp_path / name).write_text("a = 1\nb = two\n", encoding="utf-8")
    ((_, settings), keys) = read_settings(tmp_path), read_keymap(tmp_path)
    told = {fault.line("zh") for fault in (*settings, *keys.faults)}
    cause = "不是合法的 TOML：这个值的写法不对；文字要放在英文引号里"
    assert told == {f"{tmp_path / name}:2:5: {cause}" for name in (FILE_NAME, KEYMAP)}
