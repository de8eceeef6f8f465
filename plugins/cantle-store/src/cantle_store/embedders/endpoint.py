"""The address of an endpoint and the key that may be sent there."""

from __future__ import annotations

import os
from collections.abc import Mapping
from urllib.parse import urlsplit

from cantle.errors import OptionError

__all__ = ["OPENAI", "endpoint"]

OPENAI = "https://api.openai.com/v1"
PREFIX = "CANTLE_STORE_EMBEDDER_"


def endpoint(
    base_url: str | None, api_key: str | None, environment: Mapping[str, str] | None = None
) -> tuple[str, str | None]:
    """Address and key: by arguments, else by variables.

    `CANTLE_STORE_EMBEDDER_BASE_URL`, then `OPENAI_BASE_URL`, then OpenAI's own is the address. The key of
    `CANTLE_STORE_EMBEDDER_API_KEY` is sent to whatever is asked, unless that base URL says that it is for another
    address; that of `OPENAI_API_KEY` to OpenAI's address or the one of `OPENAI_BASE_URL`, and to no other. Raises
    `OptionError`; a key is in no message.
    """
    env = os.environ if environment is None else environment
    own = _address(env.get(f"{PREFIX}BASE_URL", ""), f"{PREFIX}BASE_URL")
    openais = _address(env.get("OPENAI_BASE_URL", ""), "OPENAI_BASE_URL") or OPENAI
    url = (_address(base_url, "base_url") if base_url is not None else None) or own or openais
    if api_key is not None:
        return url, _key(api_key, "api_key")
    mine = env.get(f"{PREFIX}API_KEY", "").strip()
    if mine and own in (None, url):
        return url, _key(mine, f"{PREFIX}API_KEY")
    theirs = env.get("OPENAI_API_KEY", "").strip()
    if theirs and url == openais:
        return url, _key(theirs, "OPENAI_API_KEY")
    return url, None


def _address(value: str, name: str) -> str | None:
    if not isinstance(value, str):
        raise OptionError(f"{name} must be an address such as 'http://localhost:11434/v1', got {value!r}.")
    url = value.strip().rstrip("/").removesuffix("/embeddings").rstrip("/")
    if not url:
        return None
    try:
        parts = urlsplit(url)
        good = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:
        good, parts = False, urlsplit("")
    if "@" in url or "?" in url or "#" in url:  # what is there may be secret: it is not repeated
        raise OptionError(f"{name} must have no '@', '?' or '#' in it. Give the key as api_key.")
    if not good or any(not "!" <= one <= "~" for one in url):
        raise OptionError(
            f"{name} must be an address that begins with http:// or https://, such as 'http://localhost:11434/v1', got "
            f"{url[:100]!r}."
        )
    return url


def _key(value: str, name: str) -> str | None:
    if not isinstance(value, str):
        raise OptionError(f"{name} must be a text, got one of type {type(value).__name__}.")
    key = value.strip()
    if not all("!" <= one <= "~" for one in key):
        raise OptionError(f"{name} must be of ASCII characters without spaces, as a key is. Copy it once more.")
    return key or None
