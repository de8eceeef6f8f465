"""What a strategy is, the options that size-bound strategies share, and how options are described.

A strategy is a frozen dataclass: its fields are its options, its one method is `split(source)`.
"""

from __future__ import annotations

import dataclasses
import inspect
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from numbers import Integral, Real
from typing import Any, ClassVar, NamedTuple, Protocol, runtime_checkable

from . import checks
from .chunk import Chunk
from .chunks import Chunks
from .errors import OptionError, UnusedOptionWarning
from .lengths import Length, LengthLike, Measure, resolve
from .packing import Level, Packer
from .source import Source
from .warn import warn

__all__ = ["Option", "Sized", "Strategy", "config", "describe", "make", "nearest", "option", "snake_case"]

DEFAULT_SIZE, DEFAULT_OVERLAP = 4000, 50

NO_LIMIT = 1 << 53  # no text is longer

MAX_SIZE = (
    "The limit: no chunk is longer, overlap and prefix included. A pair (min, max) also joins "
    "neighbours shorter than min where the result fits."
)
"""What the option says; a strategy whose default is None adds what None means."""


@runtime_checkable
class Strategy(Protocol):
    """What `chunk()` needs of a strategy: a name and `split`.

    Implementations are frozen dataclasses whose fields are their options. `split` gets the source
    and returns the chunks, in order of their starts; it may yield `Chunk(content, start, end)` one
    by one or return `Chunks`. A strategy that waits for a model has `async def asplit(source)` too.

    One that is for one kind of document alone says so by a class attribute `kind`, a string. Texts that come from
    another framework without a kind are then of that kind, and where its name is that of the kind too, it is what
    `chunk()` takes for such documents when none is named.
    """

    name: ClassVar[str]

    def split(self, source: Source) -> Iterable[Chunk] | Chunks:
        """Cut `source.text`; offsets count code points of it."""
        ...


def option(
    default: Any,
    doc: str,
    unit: str = "",
    *,
    choices: Collection[Any] = (),
    least: float | None = None,
    above: float | None = None,
    most: float | None = None,
    none: bool = True,
    **more: Any,
) -> Any:
    """A dataclass field that carries its own documentation, for `cantle strategies`, the docs and `cantle.schema`.

    `choices` are the only values that are taken (besides None and lists, if the annotation has them); numbers are at
    least `least`, greater than `above`, at most `most`; `none=False` takes None out of an inherited annotation. That is
    said here, and checked by the strategy itself. With `dataclasses.MISSING` as default the option must be given. What
    comes in `more` goes to `dataclasses.field`.
    """
    bounds = {"least": least, "above": above, "most": most}
    said = {"doc": doc, "unit": unit, "choices": tuple(choices), "none": none, **bounds}
    if isinstance(default, list | dict | set):
        return field(default_factory=lambda: type(default)(default), metadata=said, **more)
    return field(default=default, metadata=said, **more)


