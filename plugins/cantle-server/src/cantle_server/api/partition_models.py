"""What a partition is asked for, and what it answers."""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field

from .json_body import Body, Shown

__all__ = ["EXAMPLE", "Asked", "Options", "Partitioned"]

TEXT = (
    "Chapter 1. The Beginning.\n\nOnce upon a time in a land far away, a young hero set out on a journey.\n\n"
    "Chapter 2. The Challenge.\n\nThe road ahead was long. Mountains blocked the path.\n\n"
    "Chapter 3. The Resolution.\n\nAfter many trials, the hero returned home, forever changed."
)

_Id = Annotated[str, Field(min_length=1, max_length=200)]
_Name = Annotated[str, Field(min_length=1, max_length=200, pattern=r"\S")]


class Options(Body):
    """How the text is divided, and whether and where the blocks are stored."""

    persist_chunks: bool = Field(default=False, description="Store the blocks as chunks, with embeddings.")
    create_dataset_if_missing: bool = Field(
        default=True, description="Make a dataset where none is named, or none is there."
    )
    dataset_id: _Id | None = Field(
        default=None, description="The dataset to store them in. It must be one of the token's host."
    )
    dataset_name: _Name | None = Field(
        default=None,
        description="The dataset by its name, or the name of a new one. Without it the name is made of the labels.",
    )
    avatar_id: _Id | None = Field(default=None, description="Whose dataset it is. Without it the host's main avatar.")
    max_chars_per_stored_chunk: int | None = Field(
        default=None,
        ge=100,
        le=10_000_000,
        description="Blocks that are longer are stored as several chunks, for embedders that take no long texts. "
        "Without it a block is a chunk.",
    )
    engine: Literal["model", "lexical"] | None = Field(
        default=None,
        description="Who divides. Without it the service's model, or the lexical engine where it has none.",
    )
    max_chars_per_chunk: int = Field(
        default=80_000, ge=1, le=10_000_000, description="Longer texts are cut into sub-texts first, in characters."
    )
    max_lines_per_session: int = Field(
        default=400, ge=1, le=10_000, description="How many lines the model is shown at once."
    )
    overlap_lines: int | None = Field(
        default=None,
        ge=0,
        le=10_000,
        description="How many of them the next session is shown too. Without it 30, or a tenth of a session where that "
        "is less. Half of a session at most.",
    )
    fallback_max_chars_per_block: int = Field(
        default=3_000,
        ge=1,
        le=10_000_000,
        description="How long blocks are that are made where the model gave no answer.",
    )
    min_coverage: float = Field(default=0.9, ge=0, le=1, description="Below this share of lines it is no success.")
    max_words_per_line: int = Field(default=50, ge=1, le=10_000, description="Longer sentences are several lines.")
    uncovered: Literal["report", "nearest"] = Field(
        default="report",
        description="Lines that the model left out: report them, or put them into the nearest block as well.",
    )
    language: Literal["en", "pt", "es", "fr", "de", "it"] | None = Field(
        default=None, description="The language of the labels. Without it that of the text."
    )

    def of_partition(self) -> dict[str, Any]:
        """Those that `cantle_llm.partition` takes."""
        stored = {"persist_chunks", "create_dataset_if_missing", "dataset_id", "dataset_name", "avatar_id"}
        stored.add("max_chars_per_stored_chunk")
        return self.model_dump(exclude=stored, exclude_none=True)


