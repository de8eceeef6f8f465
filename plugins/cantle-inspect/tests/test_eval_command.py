"""`cantle eval` with one setting: what it prints, where to, and with which exit code."""

from __future__ import annotations

import csv
import io
import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from cantle_inspect import Pool
from cantle_inspect.commands.eval import command

Run = Callable[..., Result]


def test_the_example_passes(run_eval: Run) -> None:
    result = run_eval("-f", "table")
    assert (result.exit_code, result.stderr) == (0, "")
    assert "recall@3" in result.stdout
    assert "29 questions, asked 116 times for their roles: all passed." in result.stdout
    assert "Problems: leaks 0, outside the filter 0" in result.stdout


def test_json_in_a_pipe(run_eval: Run) -> None:
    found = json.loads(run_eval().stdout)
    assert found["ok"] is True
    assert found["totals"]["recall"]["value"] == 1
    assert len(found["results"]) == 116


@pytest.mark.parametrize("name", ["politica-ferias.md", "faq-billing.md", "runbook-deploy.md"])
def test_a_document_that_is_removed_fails_the_run(run_eval: Run, nucleo: Path, name: str) -> None:
    (nucleo / name).unlink()
    result = run_eval("-f", "table")
    assert result.exit_code == 1
    assert f"{name} is not in" in " ".join(result.stdout.split())
    assert "Error: recall@3 is 0." in result.stderr
    assert "a source that is named is not in the corpus" in result.stderr


def test_a_document_that_is_left_out_fails_the_run(run_eval: Run, nucleo: Path) -> None:
    path = nucleo / "runbook-deploy.md"
    path.write_text(path.read_text("utf-8").replace("classification:", "klass:"), encoding="utf-8")
    result = run_eval("-f", "table", "--require", "dept,classification", "--min-recall", "0")
    assert result.exit_code == 1
    assert "Left out: runbook-deploy.md: its metadata has no classification" in result.stderr
    assert "was left out: its metadata has no classification" in " ".join(result.stdout.split())


def test_least_recall(run_eval: Run) -> None:
    assert run_eval("--top-k", "1").exit_code == 1
    assert run_eval("--top-k", "1", "--min-recall", "0.9").exit_code == 0
    assert run_eval("--top-k", "1", "--min-recall", "0").exit_code == 0
    result = run_eval("--min-mrr", "1")
    assert (result.exit_code, result.stderr.startswith("Error: MRR is 0.9")) == (1, True)


def test_failed_questions_are_shown_with_the_reason(run_eval: Run) -> None:
    result = run_eval("--top-k", "1", "-f", "table")
    assert "found instead" in result.stdout
    assert "the right chunk is at rank" in " ".join(result.stdout.split())


def test_a_leak_fails_the_run(run_eval: Run, nucleo: Path) -> None:
    (nucleo / "roles.yaml").write_text('intern: "*"\nemployee: "*"\nhr_admin: "*"\nsre: "*"\n')
    result = run_eval("--min-recall", "0", "-f", "table")
    assert result.exit_code == 1
    assert "a role may see what it should not" in result.stderr
    text = " ".join(result.stdout.split())
    assert "the role intern may see runbook-deploy.md, and it got runbook-deploy#" in text


def test_a_chunk_outside_the_filter_fails_the_run(run_eval: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Pool, "visible", lambda pool, access: list(pool.passages))
    result = run_eval("--role", "intern", "--min-recall", "0")
    assert result.exit_code == 1
    assert "a chunk outside the filter or the role was returned" in result.stderr


def test_one_role(run_eval: Run) -> None:
    found = json.loads(run_eval("--role", "intern").stdout)
    assert {r["role"] for r in found["results"]} == {"intern"}
    assert {r["wanted"] for r in found["results"]} == {True, False}
    assert found["ok"]


def test_a_filter(run_eval: Run) -> None:
    result = run_eval("--dept", "sre", "--classification", "restricted", "--min-recall", "0")
    found = json.loads(result.stdout)
    assert {c["source"] for r in found["results"] for c in r["chunks"]} == {"runbook-deploy.md"}


