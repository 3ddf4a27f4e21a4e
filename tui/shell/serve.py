"""`serve`: the app in a browser."""

from __future__ import annotations

import shlex
import sys
from importlib.util import find_spec

from engine.errors import InputError
from engine.text import Language, Text

LOOPBACK = "127.0.0.1"
_MISSING = Text(
    "the app in a browser needs an extra that is not installed: pip install 'proofdeck[serve]'",
    "在浏览器中打开需要另装组件：pip install 'proofdeck[serve]'",
)
_CANNOT = Text(
    "cannot serve on {host}, port {port} ({error}); choose another with --port",
    "无法在 {host} 的端口 {port} 上提供服务（{error}）；请用 --port 换一个",
)
_OPEN = Text("open in a browser: {url}", "请在浏览器中打开：{url}")
_SECRET = Text(
    "The address is a key: whoever has it can do in the app what you can. Ctrl+C ends.",
    "这个地址相当于钥匙：拿到它的人可以在应用里做你能做的一切。按 Ctrl+C 结束。",
)
_BEYOND = Text(
    "warning: {host} is reached from other machines, and nothing is encrypted",
    "警告：{host} 可从其他机器访问，且传输不加密",
)


def serve(host: str, port: int, public_url: str | None, lang: Language) -> int:
    """Serve the app until interrupted; each browser window has an app of its own over the same data.

    Raises:
        InputError: the extra is missing, or the address cannot be served on.
    """
    if find_spec("textual_serve") is None:
        raise InputError(_MISSING)
    import socket

    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        with socket.socket(family, socket.SOCK_STREAM) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind((host, port))
    except OSError as error:
        raise InputError(
            _CANNOT.filled(host=host, port=port, error=error.strerror or error), "serve"
        ) from error
    from tui.web.server import AppServer

    command = shlex.join([sys.executable, "-P", "-m", "tui", "--lang", lang])
    server = AppServer(command, host, port, public_url)
    print(_OPEN.filled(url=server.url).of(lang), flush=True)
    print(_SECRET.of(lang), file=sys.stderr)
    if host not in (LOOPBACK, "localhost", "::1"):
        print(_BEYOND.filled(host=host).of(lang), file=sys.stderr)
    server.serve()
    return 0