class Asked(Body):
    """A text to be divided into blocks by topic."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [{"text": TEXT}, {"text": TEXT, "options": {"persistChunks": True, "minCoverage": 0.9}}]
        }
    )

    text: str | None = Field(default=None, description="The text. It may be left out where there are mediaUrls.")
    media_urls: list[Annotated[str, Field(min_length=1, max_length=4096)]] | None = Field(
        default=None,
        max_length=1000,
        description="Images, PDF files, recordings, videos: each is turned into text and put behind `text`, in order, "
        "a blank line between two.",
    )
    source: Annotated[str, Field(min_length=1, max_length=1000)] | None = Field(
        default=None, description="The name of the document where it is stored. Without it one is made from the text."
    )
    metadata: dict[str, Any] | None = Field(
        default=None, description="Metadata of the document where it is stored: what filters and roles look at."
    )
    options: Options | None = None


class _Block(Shown):
    text: str
    label: str | None = Field(description="What it is about; null for one that was made mechanically.")
    start: int = Field(description="Where it begins, in characters (code points) of the whole text.")
    end: int = Field(description="Where it ends, exclusive.")
    ranges: list[tuple[int, int]] = Field(description="Its stretches of the text: [start, end), in characters.")
    lines: list[tuple[int, int]] = Field(description="Its lines, as ranges, both ends included.")


class _Persisted(Shown):
    dataset_id: str
    avatar_id: str
    dataset_created: bool
    dataset_name: str | None = Field(description="The name, where the dataset was made for this.")
    chunk_ids: list[str]
    count: int


class _Uncovered(Shown):
    count: int
    indices: list[int]
    ranges: list[tuple[int, int]] = Field(description="Lines, both ends included.")
    lines: list[str]


class _Usage(Shown):
    input_tokens: int
    output_tokens: int
    total_tokens: int
    is_estimated: bool
    source: str


class _Cost(Shown):
    input_cost: float
    output_cost: float
    total_cost: float
    currency: str
    pricing_missing: bool
    matched_pricing_key: str | None


class _Control(Shown):
    decision: Literal["allow", "stop"]
    reasons: list[str]


class _References(Shown):
    caller: str
    provider: str
    model: str


class _CostControl(Shown):
    usage: _Usage
    cost: _Cost
    control: _Control
    references: _References
    reconciliation: None = None


class _Failure(Shown):
    window: int
    lines: tuple[int, int]
    reason: str
    detail: str


class _Repair(Shown):
    model_config = ConfigDict(extra="allow")


class _Media(Shown):
    index: int = Field(description="Which one of mediaUrls.")
    kind: str
    media_type: str
    start: int = Field(description="Where its text begins in the whole text, in characters.")
    end: int
    notes: list[str] = Field(description="What is missing, such as pages that are pictures.")


class _PersistFailure(Shown):
    code: str
    message: str


class Partitioned(Shown):
    """The blocks, with a report of how they came about."""

    success: bool = Field(description="False where the model covered too little, failed, or was stopped.")
    reason: str | None = Field(
        default=None, description="Why not: `coverage_below_threshold`, `budget`, ...; only then."
    )
    missing_count: int | None = Field(default=None, description="How many lines are in no block; only then.")
    blocks: list[_Block]
    coverage: float = Field(description="The share of lines that are in blocks.")
    total_lines: int
    sessions_used: int
    fallback_used: bool
    failed_sessions: int
    reasoning: str
    audit_log: list[str]
    persisted: _Persisted | None
    persist_error: _PersistFailure | None = Field(
        default=None, description="Why the blocks were not stored, where that was asked for; only then."
    )
    uncovered_lines: _Uncovered
    cost_control: _CostControl
    media: list[_Media] | None = Field(default=None, description="Which part of the text came from which of mediaUrls.")
    failures: list[_Failure] | None = None
    repairs: list[_Repair] | None = None


EXAMPLE: dict[str, Any] = {
    "success": True,
    "blocks": [
        {
            "text": TEXT[:98],
            "label": "Chapter 1: the beginning",
            "start": 0,
            "end": 98,
            "ranges": [[0, 98]],
            "lines": [[0, 1]],
        },
        {
            "text": TEXT[100:179],
            "label": "Chapter 2: the challenge",
            "start": 100,
            "end": 179,
            "ranges": [[100, 179]],
            "lines": [[2, 4]],
        },
        {
            "text": TEXT[181:],
            "label": "Chapter 3: the resolution",
            "start": 181,
            "end": 268,
            "ranges": [[181, 268]],
            "lines": [[5, 6]],
        },
    ],
    "coverage": 1.0,
    "totalLines": 7,
    "sessionsUsed": 1,
    "fallbackUsed": False,
    "failedSessions": 0,
    "reasoning": "By the headings of chapters.",
    "auditLog": [
        "[partition] Partitioning a text of 268 characters by the model gpt-4.1-nano",
        "[partition] Text divided into 7 line(s)",
        "[partition] 1 session(s) with the model needed",
        "[partition] Session 1 (lines 0-6): 3 block(s), 0 repair(s)",
        "[partition] 3 block(s) assembled",
        "[partition] Coverage: 100.0% (7/7)",
        "[partition] Partition finished",
    ],
    "persisted": None,
    "uncoveredLines": {"count": 0, "indices": [], "ranges": [], "lines": []},
    "costControl": {
        "usage": {
            "inputTokens": 480,
            "outputTokens": 95,
            "totalTokens": 575,
            "isEstimated": False,
            "source": "smart_split_aggregate",
        },
        "cost": {
            "inputCost": 0.000048,
            "outputCost": 0.000038,
            "totalCost": 0.000086,
            "currency": "USD",
            "pricingMissing": False,
            "matchedPricingKey": "openai:gpt-4.1-nano",
        },
        "control": {"decision": "allow", "reasons": []},
        "references": {"caller": "smartSplit", "provider": "openai", "model": "gpt-4.1-nano"},
        "reconciliation": None,
    },
}

_NAME = re.compile("|".join(rf"\b{name}\b" for name in Options.model_fields))


def in_camel_case(message: str) -> str:
    """A message about options of the library, with their names as they are here."""
    from pydantic.alias_generators import to_camel

    return _NAME.sub(lambda found: to_camel(found[0]), message)