def test_roles_without_a_file(run_eval: Run, nucleo: Path) -> None:
    (nucleo / "roles.yaml").unlink()
    result = run_eval("--quiet")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "29 of 29 golden questions name roles, and there is no roles.yaml in nucleo. Give --roles FILE" in (
        result.stderr
    )
    result = run_eval("--no-roles")
    found = json.loads(result.stdout)
    assert (result.exit_code, len(found["results"]), found["stats"]["rolesTested"]) == (0, 29, False)
    assert "Roles not tested: 29 questions with roles" in run_eval("--no-roles", "-f", "table").stdout


def test_two_files_of_roles(run_eval: Run, nucleo: Path) -> None:
    shutil.copytree(nucleo, nucleo.parent / "other")
    result = run_eval("other")
    assert result.exit_code == 2
    assert "there are several files of roles: nucleo/roles.yaml, other/roles.yaml. Give --roles FILE" in result.stderr


def test_a_single_file_has_no_roles_beside_it(run_eval: Run, nucleo: Path) -> None:
    result = CliRunner().invoke(command, ["nucleo/golden-questions.json", "nucleo/politica-ferias.md"])
    assert result.exit_code == 2
    assert "name roles" in result.stderr


def test_roles_are_said_in_the_output(run_eval: Run) -> None:
    stats = json.loads(run_eval().stdout)["stats"]
    assert (stats["roles"], stats["rolesTested"], stats["role"]) == ("nucleo/roles.yaml", True, None)
    assert (stats["ranker"], stats["language"], stats["where"]) == ("tf-cosine", ["pt"], {})
    assert stats["options"] == {"maxSize": 480, "overlap": 80, "lengthFunction": "characters"}
    assert json.loads(run_eval("--role", "sre", "--dept", "hr").stdout)["stats"]["role"] == "sre"


def test_a_file_of_roles_that_no_question_needs(run_eval: Run, nucleo: Path) -> None:
    golden = nucleo / "one.json"
    golden.write_text('[{"question": "Quantos dias de ferias?", "source": "politica-ferias.md"}]')
    result = run_eval("--roles", "nucleo/roles.yaml", golden="nucleo/one.json")
    assert "Note: no question names a role" in result.stderr
    assert "Note" not in run_eval(golden="nucleo/one.json").stderr  # it only lies there


def test_the_golden_file_is_no_document(run_eval: Run, nucleo: Path) -> None:
    lines = [json.dumps(q) for q in json.loads((nucleo / "golden-questions.json").read_text("utf-8"))["questions"]]
    (nucleo / "golden.txt").write_text("\n".join(lines), encoding="utf-8")
    found = json.loads(run_eval(golden="nucleo/golden.txt").stdout)
    assert {c["source"] for r in found["results"] for c in r["chunks"]} <= {
        "politica-ferias.md",
        "faq-billing.md",
        "runbook-deploy.md",
    }


def test_json_lines_and_csv(run_eval: Run) -> None:
    lines = [json.loads(line) for line in run_eval("-f", "jsonl").stdout.splitlines()]
    assert len(lines) == 116
    assert lines[0].keys() >= {"id", "question", "role", "passed", "rank", "right", "chunks"}
    rows = list(csv.DictReader(io.StringIO(run_eval("-f", "csv").stdout)))
    assert [row["id"] for row in rows] == [line["id"] for line in lines]
    assert {"spanRecall", "recall@1000", "problems"} <= rows[0].keys()


@pytest.mark.parametrize("name", ["out.txt", "out.json", "out.jsonl", "out.csv"])
def test_a_file_for_the_output(run_eval: Run, name: str) -> None:
    assert run_eval("-o", name).stdout == ""
    written = Path(name).read_text("utf-8")
    format = {"txt": "table"}.get(name[4:], name[4:])
    assert written == run_eval("-f", format).stdout


def test_the_file_is_written_although_the_run_fails(run_eval: Run) -> None:
    result = run_eval("--top-k", "1", "-o", "out.json")
    assert result.exit_code == 1
    assert json.loads(Path("out.json").read_text("utf-8"))["ok"] is False


