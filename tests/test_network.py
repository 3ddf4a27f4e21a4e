"""The program opens no network connection, whatever is asked of it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

GUARD = """
import sys

def refuse(event, arguments):
    if event in ("socket.connect", "socket.getaddrinfo", "socket.gethostbyname", "socket.sendto", "socket.bind"):
        address = arguments[1] if event in ("socket.connect", "socket.sendto", "socket.bind") else arguments
        # an address of the local file system is no network
        if isinstance(address, (str, bytes)) and event == "socket.connect":
            return
        print("NETWORK", event, address, file=sys.stderr)
        raise RuntimeError("network")

sys.addaudithook(refuse)
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    "arguments",
    [
        ["list"],
        ["show", "why-qkv"],
        ["demo", "D19"],
        ["sheet", "--card", "why-qkv", "--format", "html", "-o", "out.html"],
        ["sheet", "--card", "why-qkv", "--format", "md", "-o", "out.md"],
    ],
    ids=lambda arguments: "-".join(arguments[:2]),
)
def test_calls_of_the_shell(arguments: list[str], tmp_path: Path) -> None:
    script = GUARD + f"from tui.cli import main\nsys.exit(main({arguments!r}))"
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert "NETWORK" not in done.stderr
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
def test_the_app(tmp_path: Path) -> None:
    script = GUARD + (
        "import asyncio\n"
        "from pathlib import Path\n"
        "from quizbank.home import Home\n"
        "from tui.app import ProofdeckApp\n"
        "async def drive():\n"
        f"    app = ProofdeckApp(Home.in_folder(Path({str(tmp_path)!r})))\n"
        "    async with app.run_test(size=(80, 24)) as pilot:\n"
        "        await pilot.pause(1.0)\n"
        "        for key in ('s', 'space', 'space', 'p', 'escape', 'escape', 'l', 'escape'):\n"
        "            await pilot.press(key)\n"
        "            await pilot.pause(0.3)\n"
        "asyncio.run(drive())\n"
        "from tui.cli import end\n"
        "end(0)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert "NETWORK" not in done.stderr
    assert done.returncode == 0, done.stderr[-2000:]


def test_the_guard_does_bite() -> None:
    script = GUARD + "import socket\nsocket.create_connection(('127.0.0.1', 9))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert "NETWORK" in done.stderr
    assert done.returncode != 0
