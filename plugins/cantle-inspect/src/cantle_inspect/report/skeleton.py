"""What every page is made of: one file that loads nothing, and allows nothing but its own style and script."""

from __future__ import annotations

import base64
import hashlib
from importlib.resources import files

from cantle.html_view import escaped

__all__ = ["asset", "page", "tools"]


def asset(name: str, package: str = __package__) -> str:
    """A file that stands in one of our packages: by default in this one."""
    return files(package).joinpath(name).read_text(encoding="utf-8")


def tools(more: str, controls: str = "") -> str:
    """The legend of chunks with `more` behind it, and the controls, which a script shows: the colours, and others."""
    return (
        '<section class="tools" aria-label="Legend and settings"><p class="legend"><span><b class="n a">0</b>'
        '<bdi class="m a s">a chunk</bdi></span><span><b class="n b">1</b><bdi class="m b s">the next</bdi></span>'
        f'<span><bdi class="m a o">in several (overlap)</bdi></span><span><del>dropped</del></span>{more}</p>'
        '<div class="controls" hidden><label>Colours <select id="theme"><option value="">as the system</option>'
        f'<option value="light">light</option><option value="dark">dark</option></select></label>{controls}</div>'
        "</section>"
    )


def page(title: str, body: str, *, style: str = "", script: str) -> str:
    """A whole HTML page, with the style and script that all share before its own.

    `title` is text, `body` HTML without style attributes: the policy allows none.
    """
    style, script = asset("style.css") + style, asset("shared.js") + script
    policy = (
        f"default-src 'none'; style-src {_hash(style)}; script-src {_hash(script)}; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="referrer" content="no-referrer">\n<meta name="color-scheme" content="light dark">\n'
        f'<link rel="icon" href="data:,">\n<title>{escaped(" ".join(title.split()))}</title>\n'
        f"<style>{style}</style>\n</head>\n<body>\n{body}\n<script>{script}</script>\n</body>\n</html>\n"
    )


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