@dataclass(frozen=True, kw_only=True)
class Sized:
    """The options every size-bound strategy shares, with their checks.

    Subclasses are frozen dataclasses with `kw_only=True`; those that check more call
    `super().__post_init__()` first. Raises `OptionError` for a wrong value and
    `UnknownLengthError` for an unknown length function.
    """

    max_size: float | tuple[float, float] | None = option(DEFAULT_SIZE, MAX_SIZE, "length units", above=0, none=False)
    overlap: float | None = option(
        None,
        "How much of the end of a chunk is repeated at the start of the next, at most. "
        "None: 50, or half of max_size if that is less.",
        "length units",
        least=0,
    )
    length_function: LengthLike = option(
        "characters",
        "What sizes count: characters, utf16, bytes, words, an encoding such as cl100k_base, a model "
        "such as gpt-4o, an object with encode(), or a function from str to int.",
    )
    strip_whitespace: bool = option(True, "Trim white space from both ends of every chunk; offsets move along.")
    separator_position: str | None = option(
        None,
        "Where the separator that a cut is made at goes: 'end' of the chunk before, 'start' of the chunk "
        "after, or None: left out at the cuts, declared in `dropped` unless it is white space.",
        choices=("end", "start"),
    )
    add_start_index: bool = option(
        False, "Also write the chunk's start into its metadata, as start_index.", "code points"
    )
    explain: bool = option(False, "Say in chunk.cut why each chunk ends where it does.")

    unused: ClassVar[tuple[str, ...]] = ()
    """Shared options that the strategy accepts but cannot use; giving one warns."""
    overlap_below_limit: ClassVar[bool] = True
    """Whether an overlap that is not smaller than max_size is an error."""

    def __post_init__(self) -> None:
        self._check_size()
        if self.overlap is not None:
            checks.number("overlap", self.overlap, least=0)
            if self.overlap >= self.limit and self.overlap_below_limit and "overlap" not in self.unused:
                raise OptionError(
                    f"overlap must be smaller than max_size ({self.limit}), got {self.overlap}. "
                    "Lower overlap, or raise max_size; overlap=0 turns it off."
                )
        checks.boolean("strip_whitespace", self.strip_whitespace)
        checks.choice("separator_position", self.separator_position, (None, "start", "end"))
        checks.boolean("add_start_index", self.add_start_index)
        checks.boolean("explain", self.explain)
        resolve(self.length_function)
        self._warn_unused()

    def _check_size(self) -> None:
        size = self.max_size
        if size is None and _default(type(self), "max_size") is None:
            return
        if isinstance(size, list):  # JSON has no tuples
            object.__setattr__(self, "max_size", tuple(size))
            size = tuple(size)
        if isinstance(size, tuple):
            if len(size) != 2:
                raise OptionError(f"max_size must be a number or a pair (min, max), got {size!r}.")
            checks.number("max_size[0]", size[0], above=0)
            checks.number("max_size[1]", size[1], above=0)
            if size[1] < size[0]:
                raise OptionError(f"max_size must be (min, max) with min at most max, got {size!r}. Swap the two.")
        else:
            checks.number("max_size", size, above=0)

    def _unused_now(self) -> dict[str, str]:
        """Options that were given and have no effect, each with the reason; a strategy may add its own."""
        given = self._given(self.unused)
        return {name: f"with strategy {getattr(self, 'name', '?')!r}" for name in given}

    def _given(self, names: Iterable[str]) -> list[str]:
        """Those of some options that have another value than their default; no overlap is one that was not given."""
        wanted = set(names) - ({"overlap"} if not self.overlap else set())
        return [f.name for f in dataclasses.fields(self) if f.name in wanted and getattr(self, f.name) != f.default]

    def _warn_unused(self) -> None:
        for name, reason in self._unused_now().items():
            warn(f"{name} has no effect {reason}; leave it out.", UnusedOptionWarning)

    def __getstate__(self) -> dict[str, Any]:
        """The options alone: what was worked out from them is worked out again."""
        return {f.name: self.__dict__[f.name] for f in dataclasses.fields(self) if f.name in self.__dict__}

    @property
    def limit(self) -> float:
        """The most a chunk may measure."""
        size = self.max_size[1] if isinstance(self.max_size, tuple) else self.max_size
        return NO_LIMIT if size is None else min(size, NO_LIMIT)

    @property
    def least(self) -> float:
        """Below this a chunk is joined with a neighbour where the result fits; 0 when no range is given."""
        return self.max_size[0] if isinstance(self.max_size, tuple) else 0

    @property
    def repeat(self) -> float:
        """The overlap in force: the option, or its default for this size."""
        return min(DEFAULT_OVERLAP, self.limit // 2) if self.overlap is None else self.overlap

    @property
    def length(self) -> Length:
        """The length function in force."""
        return resolve(self.length_function)

    def packer(self, text: str, levels: Sequence[Level], measure: Measure | None = None) -> Packer:
        """What cuts `text` at `levels` by these options; `measure` is that of `length` unless it is given."""
        return Packer(
            text,
            self.length.measure(text) if measure is None else measure,
            levels,
            limit=self.limit,
            least=self.least,
            overlap=self.repeat,
            strip=self.strip_whitespace,
            explain=self.explain,
        )


def _default(strategy: type[Any], name: str) -> Any:
    return next(f.default for f in dataclasses.fields(strategy) if f.name == name)


class Option(NamedTuple):
    """One option of a strategy, as documentation. `default` is its Python literal."""

    name: str
    type: str
    default: str
    unit: str
    doc: str
    used: bool = True
    choices: tuple[Any, ...] = ()


def describe(strategy: type[Any]) -> list[Option]:
    """The options of a strategy class, from its dataclass fields, its own before the shared ones."""
    if not dataclasses.is_dataclass(strategy):
        return []
    shared = {f.name for f in dataclasses.fields(Sized)}
    unused = getattr(strategy, "unused", ())
    found = []
    for f in dataclasses.fields(strategy):
        if not f.init:
            continue
        if f.default is not dataclasses.MISSING:
            default = repr(f.default)
        elif f.default_factory is not dataclasses.MISSING:
            default = repr(f.default_factory())
        else:
            default = "required"
        kind = f.type if isinstance(f.type, str) else getattr(f.type, "__name__", str(f.type))
        kind = kind.replace("LengthLike", "str | Length | Callable[[str], int]")
        unit, doc, choices = (f.metadata.get(key, "") for key in ("unit", "doc", "choices"))
        found.append(Option(f.name, kind, default, unit, doc, f.name not in unused, tuple(choices)))
    return sorted(found, key=lambda o: o.name in shared)


def make(strategy: type[Any], options: Mapping[str, Any]) -> Any:
    """An instance of the strategy class; an unknown option is an error that lists the known ones."""
    if not dataclasses.is_dataclass(strategy):
        try:
            inspect.signature(strategy).bind(**options)
        except TypeError as error:
            name = getattr(strategy, "name", strategy.__name__)
            raise OptionError(f"Strategy {name!r} does not take these options: {error}.") from error
        return strategy(**options)
    known = [f.name for f in dataclasses.fields(strategy) if f.init]
    unknown = [name for name in options if name not in known]
    if unknown:
        hints = [repr(option) for name in unknown if (option := meant(name, known))]
        hint = f" Did you mean {', '.join(dict.fromkeys(hints))}?" if hints else ""
        if any(name in _DICTIONARIES and isinstance(options[name], Mapping) for name in unknown):
            hint += " Pass options as keywords: chunk(..., **options)."
        name = getattr(strategy, "name", strategy.__name__)
        plural = "options" if len(unknown) > 1 else "option"
        raise OptionError(
            f"Strategy {name!r} has no {plural} {', '.join(map(repr, unknown))}.{hint} It takes: {', '.join(known)}."
        )
    try:
        return strategy(**options)
    except TypeError as error:
        required = [o.name for o in describe(strategy) if o.default == "required" and o.name not in options]
        if not required:
            raise
        name = getattr(strategy, "name", strategy.__name__)
        raise OptionError(f"Strategy {name!r} needs the option {', '.join(required)}.") from error


_DICTIONARIES = ("options", "config", "params", "kwargs")

_SYNONYMS: dict[str, tuple[str, ...]] = {
    "max_size": (
        *("size", "chunk_size", "max_chunk_size", "chunk_length", "max_length", "limit", "chunk_limit"),
        *("max_tokens", "max_characters", "max_chars", "tokens_per_chunk", "chunk_max_size", "split_length"),
    ),
    "overlap": (
        *("chunk_overlap", "overlap_size", "chunk_overlap_size", "sentence_overlap", "token_overlap"),
        "split_overlap",
    ),
    "min_chunk_size": ("min_size", "min_length", "min_chars", "min_tokens", "min_characters_per_chunk"),
    "min_size": ("min_chunk_size", "min_length", "min_chars", "min_tokens", "min_characters_per_chunk"),
    "length_function": (
        *("unit", "length", "len_function", "size_function", "tokenizer", "token_counter"),
        *("encoding", "encoding_name", "model", "model_name", "split_by", "split_unit"),
    ),
    "separator_position": ("keep_separator", "keep_separators"),
    "headers": ("headers_to_split_on",),
    "prepend_heading": ("prepend_headings", "prepend_headers", "include_headings"),
    "context_size": ("reserve", "reserved", "context_length"),
}
"""What other libraries of this field call an option, in snake_case."""


def nearest(name: str, known: Sequence[str]) -> str:
    """The option that an unknown name stands for: in another spelling, or a near one; "" where there is none."""
    from difflib import get_close_matches

    snake = _snake(name)
    return snake if snake in known else next(iter(get_close_matches(name, known, n=1, cutoff=0.55)), "")


def meant(name: str, known: Sequence[str]) -> str:
    """The option that an unknown name stands for: in another spelling, by another word, or a near one."""
    snake = _snake(name)
    if snake in known:
        return snake
    for option, others in _SYNONYMS.items():
        if snake in others and option in known:
            return option
    return nearest(name, known)


def _snake(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])([A-Z])", lambda m: "_" + m[1].lower(), name)


