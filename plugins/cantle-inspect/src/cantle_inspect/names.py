"""Names as JSON has them."""

from __future__ import annotations

import re

__all__ = ["camel", "snake"]


def camel(name: str) -> str:
    """A name in camelCase: `max_size` is `maxSize`, `span recall` is `spanRecall`; `recall@1000` stays."""
    first, *rest = re.split(r"[-_ ]", name)
    return first + "".join(map(str.capitalize, rest))


def snake(name: str) -> str:
    """A name of JSON in snake_case: `maxSize` is `max_size`."""
    return re.sub(r"(?<=[a-z])([A-Z])", lambda match: "_" + match[1].lower(), name)
