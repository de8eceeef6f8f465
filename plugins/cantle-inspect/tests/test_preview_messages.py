"""What `cantle preview` says besides the answer, which options go where, completion, encodings."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.shell_completion import ShellComplete
from click.testing import Result

from cantle.cli import cli

NUCLEO = str(Path(__file__).parent.parent / "examples" / "nucleo")
FERIAS = "Quantos dias de ferias posso tirar este ano?"


Run = Callable[..., Result]
Answer = Callable[..., dict[str, Any]]

pytestmark = pytest.mark.usefixtures("all_plugins")


# -- notes about filters ----------------------------------------------------------------------------


@pytest.fixture
def departments(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("---\ndept: hr\n---\nplan", "utf-8")
    (tmp_path / "b.md").write_text("---\ndept: board\nsecret: merger\n---\nplan", "utf-8")
    (tmp_path / "c.json").write_text('{"plan": 1}', "utf-8")
    (tmp_path / "d.html").write_text("<p>plan</p>", "utf-8")
    (tmp_path / "roles.yaml").write_text("hr: {dept: hr}\nall: '*'\n", "utf-8")


@pytest.fixture
def noted(run_preview: Run) -> Callable[..., list[str]]:
    def call(*arguments: str) -> list[str]:
        result = run_preview(".", "-q", "plan", *arguments)
        assert result.exit_code == 0, result.stderr
        return [line.removeprefix("Note: ") for line in result.stderr.splitlines() if line.startswith("Note: ")]

    return call


@pytest.mark.usefixtures("departments")
def test_a_key_of_a_role_that_no_document_has_is_named(noted: Callable[..., list[str]], tmp_path: Path) -> None:
    (tmp_path / "typo.yaml").write_text("hr: {dpt: hr}\n", "utf-8")
    (note,) = noted("--role", "hr", "--roles", "typo.yaml")
    assert note.endswith("The rules of the role 'hr' name 'dpt', which no document has.")


@pytest.mark.usefixtures("departments")
def test_notes_name_only_what_the_role_may_see(noted: Callable[..., list[str]]) -> None:
    """Neither values nor keys nor names of documents that it may not see."""
    empty = "No chunk may be seen with these filters."
    assert noted("--role", "hr", "--dept", "sre") == [f"{empty} No document has dept=sre. There are: hr."]
    assert noted("--role", "hr", "--where", "dpt=sre") == [f"{empty} No document has 'dpt'. Keys there are: dept."]
    assert noted("--role", "all", "--where", "dpt=sre") == [
        f"{empty} No document has 'dpt'. Keys there are: dept, secret."
    ]


@pytest.mark.usefixtures("departments")
def test_documents_without_the_key_of_a_filter_are_counted(noted: Callable[..., list[str]]) -> None:
    assert noted("--dept", "hr") == ["2 documents have no dept and are left out: c.json, d.html."]
    assert noted("--where", "secret=merger") == ["3 documents have no secret and are left out: a.md, c.json, d.html."]
    assert noted("--role", "hr", "--dept", "hr") == []
    assert noted() == []


@pytest.mark.usefixtures("departments")
def test_several_values_in_one_are_explained(noted: Callable[..., list[str]]) -> None:
    assert noted("--dept", "hr, product")[0] == (
        "No chunk may be seen with these filters. No document has dept=hr, product. There are: board, hr. "
        "'hr, product' is one value; for several: --where dept=hr --where dept=product."
    )


@pytest.mark.usefixtures("departments")
def test_roles_need_a_role_here(run_preview: Run) -> None:
    result = run_preview(".", "-q", "plan", "--roles", "roles.yaml")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "Error: --roles says what roles may see; name one with --role.\n" in result.stderr


def test_many_files_left_out_for_one_reason_are_one_line(run_preview: Run, tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("plan", "utf-8")
    for number in range(12):
        (tmp_path / f"{number:02}.ps").write_bytes(b"%!PS")
    (tmp_path / "x.djvu").write_bytes(b"PK")
    result = run_preview(".", "-q", "plan")
    assert result.stderr.splitlines() == [
        "Left out: 12 files (00.ps, 01.ps, 02.ps, ...): no installed plugin reads .ps files",
        "Left out: x.djvu: no installed plugin reads .djvu files",
    ]
    assert len(json.loads(result.stdout)["stats"]["leftOut"]) == 13


def test_models_of_other_vendors_are_estimated(run_preview: Run, preview_answer: Answer) -> None:
    result = run_preview(NUCLEO, "-q", FERIAS, "--model", "voyage-3", "-f", "table")
    assert result.exit_code == 0
    assert "Note: The tokenizer of voyage-3 is not known here: tokens are counted with cl100k_base" in result.stderr
    assert "tokens of voyage-3, estimated by cl100k_base;" in result.stdout
    assert (
        preview_answer(NUCLEO, "-q", FERIAS, "--model", "openai:text-embedding-3-large")["stats"]["isEstimated"]
        is False
    )


# -- kinds side by side -----------------------------------------------------------------------------


def test_options_go_to_the_kinds_that_use_them(run_preview: Run, tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("# Plan\n\n" + "word " * 60, "utf-8")
    (tmp_path / "b.json").write_text('{"plan": 1}', "utf-8")
    result = run_preview(".", "-q", "plan", "--overlap", "20", "-n", "100", "-O", "strip_headers=true")
    assert (result.exit_code, result.stderr) == (0, "")
    stats = json.loads(result.stdout)["stats"]
    assert stats["strategies"] == ["markdown", "json"]
    assert stats["options"] == {
        "maxSize": 100,
        "overlap": 20,
        "lengthFunction": "characters",
        "stripHeaders": True,
    }


@pytest.mark.filterwarnings("default")
def test_options_that_no_document_uses_are_told_once(run_preview: Run, tmp_path: Path) -> None:
    for name in "abc":
        (tmp_path / f"{name}.json").write_text('{"plan": 1}', "utf-8")
    unused = "Warning: overlap has no effect with strategy 'json'; leave it out.\n"
    assert run_preview(".", "-q", "plan", "--overlap", "20").stderr == unused
    assert run_preview(".", "-q", "plan", "--overlap", "20", "-s", "json").stderr == unused
    wrong = run_preview(".", "-q", "plan", "-O", "no_such=1")
    assert (wrong.exit_code, wrong.stdout) == (2, "")
    assert "no_such" in wrong.stderr


def test_units_are_named(run_preview: Run, preview_answer: Answer, tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("plan " * 60, "utf-8")
    for options, said in [
        ((), "cut by markdown, max_size 480 characters, overlap 80"),
        (("-l", "words", "-n", "20"), "cut by markdown, max_size 20 words, overlap 3"),
        (("-s", "token", "-n", "20"), "cut by token, max_size 20 tokens (cl100k_base), overlap 3"),
    ]:
        assert said in run_preview(".", "-q", "plan", "-f", "table", *options).stdout
    stats = preview_answer(".", "-q", "plan", "-s", "token", "-n", "20")["stats"]
    assert stats["options"] == {"maxSize": 20, "overlap": 3, "lengthFunction": "cl100k_base"}


# -- completion -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("before", "begun", "expected"),
    [
        ([NUCLEO, "--role"], "", ["intern", "employee", "hr_admin", "sre"]),
        (["--roles", str(Path(NUCLEO, "roles.yaml")), "docs", "--role"], "e", ["employee"]),
        (["nowhere", "--role"], "", []),
        (["--roles", "broken.yaml", "--role"], "", []),
        (["--ranker"], "", ["tf-cosine", "bm25"]),
        (["--language"], "a", ["auto", "all"]),
    ],
)
def test_the_shell_completes_names(before: list[str], begun: str, expected: list[str]) -> None:
    Path("broken.yaml").write_text("a: [", "utf-8")
    complete = ShellComplete(cli, {}, "cantle", "_CANTLE_COMPLETE")
    assert [item.value for item in complete.get_completions(["preview", *before], begun)] == expected


# -- terminals --------------------------------------------------------------------------------------


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp1252", "utf-8"])
def test_tables_are_utf8_whatever_standard_output_is(encoding: str) -> None:
    def said(*arguments: str) -> str:
        command = [sys.executable, "-m", "cantle", "preview", NUCLEO, "-f", "table", *arguments]
        env = {**os.environ, "PYTHONIOENCODING": encoding, "PYTHONUTF8": "0"}
        done = subprocess.run(command, check=True, capture_output=True, env=env)
        return done.stdout.decode("utf-8")

    assert "férias" in said("-q", FERIAS)
    assert "0 ranked for role" in said("-q", "日本", "--role", "intern", "--dept", "日本")
