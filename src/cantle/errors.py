"""Every error and warning that cantle raises by itself.

```
CantleError
├── UnknownStrategyError   (LookupError)     no strategy has this name
├── UnknownLengthError     (LookupError)     no length function, encoding or model has this name
├── OptionError            (ValueError)      an option is unknown, of the wrong kind or out of range
├── DocumentError          (ValueError)      the input cannot be read or does not fit the strategy
├── PluginError                              a plugin is broken, or two of them clash
├── VocabularyError                          a token vocabulary of the package is missing or damaged
├── ExtractionError                          a metadata extractor failed or does not exist
├── MissingDependencyError (ImportError)     an optional package is not installed
├── WorkerError                              a worker process died of a document
├── DocumentTimeoutError                     a document took longer than it was given
└── ContractError          (AssertionError)  a strategy broke the contract (raised by `cantle.testing`)

CantleWarning              (UserWarning)
├── UnusedOptionWarning                      an option has no effect with this strategy
├── GuessedEncodingWarning                   a file's encoding had to be guessed
├── DuplicateKeyWarning                      an object of a JSON document has a key twice
├── PluginWarning                            a plugin could not be loaded and is left out
├── WorkerWarning                            a worker process died; its documents are tried again
└── ContextWarning                           a chunk got no note from the model
```

A message names the bad value, the good values and the next step.
"""

from __future__ import annotations

from collections.abc import Iterable

__all__ = [
    "CantleError",
    "CantleWarning",
    "ContextWarning",
    "ContractError",
    "DocumentError",
    "DocumentTimeoutError",
    "DuplicateKeyWarning",
    "ExtractionError",
    "GuessedEncodingWarning",
    "MissingDependencyError",
    "OptionError",
    "PluginError",
    "PluginWarning",
    "UnknownLengthError",
    "UnknownStrategyError",
    "UnusedOptionWarning",
    "VocabularyError",
    "WorkerError",
    "WorkerWarning",
]


class CantleError(Exception):
    """Base of all errors of cantle and of its plugins; catch this one to catch them all."""


class UnknownStrategyError(CantleError, LookupError):
    """No strategy has the given name. `name` is what was asked for, `known` the names there are."""

    def __init__(self, name: str, known: Iterable[str], notes: Iterable[str] = ()) -> None:
        self.name, self.known, self.notes = name, sorted(known), tuple(notes)
        super().__init__(
            f"No chunking strategy is named {name!r}.{_nearest(name, self.known)} "
            f"Available: {', '.join(self.known)}." + "".join(f" {note}" for note in self.notes)
        )

    def __reduce__(self) -> tuple[type[UnknownStrategyError], tuple[object, ...]]:
        return type(self), (self.name, self.known, self.notes)


class UnknownLengthError(CantleError, LookupError):
    """No length function, encoding or model has the given name."""

    def __init__(self, name: str, known: Iterable[str]) -> None:
        self.name, self.known = name, sorted(known)
        super().__init__(
            f"No length function is named {name!r}.{_LENGTHS.get(name.lower()) or _nearest(name, self.known)} "
            f"Available: {', '.join(self.known)}, or the name of an OpenAI model such as gpt-4o. "
            "A callable (str -> int) or an object with encode() can be passed too."
        )

    def __reduce__(self) -> tuple[type[UnknownLengthError], tuple[object, ...]]:
        return type(self), (self.name, self.known)


class OptionError(CantleError, ValueError):
    """An option is unknown, of the wrong kind, or out of range."""


class DocumentError(CantleError, ValueError):
    """The input cannot be read, or is not what the strategy needs."""


class PluginError(CantleError):
    """A plugin is broken, or two plugins clash."""


class VocabularyError(CantleError):
    """A token vocabulary that the package carries is missing or damaged."""


class ExtractionError(CantleError):
    """A metadata extractor failed, or none provides the field."""


class MissingDependencyError(CantleError, ImportError):
    """An optional package is not installed; the message holds the command that installs it."""

    def __init__(self, what: str, package: str, extra: str) -> None:
        self.what, self.package, self.extra = what, package, extra
        super().__init__(f"{what} needs {package}. Install it with: pip install '{extra}'")

    def __reduce__(self) -> tuple[type[MissingDependencyError], tuple[str, str, str]]:
        return type(self), (self.what, self.package, self.extra)


class WorkerError(CantleError):
    """A worker process died of a document, twice. The other documents are not affected."""


class DocumentTimeoutError(CantleError):
    """A document took longer than it was given, and the worker process that was at it was ended."""


class ContractError(CantleError, AssertionError):
    """A strategy broke the contract. `point` is its number in the contract (1 to 9)."""

    def __init__(self, point: int, title: str, detail: str) -> None:
        self.point, self.title, self.detail = point, title, detail
        super().__init__(f"point {point}, {title}: {detail}")

    def __reduce__(self) -> tuple[type[ContractError], tuple[int, str, str]]:
        return type(self), (self.point, self.title, self.detail)


class CantleWarning(UserWarning):
    """Base of all warnings of cantle."""


class UnusedOptionWarning(CantleWarning):
    """An option was given that has no effect with the chosen strategy."""


class GuessedEncodingWarning(CantleWarning):
    """A file's encoding was not declared and had to be guessed."""


class DuplicateKeyWarning(CantleWarning):
    """An object of a JSON document has a key more than once."""


class PluginWarning(CantleWarning):
    """A plugin could not be loaded and is left out."""


class WorkerWarning(CantleWarning):
    """A worker process died, of a signal or by itself. What it was working on is tried once more by another one."""


class ContextWarning(CantleWarning):
    """A chunk got no note from the model, or the document it was asked about may be another one."""


_TOKENS = " To count tokens, name an encoding or a model: cl100k_base, for example."
_LENGTHS = {
    **dict.fromkeys(("token", "tokens", "tiktoken", "bpe"), _TOKENS),
    **dict.fromkeys(("char", "chars", "len", "length", "str", "code points"), " Did you mean 'characters'?"),
    **dict.fromkeys(("utf8", "utf-8"), " Did you mean 'bytes'?"),
}
"""What to say to words that other libraries take for a unit of length."""


def _nearest(name: str, known: Iterable[str]) -> str:
    from difflib import get_close_matches

    close = get_close_matches(name, list(known), n=1)
    return f" Did you mean {close[0]!r}?" if close else ""
