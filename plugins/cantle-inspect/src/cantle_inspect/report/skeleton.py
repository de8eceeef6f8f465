"""What every page is made of: one file that loads nothing, and allows nothing but its own style and script."""

from __future__ import annotations

import base64
import hashlib
from importlib.resources import files

from cantle.html_view import escaped

__all__ = ["asset", "page"]


def asset(name: str) -> str:
    """A file that stands beside this module."""
    return files(__package__).joinpath(name).read_text(encoding="utf-8")


def page(title: str, body: str, *, style: str, script: str) -> str:
    """A whole HTML page. `title` is text, `body` HTML without style attributes: the policy allows none."""
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
