"""Settings: read leniently with every fault at its line, changed without losing a comment."""

from __future__ import annotations

import tomllib
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import InputError
from quizbank.planning.limits import MOST_MINUTES
from quizbank.settings import (
    FILE_NAME,
    SETTINGS,
    Preferences,
    check_decks,
    check_settings,
    read_settings,
    template,
    write_setting,
)


def written(folder: Path, text: str) -> Path:
    (folder / FILE_NAME).write_text(text, encoding="utf-8")
    return folder


def test_no_file_is_no_fault_and_nothing_is_made(tmp_path: Path) -> None:
    assert read_settings(tmp_path) == (Preferences(), ())
    assert list(tmp_path.iterdir()) == []


def test_the_file_explains_itself_in_both_languages_and_says_the_defaults(tmp_path: Path) -> None:
    text = template()
    assert set(tomllib.loads(text)) == {setting.name for setting in SETTINGS}
    for setting in SETTINGS:
        assert f"# {setting.meaning.en}\n# {setting.meaning.zh}\n{setting.name} = " in text
    assert read_settings(written(tmp_path, text)) == (Preferences(), ())


def test_every_fault_has_its_line_and_the_default_stands_in(tmp_path: Path) -> None:
    text = '# mine\nlanguage = "zh"\nnew_per_dy = 5\nreviews_per_day = -1\ndesired_retention = nan\n\n[extra]\nx = 1\n'
    found, faults = read_settings(written(tmp_path, text))
    assert found == Preferences(language="zh")
    lines = [fault.where.removeprefix(str(tmp_path / FILE_NAME)) for fault in faults]
    assert lines == [":3", ":4", ":5", ":7"]
    assert "did you mean new_per_day?" in faults[0].what.en
    assert "是否指 new_per_day？" in faults[0].what.zh
    with pytest.raises(InputError, match=r"settings\.toml:3: .*new_per_dy.*and 3 more"):
        check_settings(tmp_path)


@pytest.mark.parametrize(
    ("line", "word"),
    [
        ("language = 3", "zh, en"),
        ("theme = ['dark']", "auto, light, dark"),
        ("new_per_day = true", "whole number"),
        ("minutes_a_day = 0", "from 1"),
        (f"minutes_a_day = {MOST_MINUTES + 1}", "from 1"),
        # Python will not write such a number out again
        (f"new_per_day = 0x{'f' * 6000}", "whole number"),
        ("desired_retention = 1", "0.99"),
        ("interview_date = '2027-02-30'", "date"),
        ("interview_date = 2027-01-15T10:00:00", "date"),
        ("decks = '~/cards'", "list of paths"),
        ("decks = ['nowhere-at-all']", "no card file"),
        ("plain = 'yes'", "true or false"),
    ],
)
def test_a_bad_value_is_told_with_what_it_must_be(tmp_path: Path, line: str, word: str) -> None:
    found, faults = read_settings(written(tmp_path, f"\n{line}\n"))
    assert found == Preferences()
    assert [fault.where for fault in faults] == [f"{tmp_path / FILE_NAME}:2"]
    assert word in faults[0].what.en


def test_what_is_no_settings_file_is_one_clear_fault(tmp_path: Path) -> None:
    for data, place in (
        (b"a = \n", ":1:5"),
        (b"new_per_day = " + b"9" * 6000, ""),
        (b"x = 1\n\xff", ":2:1"),
        (b"#" * 300_000, ""),
        (b"a = " + b"[" * 5000, None),
    ):
        (tmp_path / FILE_NAME).write_bytes(data)
        found, faults = read_settings(tmp_path)
        assert found == Preferences()
        assert len(faults) == 1
        if place is not None:
            assert faults[0].where == f"{tmp_path / FILE_NAME}{place}"
        before = (tmp_path / FILE_NAME).read_bytes()
        with pytest.raises(InputError):
            write_setting(tmp_path, "theme", "dark")
        assert (tmp_path / FILE_NAME).read_bytes() == before


def test_a_change_keeps_comments_order_and_other_values(tmp_path: Path) -> None:
    text = (
        "# my own words\n"
        "theme = 'dark'   # at night # really\n"
        "decks = [\n  'a',  # one\n  'b',\n]\n"
        "unknown = 1\n"
        "[table]\ntheme = 1\n"
    )
    written(tmp_path, text)
    write_setting(tmp_path, "theme", "light")
    write_setting(tmp_path, "decks", ["c#d"])
    write_setting(tmp_path, "interview_date", "2027-01-15")
    after = (tmp_path / FILE_NAME).read_text(encoding="utf-8")
    assert after.startswith(
        '# my own words\ntheme = "light"  # at night # really\ndecks = ["c#d"]\nunknown = 1\n'
    )
    assert after.endswith('interview_date = "2027-01-15"\n[table]\ntheme = 1\n')
    assert read_settings(tmp_path)[0].interview_date == date(2027, 1, 15)


@pytest.mark.slow
@given(
    path=st.text(min_size=1, max_size=20).filter(lambda path: bool(str(Path(path)).strip())),
    new=st.integers(0, 9999),
    retention=st.floats(0.7, 0.99),
)
def test_what_is_written_is_what_is_read(
    tmp_path_factory: pytest.TempPathFactory, path: str, new: int, retention: float
) -> None:
    folder = tmp_path_factory.mktemp("settings")
    try:
        path.encode()
    except UnicodeEncodeError:
        return
    for name, value in (("decks", [path]), ("new_per_day", new), ("desired_retention", retention)):
        write_setting(folder, name, value)
    given_ = tomllib.loads((folder / FILE_NAME).read_text(encoding="utf-8"))
    # a path is written as the system writes it, without a slash at its end
    wanted = ([str(Path(path))], new, retention)
    assert (given_["decks"], given_["new_per_day"], given_["desired_retention"]) == wanted


def test_a_deck_is_found_from_the_folder_of_the_settings(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "cards.yaml").touch()
    found, faults = read_settings(written(tmp_path, "decks = ['mine', 'gone']\n"))
    assert found.decks == (tmp_path / "mine",)
    assert [fault.what.en for fault in faults] == ["decks: no card file is at gone"]


def test_a_form_refuses_a_deck_that_the_shell_would_refuse_afterwards(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "cards.yaml").touch()
    check_decks(tmp_path, [])
    check_decks(tmp_path, ["mine", str(tmp_path / "mine" / "cards.yaml")])
    for paths, word in (
        (["mine", "gone"], "no card file is at gone"),
        ([str(tmp_path)], "no card file"),
        (["a\0b"], "no card file"),
        ([" "], "list of paths"),
    ):
        with pytest.raises(InputError, match=word) as refused:
            check_decks(tmp_path, paths)
        assert refused.value.where == "decks"


def test_a_setting_that_is_not_there_is_refused(tmp_path: Path) -> None:
    for name, value in (("nothing", 1), ("theme", "blue")):
        with pytest.raises(InputError):
            write_setting(tmp_path, name, value)
    assert list(tmp_path.iterdir()) == []
