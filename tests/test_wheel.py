"""A wheel installed away from the clone runs every call: cards, bibliography, styles and fonts are inside."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that holds the wheel's content as an installer lays it out."""
    place = tmp_path_factory.mktemp("wheel")
    clone = place / "clone"
    subprocess.run(["git", "clone", "-q", str(ROOT), str(clone)], check=True)
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "-q"]
    subprocess.run([*pip, "wheel", "--no-deps", "-w", str(place), str(clone)], check=True)
    (wheel,) = place.glob("*.whl")
    target = place / "site"
    subprocess.run([*pip, "install", "--no-deps", "--target", str(target), str(wheel)], check=True)
    return target


def run(installed: Path, cwd: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(installed), "PROOFDECK_HOME": str(cwd / "home")}
    script = (
        "import sys, engine, quizbank, tui\n"
        f"assert all(module.__file__.startswith({str(installed)!r}) for module in (engine, quizbank, tui))\n"
        "from tui.cli import main\n"
        f"sys.exit(main({list(arguments)!r}))\n"
    )
    return subprocess.run(
        [sys.executable, "-c", script], cwd=cwd, env=environment, capture_output=True, text=True, check=False
    )


def test_no_test_and_every_data_file_is_in_the_wheel(installed: Path) -> None:
    (wheel,) = installed.parent.glob("*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    assert not [name for name in names if name.startswith("tests/")]
    for pattern in (
        "quizbank/cards/",
        "quizbank/sheets/fonts/",
        "quizbank/bibliography.yaml",
        ".css",
        ".tcss",
        "OFL",
    ):
        assert [name for name in names if pattern in name], pattern
    tracked = subprocess.run(
        ["git", "ls-files", "engine", "quizbank", "tui"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert sorted(set(tracked.stdout.split()) - set(names)) == []


def test_every_call_runs(installed: Path, tmp_path: Path) -> None:
    for arguments in (
        ["--version"],
        ["--help"],
        ["list", "--json"],
        ["show", "why-qkv", "--lang", "zh"],
        ["demo", "--list"],
        ["demo", "D19"],
        ["schema"],
        ["schema", "--sheet"],
        ["sheet", "--card", "why-qkv", "--format", "apkg", "-o", "card.apkg"],
        ["check", "--json"],
        ["sheet", "--format", "md", "-o", "deck.md"],
        ["sheet", "--format", "html", "-o", "deck.html"],
    ):
        done = run(installed, tmp_path, *arguments)
        assert done.returncode == 0, (arguments, done.stdout[-800:], done.stderr[-800:])
        if "--json" in arguments:
            json.loads(done.stdout)
    assert (tmp_path / "deck.html").stat().st_size > 200_000


def test_the_app_paints_from_the_wheel(installed: Path, tmp_path: Path) -> None:
    script = (
        "import asyncio\n"
        "from pathlib import Path\n"
        "from quizbank.home import Home\n"
        "from tui.app import ProofdeckApp\n"
        "async def drive():\n"
        "    app = ProofdeckApp(Home.in_folder(Path('home')))\n"
        "    async with app.run_test(size=(80, 24)) as pilot:\n"
        "        await pilot.pause(0.5)\n"
        "asyncio.run(drive())\n"
        "from tui.cli import end\n"
        "end(0)\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(installed)}
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
