"""The page and what it loads: files of this package, nothing else, under a policy that allows nothing else."""

from __future__ import annotations

from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import NamedTuple

from fastapi import APIRouter, Request, Response
from fastapi.responses import RedirectResponse

from ..errors import Problem

__all__ = ["PATHS", "POLICY", "router"]

PATHS = frozenset({"/", "/playground", "/playground/"})
"""What needs no token while the playground is on, in the form of `auth.PUBLIC`: the last is for all below it."""

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
    "form-action 'none'; frame-ancestors 'none'; base-uri 'none'"
)

_HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}
_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
}
_PAGE = "index.html"
_YEAR = 31_536_000

router = APIRouter(include_in_schema=False)


class _Pages(NamedTuple):
    version: str
    page: bytes
    assets: dict[str, bytes]


@cache
def _pages() -> _Pages:
    """All files; the page names the others by a version made from the contents of all, so none of them goes stale."""
    found = {one.name: one.read_bytes() for one in files(__package__).joinpath("page").iterdir() if _type(one.name)}
    version = sha256(b"".join(name.encode() + b"\0" + found[name] + b"\0" for name in sorted(found))).hexdigest()[:16]
    page = found.pop(_PAGE).decode()
    # What the first script asks for is fetched along with it, not after it.
    loads = "".join(f'<link rel="modulepreload" href="playground/{{version}}/{name}">\n' for name in _modules(found))
    page = page.replace("{preloads}", loads).replace("{version}", version)
    return _Pages(version, page.encode(), found)


def _modules(assets: dict[str, bytes]) -> list[str]:
    return sorted(name for name in assets if name.endswith(".js") and name != "main.js")


def _type(name: str) -> str | None:
    return next((kind for suffix, kind in _TYPES.items() if name.endswith(suffix)), None)


def _needed(request: Request) -> None:
    if not request.app.state.settings.playground:
        raise Problem(404, "not_found", "There is no playground here: the setting `playground` is false.")


@router.api_route("/", methods=["GET", "HEAD"], response_model=None)
async def page(request: Request) -> Response:
    """The page. It is asked for anew each time, and sent when it is another one."""
    _needed(request)
    found = _pages()
    tag = f'"{found.version}"'
    headers = {**_HEADERS, "ETag": tag, "Cache-Control": "no-cache"}
    known = (one.strip().removeprefix("W/") for one in request.headers.get("if-none-match", "").split(","))
    if any(one in (tag, "*") for one in known):
        return Response(status_code=304, headers=headers)
    return Response(found.page, media_type=_TYPES[".html"], headers=headers)


@router.api_route("/playground", methods=["GET", "HEAD"], response_model=None)
@router.api_route("/playground/", methods=["GET", "HEAD"], response_model=None)
async def elsewhere(request: Request) -> Response:
    """To the page, for those who look for it here."""
    _needed(request)
    return RedirectResponse("../" if request.url.path.endswith("/") else "./", 307, headers=_HEADERS)


@router.api_route("/playground/{version}/{name}", methods=["GET", "HEAD"], response_model=None)
async def asset(request: Request, version: str, name: str) -> Response:
    """A script or a style. The address changes with the contents: a browser may keep it for a year."""
    _needed(request)
    found = _pages()
    if name not in found.assets or version != found.version:
        raise Problem(404, "not_found", "There is no such file in the playground. Load the page at / anew.")
    headers = {**_HEADERS, "Cache-Control": f"public, max-age={_YEAR}, immutable"}
    return Response(found.assets[name], media_type=_type(name), headers=headers)