def snake_case(options: Mapping[str, Any]) -> dict[str, Any]:
    """Options that came from JSON, their names in snake_case.

    Only the names of options change (and the field names inside `extract`); values such as
    `headers` or `metadata` are left alone. Both spellings of one option are an `OptionError`.
    """
    result: dict[str, Any] = {}
    for name, value in options.items():
        new = _snake(name)
        if new in result:
            raise OptionError(f"Option {new!r} is given twice, as {name!r} and in its other spelling. Keep one.")
        if new == "extract" and isinstance(value, Mapping):
            # What stands under `schema` is options where one of them is the schema, else the schema itself.
            value = {
                field: snake_case(v) if isinstance(v, Mapping) and (field != "schema" or "schema" in v) else v
                for field, v in value.items()
            }
        result[new] = value
    return result


def config(strategy: Any) -> dict[str, Any]:
    """Name and options of a strategy instance as plain values: what `config_hash` is made of."""
    options = {}
    if dataclasses.is_dataclass(strategy):
        options = {f.name: _plain(getattr(strategy, f.name)) for f in dataclasses.fields(strategy) if f.init}
    return {"strategy": getattr(strategy, "name", type(strategy).__name__), "options": options}


def _plain(value: Any) -> Any:
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, Real):  # of numpy
        return int(value) if isinstance(value, Integral) else float(value)
    if isinstance(value, set | frozenset):
        return sorted(map(str, value))
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, Mapping):
        return {str(k): _plain(v) for k, v in value.items()}
    owner = value if isinstance(value, Callable) and hasattr(value, "__qualname__") else type(value)  # type: ignore[arg-type]
    name = getattr(value, "name_or_path", None) or getattr(value, "name", None)  # which tokenizer of its class
    return f"{owner.__module__}.{owner.__qualname__}" + (f":{name}" if isinstance(name, str) and name else "")
