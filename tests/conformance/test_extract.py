"""Mastra's extraction cases: the order of fields, what later ones see of earlier ones, and what ends up where.

The extractors that ask a model are a plugin's business. Here a plugin stands in for them that follows the reference's
templates and asks the scripted model of the cases, so what is held to Mastra's answers is our side: fields run in the
fixed order, each sees the metadata that those before it wrote, several documents are extracted over together.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from cantle import Chunk, Chunks, MDocument, Registry, extract, hookimpl
from cantle.errors import CantleError
from cantle.plugins import BUILTIN
from cantle.strategy import snake_case

CASES = [
    json.loads(line)
    for line in (Path(__file__).parent / "mastra" / "extract.jsonl").read_text("utf-8").split("\n")
    if line
]
NAMES = {"section_summary": "sectionSummary", "excerpt_keywords": "excerptKeywords", "document_title": "documentTitle"}


def digits(prompt: str) -> str:
    return hashlib.sha256(prompt.encode("utf-8")).hexdigest()[:8]


def model(prompt: str) -> str:
    return f"  A{digits(prompt)}\n{' '.join(prompt.split()[-3:])}  "


def content(chunk: Chunk) -> str:
    """What a chunk's prompt holds: its metadata under Mastra's names, then its text."""
    metadata = {NAMES.get(name, name): value for name, value in chunk.metadata.items()}
    lines = "\n".join(f"{name}: {metadata[name]}" for name in sorted(metadata))
    return f"{lines.strip()}\n\n{chunk.text}".strip()


def summary(document: MDocument, chunks: Chunks, options: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    if not {"self", "prev", "next"} & set(options.get("summaries", ["self"])):
        raise ValueError("summaries must name self, prev or next")
    replies = [model(options["prompt_template"].format(context=content(chunk))) for chunk in chunks]
    return [{"section_summary": reply.replace("\n", "")} for reply in replies]


def keywords(document: MDocument, chunks: Chunks, options: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    most = options.get("keywords", 5)
    if most < 0:
        raise ValueError("keywords must be at least 0")
    prompts = [options["prompt_template"].format(context=content(chunk), maxKeywords=most) for chunk in chunks]
    return [{"excerpt_keywords": model(prompt).strip()} for prompt in prompts]


def title(documents: Any, chunks: Chunks, options: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    groups: dict[Any, list[str]] = {}
    owners = [chunk.metadata.get("docId") or number for number, chunk in enumerate(chunks)]
    for chunk, owner in zip(chunks, owners, strict=True):
        candidate = model(options["node_template"].format(context=content(chunk))).strip()
        groups.setdefault(owner, []).append(candidate)
    titles = {o: model(options["combine_template"].format(context=", ".join(group))) for o, group in groups.items()}
    return [{"document_title": titles[owner]} for owner in owners]


def schema(document: MDocument, chunks: Chunks, options: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    return [{"tag": digits(text), "size": len(text)} for text in map(content, chunks)]


title.together = True  # type: ignore[attr-defined]

SCRIPTED = SimpleNamespace(
    register_extractors=hookimpl(
        lambda: {"summary": summary, "keywords": keywords, "title": title, "schema": schema},
        specname="register_extractors",
    )
)


def host() -> Registry:
    return Registry({**{name.rpartition(".")[2]: name for name in BUILTIN}, "scripted": SCRIPTED})


def extracted(case: dict[str, Any]) -> list[dict[str, Any]]:
    """The chunks of all documents of a case, extracted over together."""
    options = snake_case(case["options"])
    strategy, fields = options.pop("strategy"), options.pop("extract")
    given = [
        MDocument(document["text"], metadata=document.get("metadata") or {}).chunk(strategy, **options)
        for document in case.get("docs", [case])
    ]
    return [
        {"text": chunk.text, "metadata": {NAMES.get(name, name): value for name, value in chunk.metadata.items()}}
        for chunks in extract(given, fields, plugins=host())
        for chunk in chunks
    ]


@pytest.mark.parametrize("case", [pytest.param(case, id=case["id"]) for case in CASES if "error" not in case])
def test_equal_but_for_blank_chunks(case: dict[str, Any]) -> None:
    """Mastra has blank chunks here, and titles of nothing for them; we have none."""
    assert extracted(case) == [expected for expected in case["expected"] if expected["text"].strip()]


@pytest.mark.parametrize("case", [pytest.param(case, id=case["id"]) for case in CASES if "error" in case])
def test_error(case: dict[str, Any]) -> None:
    with pytest.raises(CantleError, match=r"summar|keywords"):
        extracted(case)
