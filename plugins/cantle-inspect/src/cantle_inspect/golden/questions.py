"""Golden questions: what is asked, and what must be found."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from difflib import get_close_matches
from math import isfinite
from pathlib import Path
from typing import Any

from cantle.access import spelled
from cantle.errors import DocumentError

from ..corpus.golden_files import FIELDS, field_of
from ..names import camel, snake
from .metrics import Span, merged

__all__ = ["Question", "folded", "questions_of", "read_golden"]


@dataclass(frozen=True)
class Question:
    """A golden question.

    A chunk is right when it comes from one of `sources`, holds `text` (white space, case and accents aside) and
    touches one of `spans`; each of the three only where it is given. `spans` are stretches of documents that answer the
    question: source -> `(start, end)` in code points of the document's text, end exclusive, merged and in order.

    `exclude` are sources that do not count for this question, `forbidden` those that must not be found. `where` narrows
    what may be seen, as a filter: key -> values of which one must hold. `roles` must find the answer, and no other role
    may. `min_score` is the least score of the right chunk. `group` is a word of your own.
    """

    question: str
    id: str = "q1"
    sources: tuple[str, ...] = ()
    text: str = ""
    spans: Mapping[str, tuple[Span, ...]] = field(default_factory=dict)
    exclude: tuple[str, ...] = ()
    forbidden: tuple[str, ...] = ()
    where: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    roles: tuple[str, ...] = ()
    min_score: float | None = None
    group: str = ""

    @property
    def expects(self) -> bool:
        """Whether something must be found. Else the question only says what must not be."""
        return bool(self.sources or self.text or self.spans)

    @property
    def expected(self) -> tuple[str, ...]:
        """The sources of which one must be found; those of the spans where no others are named."""
        return self.sources or tuple(self.spans)


def read_golden(path: str | Path) -> tuple[Question, ...]:
    """Read golden questions: a JSON list, an object with `questions`, or JSON Lines (an object a line), in UTF-8.

    Raises `DocumentError` with the file, the question and what is wrong with it.
    """
    name = str(path)
    try:
        text = Path(path).read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise DocumentError(f"{name} cannot be read: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise DocumentError(f"{name} is not UTF-8 (byte {error.start}). Save it as UTF-8.") from error
    if not text.strip():
        raise DocumentError(f"{name} is empty. {_EXAMPLE}")
    return questions_of(_entries(text, name), name)


def questions_of(entries: Iterable[Any], name: str = "the golden questions") -> tuple[Question, ...]:
    """The questions of mappings with the keys of a golden file. `name` is what errors call the file."""
    found = [_Entry(entry, number, name).question() for number, entry in enumerate(entries, 1)]
    if not found:
        raise DocumentError(f"{name} holds no question. {_EXAMPLE}")
    seen: dict[str, int] = {}
    for number, question in enumerate(found, 1):
        if question.id in seen:
            raise DocumentError(
                f"{name}: questions {seen[question.id]} and {number} both have the id {question.id!r}. "
                "Give each an id of its own, or none: they are then called q1, q2, ..."
            )
        seen[question.id] = number
    return tuple(found)


def folded(text: str) -> str:
    """The text in one case, without accents, each run of white space as one blank: as expected text is compared."""
    return " ".join(text.translate(_FOLDING).split())


class _Folding(dict[int, str]):
    """Code point -> what is compared. Character by character: normalizing a long run of marks takes squared time."""

    def __missing__(self, code: int) -> str:
        plain = unicodedata.normalize("NFD", unicodedata.normalize("NFD", chr(code)).casefold())
        self[code] = found = "".join(c for c in plain if not unicodedata.combining(c))
        return found


_FOLDING = _Folding()

_EXAMPLE = 'Write a list of questions: [{"question": "How many days of leave?", "source": "leave-policy.md"}].'


def _entries(text: str, name: str) -> list[Any]:
    try:
        value = _loads(text)
    except json.JSONDecodeError as error:
        if error.msg == "Extra data" or name.endswith((".jsonl", ".ndjson")):
            return _lines(text, name)
        raise DocumentError(f"{name}, line {error.lineno}: it is not JSON: {error.msg}.") from error
    except (ValueError, RecursionError) as error:
        raise DocumentError(f"{name} is no JSON of golden questions: {_reason(error)}.") from error
    if isinstance(value, Mapping) and "questions" in value:
        _check_keys(value, ("questions", "description", "version", "$schema"), name)
        value = value["questions"]
    elif isinstance(value, Mapping):  # JSON Lines with one line
        value = [value]
    if not isinstance(value, list):
        raise DocumentError(f"{name}: the questions must be a list, not {_shown(value)}. {_EXAMPLE}")
    return value


def _lines(text: str, name: str) -> list[Any]:
    found = []
    for number, line in enumerate(text.split("\n"), 1):  # other line ends of Unicode may stand in strings
        if not line.strip():
            continue
        try:
            found.append(_loads(line))
        except (ValueError, RecursionError) as error:
            raise DocumentError(f"{name}, line {number}: it is not JSON: {_reason(error)}.") from error
    return found


def _loads(text: str) -> Any:
    return json.loads(text, object_pairs_hook=_once, parse_constant=_no_constant)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value: dict[str, Any] = {}
    for key, item in pairs:
        if key in value:
            raise ValueError(f"the key {key!r} is given twice")
        value[key] = item
    return value


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is no number of JSON")


def _reason(error: Exception) -> str:
    if isinstance(error, RecursionError):
        return "it is nested too deeply"
    return error.msg if isinstance(error, json.JSONDecodeError) else str(error)


def _check_keys(value: Mapping[str, Any], known: Sequence[str], where: str) -> None:
    for key in value:
        if key not in known:
            raise DocumentError(f"{where}: there is no key {key!r}.{_nearest(key, known)} Known: {', '.join(known)}.")


def _nearest(key: str, known: Iterable[str]) -> str:
    close = get_close_matches(key, known, n=1)
    return f" Did you mean {close[0]!r}?" if close else ""


def _shown(value: Any) -> str:
    """A value of a file, in short."""
    text = repr(value) if not isinstance(value, list | dict) else json.dumps(value, default=repr)
    return text if len(text) <= 80 else f"{text[:77]}..."


class _Entry:
    """One entry of a file: its values, checked."""

    def __init__(self, entry: Any, number: int, name: str) -> None:
        self._where = f"{name}, question {number}"
        self._number = number
        if not isinstance(entry, Mapping):
            raise self._error(f"it must be an object, not {_shown(entry)}. {_EXAMPLE}")
        self._values: dict[str, Any] = {}
        self._keys: dict[str, str] = {}
        for key, value in entry.items():
            self._take(key, value)

    def _take(self, key: str, value: Any) -> None:
        field = field_of(key)
        if field is None:
            known = list(dict.fromkeys(map(camel, FIELDS)))
            hint = _nearest(camel(snake(str(key))), known)
            raise self._error(f"there is no key {key!r}.{hint} Known: {', '.join(known)}.")
        if field in self._values:
            raise self._error(f"{self._keys[field]!r} and {key!r} mean the same. Keep one.")
        if field:
            self._values[field], self._keys[field] = value, key

    def question(self) -> Question:
        text = self._text("question", "")
        if not text.strip():
            raise self._error("it asks nothing. Give it a 'question', a string.")
        found = Question(
            question=text,
            id=self._id(),
            sources=self._names("sources"),
            text=self._filled("text"),
            spans=self._spans(),
            exclude=self._names("exclude"),
            forbidden=self._names("forbidden"),
            where=self._filter(),
            roles=self._names("roles"),
            min_score=self._score(),
            group=self._text("group", ""),
        )
        self._check(found)
        return found

    def _check(self, question: Question) -> None:
        if not (question.expects or question.forbidden):
            raise self._error("it expects nothing. Give 'source', 'text' or 'spans', or 'forbidden' sources.")
        for kind, names in (("exclude", question.exclude), ("forbidden", question.forbidden)):
            if both := sorted({*question.expected, *question.spans} & set(names)):
                raise self._error(f"{both[0]!r} is expected and in {kind!r}. Take it out of one of them.")
        if question.sources and (other := [s for s in question.spans if s not in question.sources]):
            raise self._error(f"a span is in {other[0]!r}, which is not among the expected sources. Add it there.")
        if not question.expects:
            for name in ("min_score", "roles"):
                if name in self._values:
                    raise self._error(f"{self._keys[name]!r} needs something to be found. Give it a 'source'.")
        if question.roles and not question.expected:
            raise self._error("'roles' needs the sources that no other role may find. Give it a 'source'.")

    def _error(self, what: str) -> DocumentError:
        return DocumentError(f"{self._where}: {what}")

    def _wrong(self, field: str, must: str) -> DocumentError:
        return self._error(f"{self._keys[field]!r} must be {must}, not {_shown(self._values[field])}.")

    def _text(self, field: str, default: str) -> str:
        value = self._values.get(field, default)
        if not isinstance(value, str):
            raise self._wrong(field, "a string")
        return value

    def _filled(self, field: str) -> str:
        text = self._text(field, "")
        if field in self._values and not folded(text):
            raise self._wrong(field, "a string that is not blank")
        return text

    def _id(self) -> str:
        value = self._values.get("id", f"q{self._number}")
        if isinstance(value, bool) or not isinstance(value, str | int) or value == "":
            raise self._wrong("id", "a string or a whole number")
        return str(value)

    def _names(self, field: str) -> tuple[str, ...]:
        value = self._values.get(field, [])
        names = [value] if isinstance(value, str) else value
        if not isinstance(names, list | tuple) or not all(isinstance(name, str) and name for name in names):
            raise self._wrong(field, "a string or a list of strings")
        if field in self._values and not names and field in ("sources", "roles"):
            raise self._wrong(field, "a string or a list with at least one")
        return tuple(dict.fromkeys(names))

    def _score(self) -> float | None:
        value = self._values.get("min_score")
        if value is None and "min_score" not in self._values:
            return None
        if isinstance(value, int | float) and not isinstance(value, bool):
            with suppress(OverflowError):
                if isfinite(value):
                    return float(value)
        raise self._wrong("min_score", "a number")

    def _filter(self) -> dict[str, tuple[str, ...]]:
        value = self._values.get("where", {})
        if not isinstance(value, Mapping):
            raise self._wrong("where", 'an object such as {"dept": "hr"}')
        found = {}
        for key, values in value.items():
            several = values if isinstance(values, list | tuple) else [values]
            if not several or not all(isinstance(one, str | int | float) and spelled(one) for one in several):
                raise self._wrong("where", "an object of strings, or of lists of strings")
            found[str(key)] = tuple(map(spelled, several))
        return found

    def _spans(self) -> dict[str, tuple[Span, ...]]:
        value = self._values.get("spans", [])
        if not isinstance(value, list | tuple) or ("spans" in self._values and not value):
            raise self._wrong("spans", "a list of [source, start, end]")
        found: dict[str, list[Span]] = {}
        for span in value:
            match span:
                case [str(source), int(start), int(end)] if source and type(start) is type(end) is int:
                    if not 0 <= start < end:
                        raise self._error(f"the span {_shown(span)} must have 0 <= start < end.")
                    found.setdefault(source, []).append((start, end))
                case _:
                    raise self._wrong("spans", 'a list of [source, start, end], such as ["leave-policy.md", 120, 185]')
        return {source: merged(spans) for source, spans in found.items()}
