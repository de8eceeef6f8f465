"""The example text with its three chapters, and what is to come of it."""

from __future__ import annotations

from typing import Any

from cantle import Source
from cantle_llm import (
    Client,
    PartitionResult,
    partition,
)
from cantle_llm.testing import ScriptedServer

EXAMPLE = (
    "Chapter 1. The Beginning.\n\nOnce upon a time in a land far away, a young hero set out on a journey.\n\n"
    "Chapter 2. The Challenge.\n\nThe road ahead was long. Mountains blocked the path.\n\n"
    "Chapter 3. The Resolution.\n\nAfter many trials, the hero returned home, forever changed."
)
ANSWER = {
    "blocks": [
        {"ranges": [[0, 1]], "label": "Chapter 1 – The Beginning"},
        {"ranges": [[2, 4]], "label": "Chapter 2 – The Challenge"},
        {"ranges": [[5, 6]], "label": "Chapter 3 – The Resolution"},
    ],
    "reasoning": "By the headings of chapters.",
}
NAME = "Chapter 1 – The Beginning (+2)"
KEYS = [
    "success",
    "blocks",
    "coverage",
    "totalLines",
    "sessionsUsed",
    "fallbackUsed",
    "failedSessions",
    "reasoning",
    "auditLog",
    "persisted",
    "uncoveredLines",
    "costControl",
]


def client(server: ScriptedServer, **more: Any) -> Client:
    return Client("gpt-4.1-nano", base_url=server.url, **{"retries": 0, "reasks": 0, "provider": "openai"} | more)


def modelled(answer: Any = ANSWER, text: str | Source = EXAMPLE, **more: Any) -> PartitionResult:
    with ScriptedServer(lambda asked: answer) as server, client(server) as asking:
        return partition(text, client=asking, **more)


def check_example(result: PartitionResult) -> None:
    assert result.success
    assert (result.coverage, result.total_lines, result.missing_count) == (1.0, 7, 0)
    assert [block.lines for block in result.blocks] == [((0, 1),), ((2, 4),), ((5, 6),)]
    assert [block.text for block in result.blocks] == [
        EXAMPLE[:98],
        EXAMPLE[100:179],
        EXAMPLE[181:],
    ]
    for number, block in enumerate(result.blocks, 1):
        assert block.label is not None
        assert block.label.startswith(f"Chapter {number}")
        assert EXAMPLE[block.start : block.end] == block.text
