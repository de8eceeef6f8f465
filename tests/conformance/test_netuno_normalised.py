"""What Netuno counts its positions in: the normalised text of every case."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from cantle.cleaning import Cleaned, clean_markdown, clean_pdf, clean_text

CASES = [
    case
    for path in sorted((Path(__file__).parent / "netuno").glob("*.jsonl"))
    for case in map(json.loads, path.read_text(encoding="utf-8").splitlines())
]

# Cases in which Netuno loses or changes text, and what is right instead.
MENDED = {
    "headings-emoji-cjk": (
        "# 🚀 Início\n\nOlá 👩\u200d👩\u200d👧\u200d👦 família.\n\n"
        "## 安装\n\n我们开始安装。\n\n### 見出し\n\n本文です。"
    ),
    "text-comment-in-text": "Um texto com <!-- por engano.\n\nEste parágrafo não devia desaparecer.",
    "pdf-data-line": "Vendas por ano\n2019\n540\n\nAno seguinte\n2020\n610",
    "pdf-body-line-equal": "\n\n".join(f"linha {x}\nEmpresa X\nfim {x}" for x in "abca"),
}


def clean(case: dict[str, Any]) -> Cleaned:
    """Clean a case's text as its call says."""
    method = case["method"]
    if method == "chunk":
        method = case["expected"][0]["type"] if case["expected"] else "text"
    if method == "pdf":
        return clean_pdf(case["text"])
    options = {name.lower(): value for name, value in (case["options"] or {}).items()}
    given = {
        ours: str(options[theirs]).lower() in ("true", "1")
        for ours, theirs in (("comments", "striphtmlcomments"), ("data_uris", "stripdatauri"))
        if options.get(theirs) not in (None, "")
    }
    return (clean_markdown if method == "markdown" else clean_text)(case["text"], **given)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_normalised_text(case: dict[str, Any]) -> None:
    normalised = case.get("normalized", case["text"] if case["expected"] else "")
    assert clean(case).text == MENDED.get(case["id"], normalised)
    if case["id"] in MENDED:
        assert case["fault"]
        assert MENDED[case["id"]] != normalised
