"""A server of the app for one person's browser.

Whoever reaches the app can do what its person may do: it runs programs that are written in it. So the address holds
a secret, and a request is refused unless it names this host, and, where a browser says which page it comes from,
this page: a page of another site could otherwise open the socket of a server on this machine.
"""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Awaitable, Callable
from pathlib import Path
from urllib.parse import urlsplit

from aiohttp import web
from textual_serve.server import Server

# 'self' is the page's own socket too
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; font-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class AppServer(Server):
    """``url`` is the address to open; ``public_url`` is how browsers reach the server where that is not by host and port."""

    def __init__(
        self, command: str, host: str, port: int, public_url: str | None = None, secret: str | None = None
    ) -> None:
        self.secret = secret or secrets.token_urlsafe(24)
        super().__init__(
            command,
            host=host,
            port=port,
            title="Proofdeck",
            public_url=(public_url or f"http://{_in_url(host)}:{port}").rstrip("/"),
            templates_path=Path(__file__).parent,
        )
        self.url = f"{self.public_url}/{self.secret}/"

    async def _make_app(self) -> web.Application:
        inner = await super()._make_app()
        inner.router.add_get("/page.js", _script)
        outer = web.Application(middlewares=[self._guard()])
        outer.add_subapp(f"/{self.secret}", inner)
        return outer

    def _guard(self) -> Callable[[web.Request, Handler], Awaitable[web.StreamResponse]]:
        public = urlsplit(self.public_url)
        ours = {public.netloc}
        if public.hostname in ("127.0.0.1", "localhost", "::1"):
            ours |= {f"{name}:{public.port}" for name in ("127.0.0.1", "localhost", "[::1]")}

        @web.middleware
        async def guard(request: web.Request, handler: Handler) -> web.StreamResponse:
            origin = request.headers.get("Origin")
            if request.host not in ours or (origin is not None and urlsplit(origin).netloc not in ours):
                raise web.HTTPForbidden(text="not from here")
            given = request.path.lstrip("/").partition("/")[0]
            if not hmac.compare_digest(given.encode(), self.secret.encode()):
                raise web.HTTPNotFound
            response = await handler(request)
            if not response.prepared:
                response.headers["Content-Security-Policy"] = _POLICY
                response.headers["Referrer-Policy"] = "no-referrer"
                response.headers["X-Content-Type-Options"] = "nosniff"
            return response

        return guard

    async def on_startup(self, app: web.Application) -> None:
        """Nothing: the call that starts the server says where it is."""


async def _script(_: web.Request) -> web.FileResponse:
    return web.FileResponse(Path(__file__).with_name("page.js"))


def _in_url(host: str) -> str:
    return f"[{host}]" if ":" in host else host
