"""The strategy `partition`: chunks are topical blocks. Imports nothing heavy: it is loaded with every registry."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from cantle import Sized, option
from cantle.errors import OptionError

from .options import ENGINES, Options

if TYPE_CHECKING:
    from cantle import Chunks, Source

    from ..client.client import Client
    from .result import PartitionResult

__all__ = ["Partition"]

_ASKED = (
    "max_chars_per_chunk",
    "max_lines_per_session",
    "overlap_lines",
    "fallback_max_chars_per_block",
    "min_coverage",
    "max_words_per_line",
    "language",
)


@dataclass(frozen=True, kw_only=True)
class Partition(Sized):
    """Cut where the topic changes: a chunk is a block about one topic, with a label.

    By a model when `client` or `model` is given, else by headings and by the words that neighbouring lines share.
    Every line is in a block: one that the model left out is in the nearest. Metadata: `label` (None where there is
    none), `block`, its number, and `fallback`, whether it was made mechanically because the model gave no answer. A
    topic that comes back later in the document is one chunk, with `spans`.
    """

    name: ClassVar[str] = "partition"
    drops: ClassVar[tuple[str, ...]] = ()
    unused: ClassVar[tuple[str, ...]] = ("overlap", "separator_position", "strip_whitespace")

    engine: str | None = option(
        None,
        "'model' or 'lexical'. None: 'model' with a client or a model, else 'lexical', which asks none.",
        choices=ENGINES,
    )
    client: Client | None = option(None, "A cantle_llm.Client to ask, with answers of its own and a limit of its own.")
    model: str | None = option(
        None,
        "The name of the model to ask. Without a client, all documents share one of the CANTLE_LLM_* variables: "
        "CANTLE_LLM_BUDGET is a limit for all of them, and answers are kept only where CANTLE_LLM_ANSWERS is set.",
    )
    max_chars_per_chunk: int = option(
        Options.max_chars_per_chunk,
        "Longer texts are cut into sub-texts at paragraphs, lines or sentences first.",
        "code points",
        least=1,
    )
    max_lines_per_session: int = option(
        Options.max_lines_per_session, "How many lines the model is shown at once.", "lines", least=1
    )
    overlap_lines: int | None = option(
        Options.overlap_lines,
        "How many of them the next session is shown too. None: 30, or a tenth of a session if that is less.",
        "lines",
        least=0,
    )
    fallback_max_chars_per_block: int = option(
        Options.fallback_max_chars_per_block,
        "How long blocks are that are made mechanically, where the model gave no answer.",
        "code points",
        least=1,
    )
    min_coverage: float = option(
        Options.min_coverage, "Below this share of lines in the model's blocks there is a warning.", least=0, most=1
    )
    max_words_per_line: int = option(
        Options.max_words_per_line, "Longer sentences are several lines.", "words", least=1
    )
    language: str | None = option(
        None, "The language of the labels. None: that of the text.", choices=("en", "pt", "es", "fr", "de", "it")
    )
    max_size: float | None = option(
        None,
        "The limit: a block that is longer is cut at paragraphs, lines and words. None: blocks are whole.",
        "length units",
        above=0,
    )

    def __post_init__(self) -> None:
        if isinstance(self.max_size, list | tuple):
            raise OptionError(
                f"max_size must be a number or None, got {self.max_size!r}: blocks about two topics are not joined."
            )
        super().__post_init__()
        self._options()
        if self.engine not in (None, "model", "lexical"):
            raise OptionError(f"engine must be 'model' or 'lexical', got {self.engine!r}.")
        if self.client is not None:
            from .arguments import check_client

            check_client(self.client)
        is_asked = self.client is not None or self.model is not None
        if self.engine == "lexical" and is_asked:
            given = "client" if self.client is not None else "model"
            raise OptionError(f"engine='lexical' asks no model, and {given} is given. Leave one of them out.")
        if self.engine == ("model" if is_asked else "lexical"):  # the same configuration, the same `config_hash`
            object.__setattr__(self, "engine", None)
        if self.client is not None and self.model is None:
            object.__setattr__(self, "model", getattr(self.client, "model", None) or None)

    def _options(self) -> Options:
        return Options(uncovered="nearest", **{name: getattr(self, name) for name in _ASKED})

    def _unused_now(self) -> dict[str, str]:
        found = super()._unused_now()
        if self.max_size is None:
            found |= dict.fromkeys(self._given(("length_function",)), "without max_size, as blocks are whole")
        return found

    @property
    def made(self) -> str:
        """Nothing but white space is written between the stretches of a block."""
        return ""

    def split(self, source: Source) -> Chunks:
        """The chunks of `source`."""
        from .partition import partition

        result = partition(source, uncovered="nearest", **self._arguments())
        return self._chunks(result)

    async def asplit(self, source: Source) -> Chunks:
        """The same without blocking the event loop."""
        from .partition import apartition

        return self._chunks(await apartition(source, uncovered="nearest", **self._arguments()))

    def _arguments(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in ("engine", "client", "model", *_ASKED)}

    def _chunks(self, result: PartitionResult) -> Chunks:
        from .chunking import chunks_of

        limited = self.max_size is not None
        return chunks_of(
            result,
            limit=self.limit if limited else None,
            length=self.length if limited else None,
            explain=self.explain,
        )
