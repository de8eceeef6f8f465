"""On texts joined from different documents ours is nearer to the true borders than TextTiling and fixed sizes."""

from __future__ import annotations

import importlib.util
import json
import random
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from cantle_llm.lexical import segment
from cantle_llm.lines import Line

_HERE = Path(__file__).parent
_METRICS = _HERE.parent / "evaluation" / "metrics.py"


def _rows() -> list[dict[str, Any]]:
    path = _HERE / "data" / "segmentation" / "joined.jsonl"
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def _window(lines: int, borders: Sequence[int]) -> int:
    return max(2, round(lines / (2 * (len(borders) + 1))))


def _measures(lines: int, true: Sequence[int], found: Sequence[int]) -> tuple[float, float]:
    """Pk and WindowDiff."""
    k = _window(lines, true)
    counts = [(sum(i < b <= i + k for b in true), sum(i < b <= i + k for b in found)) for i in range(lines - k)]
    pk = sum((a == 0) != (b == 0) for a, b in counts) / len(counts)
    return pk, sum(a != b for a, b in counts) / len(counts)


def _fixed(row: dict[str, Any]) -> list[int]:
    """Segments of the text's true mean size, at lines that open a paragraph."""
    lines, size = len(row["lines"]), len(row["lines"]) / (len(row["borders"]) + 1)
    opens = [i for i, line in enumerate(row["lines"]) if line[2]]
    found = {min(opens, key=lambda line: abs(line - n * size)) for n in range(1, len(row["borders"]) + 1)}
    return sorted(found - {0, lines})


def _ours(row: dict[str, Any]) -> list[int]:
    lines = [Line(start, end, "sentence", bool(opens)) for start, end, opens in row["lines"]]
    return [topic.first for topic in segment(row["text"], lines)][1:]


@pytest.fixture(scope="module")
def measured() -> dict[tuple[str, str], dict[str, tuple[float, float]]]:
    """By language and class, the mean measures of ours and the others."""
    found: dict[tuple[str, str], dict[str, list[tuple[float, float]]]] = {}
    for row in _rows():
        answers = {
            "ours": _ours(row),
            "text_tiling": row["text_tiling"],
            "text_tiling_tuned": row["text_tiling_tuned"],
            "fixed": _fixed(row),
        }
        cell = found.setdefault((row["language"], row["class"]), {name: [] for name in answers})
        for name, borders in answers.items():
            cell[name].append(_measures(len(row["lines"]), row["borders"], borders))
    return {
        key: {
            name: (sum(p for p, _ in all_) / len(all_), sum(w for _, w in all_) / len(all_))
            for name, all_ in cell.items()
        }
        for key, cell in found.items()
    }


def test_better_than_texttiling_in_each_language_and_class(
    measured: dict[tuple[str, str], dict[str, tuple[float, float]]],
) -> None:
    assert len(measured) == 12
    for key, cell in measured.items():
        for name in ("text_tiling", "text_tiling_tuned"):
            assert cell["ours"][0] < cell[name][0], (key, name)
            assert cell["ours"][1] < cell[name][1], (key, name)


@pytest.mark.parametrize("language", ["en", "pt"])
def test_better_than_the_true_mean_size(
    measured: dict[tuple[str, str], dict[str, tuple[float, float]]], language: str
) -> None:
    cells = [cell for (tongue, _), cell in measured.items() if tongue == language]
    for measure in (0, 1):
        ours, fixed = (sum(cell[name][measure] for cell in cells) / len(cells) for name in ("ours", "fixed"))
        assert ours < 0.75 * fixed


@pytest.mark.skipif(not _METRICS.exists(), reason="the evaluation is not part of the package")
def test_the_measures_are_those_of_nltk_and_segeval() -> None:
    nltk = pytest.importorskip("nltk.metrics.segmentation")
    segeval = pytest.importorskip("segeval")
    spec = importlib.util.spec_from_file_location("metrics_of_evaluation", _METRICS)
    assert spec is not None
    assert spec.loader is not None
    metrics = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(metrics)
    rng = random.Random(0)
    for _ in range(40):
        lines = rng.randint(12, 90)
        true = sorted(rng.sample(range(1, lines), rng.randint(1, 6)))
        found = sorted(rng.sample(range(1, lines), rng.randint(0, 8)))
        k = metrics.window(lines, true)
        a, b = (["1" if i + 1 in borders else "0" for i in range(lines - 1)] for borders in (true, found))
        c, d = ([y - x for x, y in pairwise([0, *borders, lines])] for borders in (true, found))
        pk, diff = metrics.pk(lines, true, found), metrics.window_diff(lines, true, found)
        assert (pk, diff) == pytest.approx(_measures(lines, true, found))
        assert pk == pytest.approx(nltk.pk("".join(a), "".join(b), k=k))
        assert diff == pytest.approx(nltk.windowdiff("".join(a), "".join(b), k))
        assert pk == pytest.approx(float(segeval.pk(d, c, window_size=k)))
        assert diff == pytest.approx(float(segeval.window_diff(d, c, window_size=k)))
