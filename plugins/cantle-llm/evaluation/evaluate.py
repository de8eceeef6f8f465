"""Compare the lexical segmentation with TextTiling and with segments of a fixed size.

    python evaluate.py FOLDER [--part test] [--count 40] [--json FILE]

FOLDER is what `prepare.py` writes. What can be chosen for the others (TextTiling's settings, the fixed size) is chosen
on the development set, for each language and class anew; ours has one setting for all. Printed are Pk and WindowDiff in
percent (lower is better) and how far ours is ahead, with the 95 % interval of a paired bootstrap over the texts.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

from metrics import pk, window_diff
from peers import SETTINGS, fixed, text_tiling

from cantle_llm.lexical import segment
from cases import CLASSES, Case, build

Scores = list[tuple[float, float]]  # Pk and WindowDiff of every text
NAMES = ("ours", "TextTiling", "TextTiling, tuned", "fixed, tuned", "fixed, true size")
_TUNING = 12  # texts of a class on which the others' settings are chosen


def ours(case: Case) -> list[int]:
    """The lines at which our topics begin."""
    return [topic.first for topic in segment(case.text, case.lines)][1:]


def scores(cases: Sequence[Case], method: Callable[[Case], list[int]]) -> Scores:
    """Both measures of every text."""
    found = []
    for case in cases:
        borders = method(case)
        count = len(case.lines)
        found.append((pk(count, case.borders, borders), window_diff(count, case.borders, borders)))
    return found


def mean(found: Scores) -> float:
    """The mean of both measures over all texts."""
    return sum(map(sum, found)) / (2 * len(found))


def run(job: tuple[tuple[str, str], list[Case], list[Case]]) -> dict[str, Any]:
    """Everything about a language and class: the others' settings by the first cases, scores on the second."""
    (language, size), tuning, cases = job
    tuning = tuning[:_TUNING]
    average = sum(len(case.lines) for case in tuning) / sum(len(case.borders) + 1 for case in tuning)
    sizes = sorted({max(2.0, round(average * factor, 1)) for factor in (0.5, 0.67, 0.8, 0.9, 1, 1.1, 1.25, 1.5, 2, 4)})
    length = min(sizes, key=lambda n: mean(scores(tuning, lambda case: fixed(case, n))))
    result: dict[str, Any] = {"language": language, "class": size, "texts": len(cases), "fixed size": length}
    found = {
        "ours": scores(cases, ours),
        "fixed, tuned": scores(cases, lambda case: fixed(case, length)),
        "fixed, true size": scores(cases, lambda case: fixed(case, len(case.lines) / (len(case.borders) + 1))),
    }
    if language not in ("zh", "ja"):  # TextTiling as NLTK has it knows no words there
        best = min(SETTINGS, key=lambda s: mean(scores(tuning, lambda case: text_tiling(case, s))))
        result["TextTiling settings"] = best
        found["TextTiling"] = scores(cases, lambda case: text_tiling(case, SETTINGS[0]))
        found["TextTiling, tuned"] = scores(cases, lambda case: text_tiling(case, best))
    result["scores"] = found
    return result


def interval(a: Sequence[float], b: Sequence[float], rounds: int = 2000) -> tuple[float, float]:
    """The 95 % interval of the mean of `b - a`, by a paired bootstrap (Efron and Tibshirani 1993)."""
    rng = random.Random(0)
    gaps = [y - x for x, y in zip(a, b, strict=True)]
    means = sorted(sum(rng.choices(gaps, k=len(gaps))) / len(gaps) for _ in range(rounds))
    return means[int(0.025 * rounds)], means[int(0.975 * rounds) - 1]


def table(results: Sequence[dict[str, Any]]) -> str:
    """A Markdown table: Pk / WindowDiff in percent, and the least lead over any of the others."""
    rows = [f"| | texts | {' | '.join(NAMES)} | lead in Pk | lead in WindowDiff |", "|---|---|" + "---|" * 7]
    for result in results:
        found = result["scores"]
        cells = [
            " / ".join(f"{100 * sum(s[m] for s in found[name]) / len(found[name]):.1f}" for m in (0, 1))
            if name in found
            else "–"
            for name in NAMES
        ]
        leads = []
        for measure in (0, 1):
            mine = [s[measure] for s in found["ours"]]
            others = {name: [s[measure] for s in found[name]] for name in found if name != "ours"}
            near = min(others, key=lambda name: sum(others[name]))
            low, high = interval(mine, others[near])
            lead = (sum(others[near]) - sum(mine)) / len(mine)
            leads.append(f"{100 * lead:.1f} [{100 * low:.1f}, {100 * high:.1f}]")
        rows.append(f"| {result['language']} {result['class']} | {result['texts']} | {' | '.join(cells + leads)} |")
    return "\n".join(rows)


def main() -> None:
    """Read the arguments, run, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--part", choices=("dev", "test"), default="test")
    parser.add_argument("--count", type=int, default=40, help="texts of each class (default 40)")
    parser.add_argument("--json", type=Path, help="write all scores to this file")
    parser.add_argument("--jobs", type=int, default=2)
    arguments = parser.parse_args()
    tuning = build(arguments.folder, "dev", arguments.count)
    cases = tuning if arguments.part == "dev" else build(arguments.folder, arguments.part, arguments.count)
    order = [key for language in ("en", "pt", "ja", "zh") for size in CLASSES if (key := (language, size)) in cases]
    order += sorted(set(cases) - set(order))
    with ProcessPoolExecutor(arguments.jobs) as pool:
        results = list(pool.map(run, [(key, tuning.get(key) or cases[key], cases[key]) for key in order]))
    if arguments.json:
        arguments.json.write_text(json.dumps(results, indent=1), encoding="utf-8")
    sys.stdout.write(table(results) + "\n")


if __name__ == "__main__":
    main()
