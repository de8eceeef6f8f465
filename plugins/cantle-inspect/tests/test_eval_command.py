"""`cantle eval`: what it prints, where to, and with which exit code."""

from __future__ import annotations

import csv
import io
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click import BadParameter
from click.testing import CliRunner, Result

from cantle.cli.group import Cli
from cantle_inspect import Pool
from cantle_inspect.commands.eval import command, swept

NUCLEO = Path(__file__).parent.parent / "examples" / "nucleo"

Run = Callable[..., Result]


@pytest.fixture
def nucleo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the example, which is the current directory."""
    directory = tmp_path / "nucleo"
    shutil.copytree(NUCLEO, directory)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "160")
    return directory


@pytest.fixture
def run(nucleo: Path) -> Run:
    group = Cli("cantle", commands={"eval": command})
    group.get_command = lambda ctx, name: {"eval": command}.get(name)  # type: ignore[method-assign]

    def call(*arguments: str, golden: str = "nucleo/golden-questions.json") -> Result:
        return CliRunner().invoke(group, ["eval", golden, "nucleo", *arguments])

    return call


def test_the_example_passes(run: Run) -> None:
    result = run("-f", "table")
    assert (result.exit_code, result.stderr) == (0, "")
    assert "recall@3" in result.stdout
    assert "29 questions, asked 116 times for their roles: all passed." in result.stdout
    assert "Problems: leaks 0, outside the filter 0" in result.stdout


def test_json_in_a_pipe(run: Run) -> None:
    found = json.loads(run().stdout)
    assert found["ok"] is True
    assert found["totals"]["recall"]["value"] == 1
    assert len(found["results"]) == 116


@pytest.mark.parametrize("name", ["politica-ferias.md", "faq-billing.md", "runbook-deploy.md"])
def test_a_document_that_is_removed_fails_the_run(run: Run, nucleo: Path, name: str) -> None:
    (nucleo / name).unlink()
    result = run("-f", "table")
    assert result.exit_code == 1
    assert f"{name} is not in" in " ".join(result.stdout.split())
    assert "Error: recall@3 is 0." in result.stderr
    assert "a source that is named is not in the corpus" in result.stderr


def test_a_document_that_is_left_out_fails_the_run(run: Run, nucleo: Path) -> None:
    path = nucleo / "runbook-deploy.md"
    path.write_text(path.read_text("utf-8").replace("classification:", "klass:"), encoding="utf-8")
    result = run("-f", "table", "--require", "dept,classification", "--min-recall", "0")
    assert result.exit_code == 1
    assert "Left out: runbook-deploy.md: its metadata has no classification" in result.stderr
    assert "was left out: its metadata has no classification" in " ".join(result.stdout.split())


def test_least_recall(run: Run) -> None:
    assert run("--top-k", "1").exit_code == 1
    assert run("--top-k", "1", "--min-recall", "0.9").exit_code == 0
    assert run("--top-k", "1", "--min-recall", "0").exit_code == 0
    result = run("--min-mrr", "1")
    assert (result.exit_code, result.stderr.startswith("Error: MRR is 0.9")) == (1, True)


def test_failed_questions_are_shown_with_the_reason(run: Run) -> None:
    result = run("--top-k", "1", "-f", "table")
    assert "found instead" in result.stdout
    assert "the right chunk is at rank" in " ".join(result.stdout.split())


def test_a_leak_fails_the_run(run: Run, nucleo: Path) -> None:
    (nucleo / "roles.yaml").write_text('intern: "*"\nemployee: "*"\nhr_admin: "*"\nsre: "*"\n')
    result = run("--min-recall", "0", "-f", "table")
    assert result.exit_code == 1
    assert "a role may see what it should not" in result.stderr
    text = " ".join(result.stdout.split())
    assert "the role intern may see runbook-deploy.md, and it got runbook-deploy#" in text


def test_a_chunk_outside_the_filter_fails_the_run(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Pool, "visible", lambda pool, access: list(pool.passages))
    result = run("--role", "intern", "--min-recall", "0")
    assert result.exit_code == 1
    assert "a chunk outside the filter or the role was returned" in result.stderr


def test_one_role(run: Run) -> None:
    found = json.loads(run("--role", "intern").stdout)
    assert {r["role"] for r in found["results"]} == {"intern"}
    assert {r["wanted"] for r in found["results"]} == {True, False}
    assert found["ok"]


def test_a_filter(run: Run) -> None:
    result = run("--dept", "sre", "--classification", "restricted", "--min-recall", "0")
    found = json.loads(result.stdout)
    assert {c["source"] for r in found["results"] for c in r["chunks"]} == {"runbook-deploy.md"}


def test_roles_without_a_file(run: Run, nucleo: Path) -> None:
    (nucleo / "roles.yaml").unlink()
    result = run("--quiet")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "29 of 29 golden questions name roles, and there is no roles.yaml in nucleo. Give --roles FILE" in (
        result.stderr
    )
    result = run("--no-roles")
    found = json.loads(result.stdout)
    assert (result.exit_code, len(found["results"]), found["stats"]["rolesTested"]) == (0, 29, False)
    assert "Roles not tested: 29 questions with roles" in run("--no-roles", "-f", "table").stdout


def test_two_files_of_roles(run: Run, nucleo: Path) -> None:
    shutil.copytree(nucleo, nucleo.parent / "other")
    result = run("other")
    assert result.exit_code == 2
    assert "there are several files of roles: nucleo/roles.yaml, other/roles.yaml. Give --roles FILE" in result.stderr


def test_a_single_file_has_no_roles_beside_it(run: Run, nucleo: Path) -> None:
    result = CliRunner().invoke(command, ["nucleo/golden-questions.json", "nucleo/politica-ferias.md"])
    assert result.exit_code == 2
    assert "name roles" in result.stderr


def test_roles_are_said_in_the_output(run: Run) -> None:
    stats = json.loads(run().stdout)["stats"]
    assert (stats["roles"], stats["rolesTested"], stats["role"]) == ("nucleo/roles.yaml", True, None)
    assert (stats["ranker"], stats["language"], stats["where"]) == ("tf-cosine", ["pt"], {})
    assert stats["options"] == {"maxSize": 480, "overlap": 80, "lengthFunction": "characters"}
    assert json.loads(run("--role", "sre", "--dept", "hr").stdout)["stats"]["role"] == "sre"


def test_a_file_of_roles_that_no_question_needs(run: Run, nucleo: Path) -> None:
    golden = nucleo / "one.json"
    golden.write_text('[{"question": "Quantos dias de ferias?", "source": "politica-ferias.md"}]')
    result = run("--roles", "nucleo/roles.yaml", golden="nucleo/one.json")
    assert "Note: no question names a role" in result.stderr
    assert "Note" not in run(golden="nucleo/one.json").stderr  # it only lies there


def test_the_golden_file_is_no_document(run: Run, nucleo: Path) -> None:
    lines = [json.dumps(q) for q in json.loads((nucleo / "golden-questions.json").read_text("utf-8"))["questions"]]
    (nucleo / "golden.txt").write_text("\n".join(lines), encoding="utf-8")
    found = json.loads(run(golden="nucleo/golden.txt").stdout)
    assert {c["source"] for r in found["results"] for c in r["chunks"]} <= {
        "politica-ferias.md",
        "faq-billing.md",
        "runbook-deploy.md",
    }


def test_json_lines_and_csv(run: Run) -> None:
    lines = [json.loads(line) for line in run("-f", "jsonl").stdout.splitlines()]
    assert len(lines) == 116
    assert lines[0].keys() >= {"id", "question", "role", "passed", "rank", "right", "chunks"}
    rows = list(csv.DictReader(io.StringIO(run("-f", "csv").stdout)))
    assert [row["id"] for row in rows] == [line["id"] for line in lines]
    assert {"spanRecall", "recall@1000", "problems"} <= rows[0].keys()


@pytest.mark.parametrize("name", ["out.txt", "out.json", "out.jsonl", "out.csv"])
def test_a_file_for_the_output(run: Run, name: str) -> None:
    assert run("-o", name).stdout == ""
    written = Path(name).read_text("utf-8")
    format = {"txt": "table"}.get(name[4:], name[4:])
    assert written == run("-f", format).stdout


def test_the_file_is_written_although_the_run_fails(run: Run) -> None:
    result = run("--top-k", "1", "-o", "out.json")
    assert result.exit_code == 1
    assert json.loads(Path("out.json").read_text("utf-8"))["ok"] is False


def test_the_audit(run: Run) -> None:
    run("--audit", "audit.jsonl")
    lines = [json.loads(line) for line in Path("audit.jsonl").read_text("utf-8").splitlines()]
    assert len(lines) == sum(1 for r in json.loads(run().stdout)["results"] if r["wanted"])
    assert lines[0].keys() >= {"question", "role", "id", "key", "hash", "score", "source", "start", "end", "found"}
    assert all(line["found"] for line in lines)


def test_budgets(run: Run) -> None:
    totals = json.loads(run("--budget", "100", "--budget", "50").stdout)["totals"]
    assert {"recall@100", "recall@50"} < totals.keys()
    assert "recall@1000" not in totals


# --- sweeps --------------------------------------------------------------------------------------


def test_a_sweep(run: Run) -> None:
    result = run("--sweep", "max_size=240,480", "--sweep", "strategy=recursive,markdown", "-f", "table")
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


def test_a_sweep_with_settings_that_cannot_be_used(run: Run) -> None:
    result = run("--sweep", "max_size=40,480", "--sweep", "overlap=0,80", "-s", "recursive", "-f", "table")
    assert result.exit_code == 0
    assert "#4 cannot be used: overlap must be smaller than max_size (40), got 80." in " ".join(result.stdout.split())
    failed = run("--sweep", "max_size=40,50", "--overlap", "80", "-s", "recursive")
    assert failed.exit_code == 2
    assert "None of the settings can be used." in failed.stderr


def test_a_sweep_in_other_formats(run: Run) -> None:
    arguments = ("--sweep", "max_size=240,480", "--sweep", "ranker=bm25,tf-cosine")
    data = json.loads(run(*arguments).stdout)
    assert data["rows"][0]["settings"] == data["best"]
    lines = [json.loads(line) for line in run(*arguments, "-f", "jsonl").stdout.splitlines()]
    assert lines == data["rows"]
    rows = list(csv.DictReader(io.StringIO(run(*arguments, "-f", "csv").stdout)))
    assert [row["verdict"] for row in rows] == [line["verdicts"]["recall"] for line in lines]
    assert {"max_size", "ranker", "recall.low", "difference.high"} < rows[0].keys()


def test_a_sweep_of_rankers_keeps_the_language(run: Run, nucleo: Path) -> None:
    (nucleo / "stop.json").write_text('[{"question": "para que ela", "text": "para"}]')  # nothing but stop words
    arguments = ("--sweep", "ranker=bm25,tf-cosine")
    for language, found in (("none", 1), ("pt", 0)):
        data = json.loads(run(*arguments, "--language", language, golden="nucleo/stop.json").stdout)
        assert [row["totals"]["recall"]["value"] for row in data["rows"]] == [found, found]


def test_a_sweep_fails_when_no_settings_find_enough(run: Run) -> None:
    result = run("--sweep", "max_size=40,60", "--overlap", "0", "-s", "recursive", "--min-recall", "0.9")
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
def test_wrong_usage(run: Run, arguments: tuple[str, ...], says: str) -> None:
    result = run(*arguments)
    assert result.exit_code == 2
    assert says in result.stderr
    assert result.stdout == ""


def test_a_golden_file_that_is_wrong(run: Run, nucleo: Path) -> None:
    (nucleo / "wrong.json").write_text('[{"question": "a", "sorce": "x"}]')
    result = run(golden="nucleo/wrong.json")
    assert result.exit_code == 2
    assert result.stderr.startswith(
        "Error: nucleo/wrong.json, question 1: there is no key 'sorce'. Did you mean 'source'?"
    )


def test_roles_in_the_golden_file_that_are_not_known(run: Run, nucleo: Path) -> None:
    (nucleo / "one.json").write_text('[{"question": "a", "source": "faq-billing.md", "roles": ["boss"]}]')
    result = run(golden="nucleo/one.json")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "names the role 'boss', which nucleo/roles.yaml does not have" in result.stderr


def test_quiet_hides_no_problem(run: Run, nucleo: Path) -> None:
    (nucleo / "faq-billing.md").unlink()
    result = run("-q", "-o", "out.json", "--min-recall", "0")
    assert result.exit_code == 1
    lines = result.stderr.splitlines()
    assert all(": faq-billing.md is not in the corpus" in line for line in lines[:5])
    assert lines[-2].startswith("and ")
    assert lines[-1].startswith("Error: a source that is named is not in the corpus")
    result = run("-q", "-o", "out.json", "--sweep", "max_size=240,480")
    assert (result.exit_code, ": faq-billing.md is not in the corpus" in result.stderr) == (1, True)


def test_a_forbidden_name_that_is_nowhere(run: Run, nucleo: Path) -> None:
    entry = {"question": "ferias", "source": "politica-ferias.md", "forbidden": ["faq-biling.md"]}
    (nucleo / "one.json").write_text(json.dumps([entry]))
    result = run(golden="nucleo/one.json")
    assert result.exit_code == 1
    assert "q1: faq-biling.md, forbidden, is not in the corpus; did you mean 'faq-billing.md'?" in result.stderr


def test_a_file_has_no_colours(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    run("-o", "out.txt")
    assert "\x1b" not in Path("out.txt").read_text("utf-8")


def test_csv_with_carriage_returns(run: Run, nucleo: Path) -> None:
    entry = {"question": "ferias\rdias", "source": "politica-ferias.md", "id": "a\rb", "group": "x,y"}
    (nucleo / "one.json").write_text(json.dumps([entry]))
    run("-f", "csv", "-o", "out.csv", golden="nucleo/one.json")
    with Path("out.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(row["id"], row["question"], row["group"]) for row in rows] == [("a\rb", "ferias\rdias", "x,y")]


def test_leaks_and_settings_are_in_the_audit(run: Run, nucleo: Path) -> None:
    (nucleo / "roles.yaml").write_text('intern: "*"\nemployee: "*"\nhr_admin: "*"\nsre: "*"\n')
    run("--audit", "audit.jsonl", "--min-recall", "0", "--dept", "hr", "--dept", "sre", "-n", "300")
    lines = [json.loads(line) for line in Path("audit.jsonl").read_text("utf-8").splitlines()]
    leaks = [line for line in lines if line["leak"]]
    assert leaks
    assert {line["wanted"] for line in leaks} == {False}
    assert any(line["source"] for line in leaks)
    for line in lines:
        assert line["where"] == {"dept": ["hr", "sre"]}
        assert (line["roles"], line["rolesTested"], line["ranker"]) == ("nucleo/roles.yaml", True, "tf-cosine")
        assert line["options"]["maxSize"] == 300
        assert {"strategies", "language"} <= line.keys()


def test_outputs_are_no_inputs(run: Run, nucleo: Path) -> None:
    before = (nucleo / "golden-questions.json").read_bytes()
    for option in ("-o", "--audit"):
        result = run(option, "nucleo/golden-questions.json")
        assert (result.exit_code, "is read and would be replaced" in result.stderr) == (2, True)
    assert (nucleo / "golden-questions.json").read_bytes() == before
    assert run("-o", "nucleo/result.json", "--audit", "nucleo/audit.jsonl").exit_code == 0
    assert json.loads(run().stdout)["stats"]["documents"] == 3


def test_control_characters_do_not_reach_the_terminal(run: Run, nucleo: Path) -> None:
    entries = [{"question": "\x1b[31mvermelho\x07", "source": "\x1b[2Jx.md", "id": "\x1b]0;t\x07"}]
    (nucleo / "odd.json").write_text(json.dumps(entries))
    result = run("-f", "table", golden="nucleo/odd.json")
    assert result.exit_code == 1
    assert not set("\x1b\x07") & set(result.output)


def test_any_string_is_written(run: Run, nucleo: Path) -> None:
    entries = [{"question": "\ud800 \u202e férias \u0000", "source": "\udfff.md"}]
    (nucleo / "odd.json").write_text(json.dumps(entries))
    for format in ("table", "json", "jsonl", "csv"):
        result = run("-f", format, "--audit", "a.jsonl", "-o", f"out.{format}", golden="nucleo/odd.json")
        assert result.exit_code == 1
        assert isinstance(result.exception, SystemExit)
        assert Path(f"out.{format}").stat().st_size > 0


def test_a_question_is_one_row_where_roles_fail_alike(run: Run) -> None:
    result = run("--top-k", "1", "-f", "table", "-o", "out.txt")
    assert result.exit_code == 1
    text = " ".join(Path("out.txt").read_text("utf-8").split())
    assert text.count("the right chunk is at rank") == text.count("employee, hr_admin, sre") > 0
