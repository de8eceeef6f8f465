"""How far a regular expression looks: what of a text decides about its matches.

A match that is tried for somewhere looks at characters that repetitions without a bound take in, and at some others, of
which there are no more than the pattern says. So where there are more of those others, it looks no further, and what
follows can change nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

__all__ = ["Reach", "reach_of"]

MOST_BEHIND = 256
"""What looks further back is taken for unbounded, in code points."""

_MOST = 4096
"""A repetition of more is taken for one without a bound."""


@dataclass
class Reach:
    """`more` characters at most beside those that `repeated` is true of."""

    more: int
    repeated: Callable[[str], bool] | None = None
    _known: dict[str, bool] = field(default_factory=dict)

    def settled(self, text: str) -> int:
        """Up to where matches begin that nothing behind the text can change."""
        at, left = len(text), self.more + 1
        if self.repeated is None:
            return max(0, at - left)
        known = self._known
        while at > 0 and left > 0:
            at -= 1
            char = text[at]
            if char not in known:
                known[char] = self.repeated(char)
            left -= not known[char]
        return at


def reach_of(pattern: Any) -> Reach | None:
    """How far a compiled pattern looks. None where nothing bounds it, or it is not one of `re`."""
    if not isinstance(pattern, re.Pattern):
        return None
    try:
        parsed = import_module("re._parser").parse(pattern.pattern, pattern.flags)
        found = _Looked(pattern.flags)
        more = found.width(parsed, False)
    except (ImportError, _Unbounded, AttributeError, TypeError, ValueError, re.error, RecursionError):
        return None
    tests = found.tests
    return Reach(more + 2, (lambda char: any(test.match(char) for test in tests)) if tests else None)


class _Unbounded(Exception):
    pass


class _Looked:
    """Adds up what a pattern looks at, and gathers what it repeats without a bound in `tests`."""

    def __init__(self, flags: int) -> None:
        self.flags = flags
        self.tests: list[re.Pattern[str]] = []

    def width(self, parsed: Any, repeated: bool) -> int:
        """The most characters that are looked at; of those inside of what is repeated there is no number."""
        return sum(self._of(str(op), argument, parsed.state, repeated) for op, argument in parsed)

    def _of(self, op: str, argument: Any, state: Any, repeated: bool) -> int:
        if op in ("LITERAL", "NOT_LITERAL", "IN", "ANY"):
            if not repeated:
                return 1
            self._test(op, argument, state)
            return 0
        if op in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
            _, most, inner = argument
            if most > _MOST:
                return self.width(inner, True)
            return int(most) * self.width(inner, repeated)
        if op == "BRANCH":
            return sum(self.width(branch, repeated) for branch in argument[1])
        if op == "SUBPATTERN":
            _, add, remove, inner = argument
            if add or remove:
                raise _Unbounded
            return self.width(inner, repeated)
        if op == "ATOMIC_GROUP":
            return self.width(argument, repeated)
        if op in ("ASSERT", "ASSERT_NOT"):
            direction, inner = argument
            if direction < 0 and inner.getwidth()[1] > MOST_BEHIND:
                raise _Unbounded
            return self.width(inner, repeated)
        if op == "AT":
            return 2
        raise _Unbounded  # what refers to groups, and what is new

    def _test(self, op: str, argument: Any, state: Any) -> None:
        """A pattern for one character that is repeated."""
        code = import_module("re._constants")
        parser, compiler = import_module("re._parser"), import_module("re._compiler")
        alone = parser.State()
        alone.flags, alone.str = state.flags, ""
        self.tests.append(compiler.compile(parser.SubPattern(alone, [(getattr(code, op), argument)]), self.flags))
