"""One variable moves everything; a folder that cannot be used is told with the way out."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from engine.errors import InputError
from quizbank.home import Home


def test_proofdeck_home_puts_everything_in_one_folder_and_creates_nothing_yet(tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    home = Home.from_environment({"PROOFDECK_HOME": str(folder)})
    assert {home.data, home.config, home.cache.parent} == {folder}
    assert not folder.exists()
    assert home.data_folder() == folder
    assert folder.is_dir()


def test_a_relative_folder_stays_the_same_when_the_program_changes_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert Home.from_environment({"PROOFDECK_HOME": "here"}).data == tmp_path / "here"


def test_without_the_variable_the_platform_says_where(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", "/somewhere/data")
    home = Home.from_environment({"PROOFDECK_HOME": ""})
    assert all("proofdeck" in path.parts for path in (home.data, home.config, home.cache))


def unusable(home: Home) -> str:
    with pytest.raises(InputError) as raised:
        home.data_folder()
    assert raised.value.text.zh
    return raised.value.line("en")


def test_a_file_in_its_place_is_told_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "taken"
    path.write_text("mine", encoding="utf-8")
    for folder in (path, path / "deeper"):
        line = unusable(Home.in_folder(folder))
        assert str(folder) in line
        assert "PROOFDECK_HOME" in line
        assert "a file stands in its place" in line
    assert path.read_text(encoding="utf-8") == "mine"


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="needs a file system that refuses folders")
def test_a_folder_that_cannot_be_made_is_told() -> None:
    assert "cannot be made" in unusable(Home.in_folder(Path("/proc/proofdeck")))


def test_a_folder_without_permission_to_write_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "locked"
    folder.mkdir(mode=0o500)
    if os.access(folder, os.W_OK):  # root may write everywhere
        monkeypatch.setattr(os, "access", lambda path, mode: False)
    assert "cannot be written" in unusable(Home.in_folder(folder))


@pytest.mark.parametrize("name", ["nul\0byte", "~nobody-of-this-name/x"])
def test_a_path_that_is_none_is_told(name: str) -> None:
    with pytest.raises(InputError, match="cannot be used"):
        Home.from_environment({"PROOFDECK_HOME": name}).data_folder()


def test_asking_for_the_folders_imports_nothing_heavy() -> None:
    code = (
        "import sys; from quizbank.home import Home; Home.from_environment().data_folder();"
        "print([name for name in ('yaml', 'numpy', 'sympy', 'textual', 'pydantic') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
