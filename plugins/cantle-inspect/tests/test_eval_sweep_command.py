"""`cantle eval --sweep`, and what is wrong usage of `cantle eval`."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click import BadParameter
from click.testing import Result

from cantle_inspect.commands.eval import swept

Run = Callable[..., Result]


def test_a_sweep(run_eval: Run) -> None:
    result = run_eval("--sweep", "max_size=240,480", "--sweep", "strategy=recursive,markdown", "-f", "table")
    assert (result.exit_code, result.stderr) == (0, "")
    header = result.stdout.splitlines()[0].split()
    assert header == [
        "#",
        "max_size",
        "strategy",
        "overlap",
        "chunks",
        "tokens",
        "recall@3",
        "MRR",
        "IoU",
        "omega",
        "difference",
    ]
    assert "Best by recall@3: max_size=480, strategy=" in result.stdout
    assert "29 questions with an answer. That is few" in result.stdout


def test_a_sweep_with_settings_that_cannot_be_used(run_eval: Run) -> None:
    result = run_eval("--sweep", "max_size=40,480", "--sweep", "overlap=0,80", "-s", "recursive", "-f", "table")
    assert result.exit_code == 0
    assert "#4 cannot be used: overlap must be smaller than max_size (40), got 80." in " ".join(result.stdout.split())
    failed = run_eval("--sweep", "max_size=40,50", "--overlap", "80", "-s", "recursive")
    assert failed.exit_code == 2
    assert "None of the settings can be used." in failed.stderr


def test_a_sweep_in_other_formats(run_eval: Run) -> None:
    arguments = ("--sweep", "max_size=240,480", "--sweep", "ranker=bm25,tf-cosine")
    data = json.loads(run_eval(*arguments).stdout)
    assert data["rows"][0]["settings"] == data["best"]
    lines = [json.loads(line) for line in run_eval(*arguments, "-f", "jsonl").stdout.splitlines()]
    assert lines == data["rows"]
    rows = list(csv.DictReader(io.StringIO(run_eval(*arguments, "-f", "csv").stdout)))
    assert [row["verdict"] for row in rows] == [line["verdicts"]["recall"] for line in lines]
    assert {"max_size", "ranker", "recall.low", "difference.high"} < rows[0].keys()


def test_a_sweep_of_rankers_keeps_the_language(run_eval: Run, nucleo: Path) -> None:
    (nucleo / "stop.json").write_text('[{"question": "para que ela", "text": "para"}]')  # nothing but stop words
    arguments = ("--sweep", "ranker=bm25,tf-cosine")
    for language, found in (("none", 1), ("pt", 0)):
        data = json.loads(run_eval(*arguments, "--language", language, golden="nucleo/stop.json").stdout)
        assert [row["totals"]["recall"]["value"] for row in data["rows"]] == [found, found]


def test_a_sweep_fails_when_no_settings_find_enough(run_eval: Run) -> None:
    result = run_eval("--sweep", "max_size=40,60", "--overlap", "0", "-s", "recursive", "--min-recall", "0.9")
    assert result.exit_code == 1
    assert "recall@3 of the best settings is 0." in result.stderr


@pytest.mark.parametrize(
    ("pairs", "found"),
    [
        (["max_size=240,480"], {"max_size": [240, 480]}),
        (["maxSize=240, 480 "], {"max_size": [240, 480]}),
        (["max-size=[[100, 200], 300]"], {"max_size": [[100, 200], 300]}),
        (["length=words,cl100k_base"], {"length_function": ["words", "cl100k_base"]}),
        (["strategy=recursive,None", "explain=true"], {"strategy": ["recursive", None], "explain": [True]}),
        (['separators=[["\\n\\n", " "], [" "]]'], {"separators": [["\n\n", " "], [" "]]}),
        (['extract={"keywords": true, "title": true}'], {"extract": [{"keywords": True, "title": True}]}),
    ],
)
def test_values_of_a_sweep(pairs: list[str], found: dict[str, Any]) -> None:
    assert swept(pairs) == found


@pytest.mark.parametrize(
    "pairs", [["max_size"], ["=1,2"], ["max_size="], ["max_size=1,,2"], ["a=[1, 2"], ["a=[]"], ["a=1", "a=2"]]
)
def test_wrong_values_of_a_sweep(pairs: list[str]) -> None:
    with pytest.raises(BadParameter):
        swept(pairs)


# --- wrong usage ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--sweep", "max_size=1,2", "-n", "480"), "max_size is given and in --sweep"),
        (("--sweep", "strategy=recursive", "-s", "html"), "strategy is given and in --sweep"),
        (("--sweep", "ranker=bm25", "--ranker", "bm25"), "ranker is given and in --sweep"),
        (("--sweep", "ranker=bm26"), "No ranker is named 'bm26'"),
        (("--sweep", "max_size=1,2", "--audit", "a.jsonl"), "--audit is about one setting"),
        (("--sweep", "max_size"), "is no KEY=V1,V2,"),
        (("--audit", "-"), "--audit needs the name of a file"),
        (("--audit", "x.json", "-o", "./x.json"), "are one file"),
        (("--top-k", "0"), "--top-k"),
        (("--min-recall", "1.5"), "--min-recall"),
        (("--min-recall", "nan"), "--min-recall"),
        (("--min-mrr", "NaN"), "--min-mrr"),
        (("--top-k", "nan"), "--top-k"),
        (("--budget", "nan"), "--budget"),
        (("--no-roles", "--roles", "nucleo/roles.yaml"), "--no-roles and --roles are both given"),
        (("--no-roles", "--role", "sre"), "--no-roles and --role are both given"),
        (("-o", "out.xyz"), "the suffix .xyz says nothing of the format. Known: .txt, .json, .jsonl, .csv."),
        (("--sweep", "max_sise=1,2"), "no setting 'max_sise' to vary. Did you mean 'max_size'?"),
        (("--sweep", "strategy=recursive,tokn"), "No chunking strategy is named 'tokn'"),
        (("--budget", "0"), "--budget"),
        (("--strategy", "none such"), "No chunking strategy is named 'none such'"),
        (("--role", "boss"), "no role 'boss'"),
        (("--where", "dept"), "is no KEY=VALUE"),
        (("-n", "40", "--overlap", "80"), "overlap must be smaller than max_size"),
    ],
)
def test_wrong_usage(run_eval: Run, arguments: tuple[str, ...], says: str) -> None:
    result = run_eval(*arguments)
    assert result.exit_code == 2
    assert says in result.stderr
    assert result.stdout == ""


def test_a_golden_file_that_is_wrong(run_eval: Run, nucleo: Path) -> None:
    (nucleo / "wrong.json").write_text('[{"question": "a", "sorce": "x"}]')
    result = run_eval(golden="nucleo/wrong.json")
    assert result.exit_code == 2
    assert result.stderr.startswith(
        "Error: nucleo/wrong.json, question 1: there is no key 'sorce'. Did you mean 'source'?"
    )


def test_roles_in_the_golden_file_that_are_not_known(run_eval: Run, nucleo: Path) -> None:
    (nucleo / "one.json").write_text('[{"question": "a", "source": "faq-billing.md", "roles": ["boss"]}]')
    result = run_eval(golden="nucleo/one.json")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "names the role 'boss', which nucleo/roles.yaml does not have" in result.stderr


def test_outputs_are_no_inputs(run_eval: Run, nucleo: Path) -> None:
    before = (nucleo / "golden-questions.json").read_bytes()
    for option in ("-o", "--audit"):
        result = run_eval(option, "nucleo/golden-questions.json")
        assert (result.exit_code, "is read and would be replaced" in result.stderr) == (2, True)
    assert (nucleo / "golden-questions.json").read_bytes() == before
    assert run_eval("-o", "nucleo/result.json", "--audit", "nucleo/audit.jsonl").exit_code == 0
    assert json.loads(run_eval().stdout)["stats"]["documents"] == 3