def test_the_audit(run_eval: Run) -> None:
    run_eval("--audit", "audit.jsonl")
    lines = [json.loads(line) for line in Path("audit.jsonl").read_text("utf-8").splitlines()]
    assert len(lines) == sum(1 for r in json.loads(run_eval().stdout)["results"] if r["wanted"])
    assert lines[0].keys() >= {"question", "role", "id", "key", "hash", "score", "source", "start", "end", "found"}
    assert all(line["found"] for line in lines)


def test_budgets(run_eval: Run) -> None:
    totals = json.loads(run_eval("--budget", "100", "--budget", "50").stdout)["totals"]
    assert {"recall@100", "recall@50"} < totals.keys()
    assert "recall@1000" not in totals


def test_quiet_hides_no_problem(run_eval: Run, nucleo: Path) -> None:
    (nucleo / "faq-billing.md").unlink()
    result = run_eval("-q", "-o", "out.json", "--min-recall", "0")
    assert result.exit_code == 1
    lines = result.stderr.splitlines()
    assert all(": faq-billing.md is not in the corpus" in line for line in lines[:5])
    assert lines[-2].startswith("and ")
    assert lines[-1].startswith("Error: a source that is named is not in the corpus")
    result = run_eval("-q", "-o", "out.json", "--sweep", "max_size=240,480")
    assert (result.exit_code, ": faq-billing.md is not in the corpus" in result.stderr) == (1, True)


def test_a_forbidden_name_that_is_nowhere(run_eval: Run, nucleo: Path) -> None:
    entry = {"question": "ferias", "source": "politica-ferias.md", "forbidden": ["faq-biling.md"]}
    (nucleo / "one.json").write_text(json.dumps([entry]))
    result = run_eval(golden="nucleo/one.json")
    assert result.exit_code == 1
    assert "q1: faq-biling.md, forbidden, is not in the corpus; did you mean 'faq-billing.md'?" in result.stderr


def test_a_file_has_no_colours(run_eval: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    run_eval("-o", "out.txt")
    assert "\x1b" not in Path("out.txt").read_text("utf-8")


def test_csv_with_carriage_returns(run_eval: Run, nucleo: Path) -> None:
    entry = {"question": "ferias\rdias", "source": "politica-ferias.md", "id": "a\rb", "group": "x,y"}
    (nucleo / "one.json").write_text(json.dumps([entry]))
    run_eval("-f", "csv", "-o", "out.csv", golden="nucleo/one.json")
    with Path("out.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(row["id"], row["question"], row["group"]) for row in rows] == [("a\rb", "ferias\rdias", "x,y")]


def test_leaks_and_settings_are_in_the_audit(run_eval: Run, nucleo: Path) -> None:
    (nucleo / "roles.yaml").write_text('intern: "*"\nemployee: "*"\nhr_admin: "*"\nsre: "*"\n')
    run_eval("--audit", "audit.jsonl", "--min-recall", "0", "--dept", "hr", "--dept", "sre", "-n", "300")
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


def test_control_characters_do_not_reach_the_terminal(run_eval: Run, nucleo: Path) -> None:
    entries = [{"question": "\x1b[31mvermelho\x07", "source": "\x1b[2Jx.md", "id": "\x1b]0;t\x07"}]
    (nucleo / "odd.json").write_text(json.dumps(entries))
    result = run_eval("-f", "table", golden="nucleo/odd.json")
    assert result.exit_code == 1
    assert not set("\x1b\x07") & set(result.output)


def test_any_string_is_written(run_eval: Run, nucleo: Path) -> None:
    entries = [{"question": "\ud800 \u202e férias \u0000", "source": "\udfff.md"}]
    (nucleo / "odd.json").write_text(json.dumps(entries))
    for format in ("table", "json", "jsonl", "csv"):
        result = run_eval("-f", format, "--audit", "a.jsonl", "-o", f"out.{format}", golden="nucleo/odd.json")
        assert result.exit_code == 1
        assert isinstance(result.exception, SystemExit)
        assert Path(f"out.{format}").stat().st_size > 0


def test_a_question_is_one_row_where_roles_fail_alike(run_eval: Run) -> None:
    result = run_eval("--top-k", "1", "-f", "table", "-o", "out.txt")
    assert result.exit_code == 1
    text = " ".join(Path("out.txt").read_text("utf-8").split())
    assert text.count("the right chunk is at rank") == text.count("employee, hr_admin, sre") > 0
