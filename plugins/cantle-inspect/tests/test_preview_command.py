"""`cantle preview`."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

NUCLEO = str(Path(__file__).parent.parent / "examples" / "nucleo")
FERIAS = "Quantos dias de ferias posso tirar este ano?"
DEPLOY = "Como faco deploy em staging?"


Run = Callable[..., Result]
Answer = Callable[..., dict[str, Any]]

pytestmark = pytest.mark.usefixtures("all_plugins")


def sources(found: dict[str, Any]) -> set[str]:
    return {chunk["source"] for chunk in found["chunks"]}


# -- the case ---------------------------------------------------------------------------------------


def test_the_question_of_the_case(preview_answer: Answer) -> None:
    found = preview_answer(NUCLEO, "--question", FERIAS)
    assert list(found) == ["question", "chunks", "stats"]
    best = found["chunks"][0]
    assert list(best)[:6] == ["id", "source", "dept", "classification", "score", "text"]
    assert best["id"].startswith("politica-ferias#")
    assert "30 dias corridos" in best["text"]
    assert (best["dept"], best["classification"]) == ("hr", "internal")
    assert len(found["chunks"]) == 5
    assert found["stats"]["documents"] == 3
    assert found["stats"]["leftOut"] == [{"source": "golden-questions.json", "reason": "it holds golden questions"}]
    assert found == preview_answer(NUCLEO, "-q", FERIAS, "--max-size", "480", "--overlap", "80")


def test_accents_make_no_difference(preview_answer: Answer) -> None:
    plain = preview_answer(NUCLEO, "-q", FERIAS, "--top-k", "50")["chunks"]
    for question in (FERIAS.replace("ferias", "férias"), FERIAS.replace("ferias", "fe\u0301rias"), FERIAS.upper()):
        assert preview_answer(NUCLEO, "-q", question, "--top-k", "50")["chunks"] == plain


def test_filters_of_the_case(preview_answer: Answer) -> None:
    found = preview_answer(NUCLEO, "-q", DEPLOY, "--dept", "sre", "--classification", "restricted")
    assert sources(found) == {"runbook-deploy.md"}
    assert found["stats"]["where"] == {"dept": ["sre"], "classification": ["restricted"]}
    assert sources(preview_answer(NUCLEO, "-q", DEPLOY, "--dept", "product", "--top-k", "99")) == {"faq-billing.md"}
    assert found["chunks"] == preview_answer(NUCLEO, "-q", DEPLOY, "--where", "dept=sre")["chunks"]
    both = preview_answer(NUCLEO, "-q", DEPLOY, "--dept", "product", "--where", "dept=hr", "--top-k", "99")
    assert sources(both) == {"faq-billing.md", "politica-ferias.md"}


@pytest.mark.parametrize(
    ("role", "expected"),
    [
        ("intern", {"faq-billing.md"}),
        ("employee", {"faq-billing.md", "politica-ferias.md"}),
        ("hr_admin", {"faq-billing.md", "politica-ferias.md"}),
        ("sre", {"faq-billing.md", "politica-ferias.md", "runbook-deploy.md"}),
    ],
)
def test_roles_of_the_case(preview_answer: Answer, role: str, expected: set[str]) -> None:
    found = preview_answer(NUCLEO, "-q", DEPLOY, "--role", role, "--top-k", "99")
    assert sources(found) == expected
    assert found["stats"]["role"] == role
    narrowed = preview_answer(NUCLEO, "-q", DEPLOY, "--role", role, "--dept", "sre", "--top-k", "99")
    assert sources(narrowed) == expected & {"runbook-deploy.md"}


def test_documents_without_required_keys_are_reported(run_preview: Run, preview_answer: Answer, tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("---\ndept: hr\nclassification: internal\nowner: people\n---\nférias", "utf-8")
    (tmp_path / "README.md").write_text("férias", "utf-8")
    result = run_preview(".", "-q", "ferias", "--require", "dept, classification", "--require", "owner")
    assert result.exit_code == 0
    assert result.stderr == "Left out: README.md: its metadata has no dept, classification, owner\n"
    found = json.loads(result.stdout)
    assert found["stats"]["leftOut"] == [
        {"source": "README.md", "reason": "its metadata has no dept, classification, owner"}
    ]
    assert found["chunks"][0]["owner"] == "people"
    assert sources(preview_answer(".", "-q", "ferias")) == {"a.md", "README.md"}


# -- options ----------------------------------------------------------------------------------------


def test_rankers_and_languages(preview_answer: Answer, tmp_path: Path) -> None:
    assert preview_answer(NUCLEO, "-q", FERIAS, "--ranker", "bm25")["stats"]["language"] == []
    stats = preview_answer(NUCLEO, "-q", FERIAS, "--ranker", "bm25", "--language", "pt", "--language", "en")["stats"]
    assert (stats["ranker"], stats["language"]) == ("bm25", ["pt", "en"])
    (tmp_path / "ranker_for_the_command.py").write_text("def last(texts):\n    return lambda q: range(len(texts))\n")
    found = preview_answer(NUCLEO, "-q", FERIAS, "--ranker", "ranker_for_the_command:last", "--top-k", "1")
    assert found["chunks"][0]["score"] == found["stats"]["totalChunks"] - 1
    assert found["stats"]["ranker"] == "ranker_for_the_command:last"


def test_strategies_and_sizes(preview_answer: Answer) -> None:
    stats = preview_answer(NUCLEO, "-q", FERIAS, "-s", "recursive", "-n", "200", "-l", "words")["stats"]
    assert stats["strategies"] == ["recursive"]
    assert stats["options"] == {"maxSize": 200, "lengthFunction": "words", "overlap": 33}
    words = preview_answer(NUCLEO, "-q", FERIAS, "--tokenizer", "words")["stats"]
    assert words["tokenizer"] == "words"
    assert words["tokensEstimate"] < preview_answer(NUCLEO, "-q", FERIAS)["stats"]["tokensEstimate"]


def test_scores_that_are_too_low(run_preview: Run, preview_answer: Answer) -> None:
    found = preview_answer(NUCLEO, "-q", FERIAS, "--min-score", "0.25", "--top-k", "99")
    assert found["chunks"]
    assert all(chunk["score"] >= 0.25 for chunk in found["chunks"])
    result = run_preview(NUCLEO, "-q", FERIAS, "--min-score", "2")
    assert (result.exit_code, json.loads(result.stdout)["chunks"]) == (0, [])
    assert "Note: No chunk has a score that high." in result.stderr


def test_several_paths_and_a_file(preview_answer: Answer) -> None:
    names = ["politica-ferias.md", "faq-billing.md"]
    found = preview_answer(*(str(Path(NUCLEO, name)) for name in names), "-q", FERIAS, "--top-k", "99")
    assert sources(found) == {*names}
    assert found["stats"]["documents"] == 2


@pytest.mark.filterwarnings("default")
def test_how_files_are_read(run_preview: Run, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes("férias".encode("cp1252"))
    result = run_preview(".", "-q", "ferias")
    assert result.stderr.endswith("On the command line: --encoding cp1252.\n")
    result = run_preview(".", "-q", "ferias", "--encoding", "cp1252")
    assert (result.stderr, json.loads(result.stdout)["chunks"][0]["text"]) == ("", "férias")


# -- the table --------------------------------------------------------------------------------------


def test_the_table(run_preview: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    result = run_preview(
        NUCLEO, "-q", FERIAS, "-f", "table", "--top-k", "3", "--where", "owner=people@nucleodesk.example"
    )
    lines = result.stdout.splitlines()
    assert lines[0].split() == ["#", "score", "id", "dept", "classification", "owner", "text"]
    assert lines[1].split()[:5] == ["1", "0.360", "politica-ferias#1", "hr", "internal"]
    assert lines[-1].startswith("31 chunks of 3 documents, ")
    assert "tokens of text-embedding-3-small; 11 ranked by tf-cosine without stop words (pt)" in lines[-1]
    assert lines[-1].endswith("cut by markdown, max_size 480 characters, overlap 80")


def test_the_table_says_what_a_score_of_zero_is(run_preview: Run) -> None:
    shown = run_preview(NUCLEO, "-q", "kubectl", "-f", "table", "--dept", "hr").stdout
    assert "A score of 0: no word of the question is in the chunk." in shown
    assert "A score of 0" not in run_preview(NUCLEO, "-q", "kubectl", "-f", "table", "--top-k", "1").stdout


def test_words_of_the_question_are_marked_and_come_into_view() -> None:
    from cantle_inspect.commands.hits import SHOWN, excerpt

    shown = excerpt("As fe\u0301rias são suas. " + "x " * 30, {"ferias"})
    assert [shown.plain[span.start : span.end] for span in shown.spans] == ["férias"]
    far = excerpt("começo " * 100 + "das FÉRIAS " + "fim " * 100, {"ferias"})
    assert [far.plain[span.start : span.end] for span in far.spans] == ["FÉRIAS"]
    assert far.plain.startswith("… ")
    assert far.plain.endswith(" …")
    assert len(far.plain) <= SHOWN + 4
    assert excerpt("a" * 100_000 + " ferias", {"ferias"}).plain.endswith(" …")
    assert excerpt("", {"ferias"}).plain == ""
    assert excerpt("東京都", {"東京"}).spans
    assert "\x1b" not in excerpt("\x1b[31mred\x00", set()).plain


def test_control_characters_do_not_reach_the_terminal(run_preview: Run, tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text('---\ndept: "\\e[31m"\n---\n\x1b[31mférias\x07 [bold]x[/bold]', "utf-8")
    result = run_preview(".", "-q", "ferias \x1b[0m", "-f", "table", "--where", "x=\x1b[1m")
    assert result.exit_code == 0
    result = run_preview(".", "-q", "ferias", "-f", "table")
    assert "\x1b" not in result.stdout + result.stderr
    assert "[bold]x[/bold]" in result.stdout


# -- nothing to show --------------------------------------------------------------------------------


def test_an_empty_answer_is_an_answer_and_says_why(run_preview: Run) -> None:
    result = run_preview(NUCLEO, "-q", FERIAS, "--dept", "rh")
    assert result.exit_code == 0
    assert json.loads(result.stdout)["chunks"] == []
    assert json.loads(result.stdout)["stats"]["rankedChunks"] == 0
    assert (
        "No chunk may be seen with these filters. No document has dept=rh. There are: hr, product, sre."
        in result.stderr
    )
    result = run_preview(NUCLEO, "-q", "o que é?", "-f", "table")
    assert "Note: The question has no word to look for" in result.stderr


def test_no_document_at_all_is_a_failure(run_preview: Run, tmp_path: Path) -> None:
    result = run_preview(".", "-q", "x")
    assert (result.exit_code, result.stdout) == (1, "")
    assert "There is no document in ." in result.stderr
    (tmp_path / "a.md").write_text("x", "utf-8")
    result = run_preview(".", "-q", "x", "--require", "dept")
    assert (result.exit_code, result.stdout) == (1, "")
    assert "a.md: its metadata has no dept" in result.stderr
    result = run_preview(".", "-q", "x", "-s", "json")
    assert (result.exit_code, result.stdout) == (1, "")
    assert "Left out: a.md: " in result.stderr
    assert "None of the documents in . could be cut" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "Missing option '-q' / '--question'"),
        (["-q", "  "], "it is empty"),
        (["-q", "x", "--where", "dept"], "'dept' is no KEY=VALUE"),
        (["-q", "x", "--where", "=hr"], "'=hr' is no KEY=VALUE"),
        (["-q", "x", "--dept", ""], "'dept=' is no KEY=VALUE"),
        (["-q", "x", "--require", "dept,,owner"], "a key is empty"),
        (["-q", "x", "--role", "boss"], "has no role 'boss'. Known: intern, employee, hr_admin, sre."),
        (["-q", "x", "--roles", "nothing.yaml", "--role", "x"], "does not exist"),
        (["-q", "x", "--ranker", "bm52"], "No ranker is named 'bm52'"),
        (["-q", "x", "--language", "fr"], "language must be one of"),
        (["-q", "x", "--ranker", "math:sqrt", "--language", "pt"], "leaves out words by itself"),
        (["-q", "x", "--top-k", "0"], "0 is not in the range"),
        (["-q", "x", "-s", "nothing"], "No chunking strategy is named 'nothing'"),
        (["-q", "x", "-n", "0"], "max_size"),
        (["-q", "x", "--tokenizer", "gpt-99"], "No length function is named 'gpt-99'"),
        (["-q", "x", "--audit", "-"], "--audit needs the name of a file"),
        (["-q", "x", "--audit", str(Path(NUCLEO, "faq-billing.md"))], "and would be replaced"),
    ],
)
def test_wrong_usage(run_preview: Run, arguments: list[str], message: str) -> None:
    result = run_preview(NUCLEO, *arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert message in result.stderr
    assert Path(NUCLEO, "faq-billing.md").stat().st_size > 3000


# -- roles files ------------------------------------------------------------------------------------


def test_files_of_roles(run_preview: Run, preview_answer: Answer, tmp_path: Path) -> None:
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / f"{folder}.md").write_text("---\ndept: hr\n---\nférias", "utf-8")
    result = run_preview("a", "b", "-q", "x", "--role", "r")
    assert result.exit_code == 2
    assert "There is no roles.yaml in a, b: give --roles FILE" in result.stderr
    (tmp_path / "a" / "roles.yaml").write_text("r: {dept: hr}", "utf-8")
    assert sources(preview_answer("a", "b", "-q", "ferias", "--role", "r")) == {"a.md", "b.md"}
    (tmp_path / "b" / "roles.yaml").write_text("r: {}", "utf-8")
    result = run_preview("a", "b", "-q", "x", "--role", "r")
    assert result.exit_code == 2
    assert "There are several files of roles: " in result.stderr
    assert sources(preview_answer("a", "b", "-q", "ferias")) == {"a.md", "b.md"}
    result = run_preview("a", "b", "-q", "x", "--role", "r", "--roles", "b/roles.yaml")
    assert result.exit_code == 2
    assert "role 'r' has an empty rule" in result.stderr
    (tmp_path / "a" / "who.json").write_text('{"r": {"dept": "x"}}', "utf-8")
    found = preview_answer("a", "-q", "ferias", "--role", "r", "--roles", "a/who.json")
    assert (found["chunks"], found["stats"]["documents"]) == ([], 1)


# -- audit ------------------------------------------------------------------------------------------


def test_the_audit_line(run_preview: Run, preview_answer: Answer, tmp_path: Path) -> None:
    Path("audit.jsonl").write_text("old\n", "utf-8")
    best = preview_answer(NUCLEO, "-q", FERIAS, "--role", "employee", "--audit", "audit.jsonl")["chunks"][0]
    (line,) = Path("audit.jsonl").read_text("utf-8").splitlines()
    record = json.loads(line)
    assert (record["question"], record["role"], record["where"]) == (FERIAS, "employee", {})
    for key in ("id", "key", "hash", "source", "start", "end", "score"):
        assert record[key] == best[key]
    assert len(record["config"]) == 16
    assert list(tmp_path.iterdir()) == [tmp_path / "audit.jsonl"]
    result = run_preview(NUCLEO, "-q", FERIAS, "--audit", "no/such/folder.jsonl")
    assert (result.exit_code, result.stdout) == (2, "")


# -- processes --------------------------------------------------------------------------------------


def test_the_help_imports_nothing_heavy() -> None:
    code = (
        "import sys\nfrom cantle.cli import cli\n"
        "try:\n    cli(['preview', '--help'], prog_name='cantle')\n"
        "except SystemExit:\n    pass\n"
        "print([m for m in ('numpy', 'bm25s', 'genai_prices', 'yaml') if m in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, encoding="utf-8", timeout=60)
    assert done.stderr.splitlines()[-1] == "[]"
    assert "Examples:" in done.stdout


def test_it_is_the_same_whatever_the_hash_seed(tmp_path: Path) -> None:
    outputs = set()
    for seed in ("1", "2"):
        command = [
            sys.executable,
            "-m",
            "cantle",
            "preview",
            NUCLEO,
            "-q",
            FERIAS,
            "--ranker",
            "bm25",
            "--language",
            "all",
        ]
        done = subprocess.run(command, capture_output=True, timeout=60, env={"PYTHONHASHSEED": seed, "PYTHONUTF8": "1"})
        assert done.returncode == 0
        outputs.add(done.stdout)
    assert len(outputs) == 1
