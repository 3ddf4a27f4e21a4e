"""The app in a browser: who gets in, what the page may load, and that a key in the browser reaches the app."""

from __future__ import annotations

import asyncio
import base64
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from aiohttp.test_utils import TestClient, TestServer, unused_port

from tui.cli import main
from tui.web.server import AppServer


@asynccontextmanager
async def served() -> AsyncIterator[tuple[TestClient[Any, Any], str]]:
    """A running server and the path of its page."""
    port = unused_port()
    server = AppServer("true", "127.0.0.1", port)
    async with TestClient(TestServer(await server._make_app(), port=port)) as client:
        yield client, f"/{server.secret}/"


async def test_the_page_is_for_whoever_has_its_address() -> None:
    async with served() as (client, path):
        page = await client.get(path)
        assert page.status == 200
        body = await page.text()
        # nothing from outside, in the page or in what it may load
        assert re.findall(r"(?:src|href|url)\W+(?:https?:)?//(?!127\.0\.0\.1:)", body) == []
        assert "default-src 'none'" in page.headers["Content-Security-Policy"]
        assert (await client.get(f"{path}static/js/textual.js")).status == 200
        for elsewhere in ("/", "/ws", "/static/js/textual.js", f"{path[:-3]}xy/"):
            assert (await client.get(elsewhere)).status == 404


@pytest.mark.parametrize(
    "headers", [{"Host": "evil.example"}, {"Origin": "http://evil.example"}, {"Origin": "null"}]
)
async def test_no_page_of_another_site_gets_in_even_with_the_address(headers: dict[str, str]) -> None:
    async with served() as (client, path):
        assert (await client.get(path, headers=headers)).status == 403
        with pytest.raises(aiohttp.WSServerHandshakeError, match="403"):
            await client.ws_connect(f"{path}ws", headers=headers)


async def test_another_name_of_this_machine_is_this_machine() -> None:
    async with served() as (client, path):
        assert (await client.get(path, headers={"Host": f"localhost:{client.port}"})).status == 200


def test_without_the_extra_the_line_that_installs_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def without(name: str, package: str | None = None) -> object:
        return None if name == "textual_serve" else find_spec(name, package)

    monkeypatch.setattr("tui.shell.serve.find_spec", without)
    assert main(["serve"]) == 2
    assert "pip install 'proofdeck[serve]'" in capsys.readouterr().err


def test_a_port_in_use_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    import socket

    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        assert main(["serve", "--port", str(taken.getsockname()[1])]) == 2
    assert "--port" in capsys.readouterr().err


class Browser:
    """A page of Chromium, driven through its debugging protocol."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self._socket = socket
        self._calls = 0
        self.events: list[dict[str, Any]] = []

    async def call(self, method: str, **params: object) -> dict[str, Any]:
        self._calls += 1
        mine = self._calls
        await self._socket.send_json({"id": mine, "method": method, "params": params})
        while True:
            message = await self._socket.receive_json()
            if message.get("id") == mine:
                return dict(message.get("result", {}))
            self.events.append(message)

    async def screenshot(self) -> bytes:
        return base64.b64decode((await self.call("Page.captureScreenshot"))["data"])

    async def changed(self, before: bytes) -> bytes:
        """The screenshot once it is no longer what it was, and stands still."""
        last = before
        for _ in range(240):
            await asyncio.sleep(0.5)
            now = await self.screenshot()
            if now == last != before:
                return now
            last = now
        raise AssertionError("the page does not change")

    async def press_f2(self) -> None:
        for kind in ("rawKeyDown", "keyUp"):
            await self.call(
                "Input.dispatchKeyEvent", type=kind, key="F2", code="F2", windowsVirtualKeyCode=113
            )


@asynccontextmanager
async def chromium() -> AsyncIterator[Browser]:
    program = shutil.which("chromium")
    assert program is not None, "this test needs chromium"
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        arguments = ("--headless=new", "--no-sandbox", "--disable-gpu", "--remote-debugging-port=0")
        process = subprocess.Popen(
            [program, *arguments, f"--user-data-dir={profile}", "about:blank"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            port_file = Path(profile) / "DevToolsActivePort"
            for _ in range(240):
                if port_file.exists() and port_file.read_text().count("\n"):
                    break
                await asyncio.sleep(0.25)
            port = port_file.read_text().splitlines()[0]
            async with aiohttp.ClientSession() as session:
                async with session.get(f"http://127.0.0.1:{port}/json") as response:
                    tabs = await response.json()
                page = next(tab for tab in tabs if tab["type"] == "page")
                async with session.ws_connect(page["webSocketDebuggerUrl"], max_msg_size=0) as socket:
                    yield Browser(socket)
        finally:
            process.kill()
            process.wait()


@pytest.mark.slow
async def test_a_key_in_the_browser_reaches_the_app_and_nothing_is_asked_of_the_outside(home: Path) -> None:
    port = unused_port()
    command = [sys.executable, "-m", "tui", "serve", "--port", str(port)]
    server = await asyncio.create_subprocess_exec(
        *command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env={**os.environ, "PROOFDECK_HOME": str(home)}
    )  # fmt: skip
    try:
        assert server.stdout is not None
        url = (await server.stdout.readline()).decode().split()[-1]
        async with chromium() as browser:
            for domain in ("Page", "Runtime", "Network", "Log"):
                await browser.call(f"{domain}.enable")
            blank = await browser.screenshot()
            await browser.call("Page.navigate", url=url)
            await browser.changed(blank)
            settings = home / "settings.toml"
            for _ in range(60):
                if settings.exists() and 'language = "zh"' in settings.read_text(encoding="utf-8"):
                    break
                await browser.press_f2()
                await asyncio.sleep(1)
            else:
                raise AssertionError("no key reached the app")
            told = json.dumps(browser.events)
            requests = [
                event["params"]["request"]["url"]
                for event in browser.events
                if event["method"] == "Network.requestWillBeSent"
            ]
            assert requests
            assert all(url.startswith((f"http://127.0.0.1:{port}/", "data:")) for url in requests)
            assert "Content Security Policy" not in told
            assert "Runtime.exceptionThrown" not in told
    finally:
        server.send_signal(signal.SIGINT)
        await server.wait()
