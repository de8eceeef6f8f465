"""`cantle cost`."""

from __future__ import annotations

import csv
import io
import json
import os
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from cantle.cli import cli
from cantle_inspect import Cutting, cost, read_corpus
from cantle_inspect.costs.prices import price_of

NUCLEO = str(Path(__file__).parent.parent / "examples" / "nucleo")
BRL = ("--currency", "BRL", "--rate", "5.0")


@pytest.fixture(autouse=True)
def _all_plugins(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("CANTLE_PLUGINS", raising=False)
    monkeypatch.chdir(tmp_path)


def run(*arguments: str, **env: str) -> Result:
    return CliRunner(env=env).invoke(cli, ["cost", *arguments], prog_name="cantle")


def answer(*arguments: str) -> dict[str, Any]:
    result = run(*arguments)
    assert result.exit_code == 0, result.stderr
    found: dict[str, Any] = json.loads(result.stdout)
    return found


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


# -- what is written ----------------------------------------------------------------------------------


def test_json_is_what_python_gives() -> None:
    found = answer(NUCLEO, *BRL, "-n", "300", "--overlap", "40", "--require", "dept,classification")
    cutting = Cutting(options={"max_size": 300, "overlap": 40})
    corpus = read_corpus(NUCLEO, require=["dept", "classification"])
    assert found == cost(corpus, currency="BRL", rate="5.0", cutting=cutting).to_dict()
    assert found["currency"] == "BRL"
    assert found["totalCost"] == pytest.approx(found["stats"]["tokensEstimate"] * 0.1 / 1_000_000)
    assert {document["source"] for document in found["documents"]} == {
        "faq-billing.md",
        "politica-ferias.md",
        "runbook-deploy.md",
    }


def test_the_table() -> None:
    result = run(NUCLEO, *BRL, "-f", "table", COLUMNS="100")
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert lines[0].split() == ["document", "chunks", "tokens", "BRL"]
    total = next(line for line in lines if line.startswith("total")).split()
    found = answer(NUCLEO, *BRL)
    assert total[1:3] == [str(found["stats"]["totalChunks"]), f"{found['stats']['tokensEstimate']:,}"]
    assert total[3:] == [f"{found['totalCost']:.2g}"]
    text = result.stdout
    assert "4 a year, everything again" in text
    assert "4 a year, changed chunks only" in text
    price = price_of("text-embedding-3-small")
    assert price is not None
    said = f"Price: openai:text-embedding-3-small, {price.per_million} US dollars for a million tokens, "
    assert f"{said}5 BRL for one US dollar." in text
    assert "Changed by one more sentence in each document, itself counted too: " in text
    assert all(len(line) <= 100 for line in lines[: lines.index("")])


def test_the_table_of_many_documents_shows_the_largest(tmp_path: Path) -> None:
    for n in range(40):
        write(tmp_path / "docs" / f"{n:02}.txt", "Some words here. " * (n + 1))
    text = run("docs", "-f", "table", "--reindex", "0").stdout
    rows = [line.split() for line in text.split("\n\n")[0].splitlines()[1:]]
    assert [row[0] for row in rows[:2]] == ["39.txt", "38.txt"]
    assert len(rows) == 32
    assert rows[30][:2] == ["(10", "others)"]
    numbers = [int(row[2].replace(",", "")) for row in rows[:30]]
    assert numbers == sorted(numbers, reverse=True)


def test_csv_has_a_row_for_each_document() -> None:
    result = run(NUCLEO, *BRL, "-f", "csv")
    rows = list(csv.DictReader(io.StringIO(result.stdout)))
    found = answer(NUCLEO, *BRL)
    for row, document in zip(rows, found["documents"], strict=True):
        assert row["source"] == document["source"]
        assert int(row["tokens"]) == document["tokens"]
        assert int(row["changedTokens"]) == document["changedTokens"]
        assert float(row["cost"]) == document["cost"]
        assert "e" not in row["cost"]
        assert (row["currency"], row["model"]) == ("BRL", "text-embedding-3-small")


@pytest.mark.parametrize(
    ("name", "begin"),
    [("c.json", '{\n  "model"'), ("c.csv", "source,chunks"), ("c.txt", "document"), ("c", '{\n  "model"')],
)
def test_the_suffix_of_the_output_gives_the_format(name: str, begin: str) -> None:
    result = run(NUCLEO, "-o", name, "-q")
    assert (result.exit_code, result.output) == (0, "")
    assert Path(name).read_text(encoding="utf-8").startswith(begin)


def test_what_is_left_out_is_said(tmp_path: Path) -> None:
    write(tmp_path / "docs" / "a.md", "---\ndept: hr\n---\nOne.")
    write(tmp_path / "docs" / "b.md", "Two.")
    result = run("docs", "--require", "dept")
    assert result.stderr == "Left out: b.md: its metadata has no dept\n"
    found = json.loads(result.stdout)
    assert found["leftOut"] == [{"source": "b.md", "reason": "its metadata has no dept"}]
    assert [document["source"] for document in found["documents"]] == ["a.md"]
    assert run("docs", "--require", "dept", "-q").stderr == ""


def test_the_strategy_is_that_of_the_other_commands() -> None:
    plain = answer(NUCLEO)
    same = answer(NUCLEO, "-n", "480", "--overlap", "80")
    assert plain == same
    other = answer(NUCLEO, "-s", "structural-context", "-O", "prepend_heading=true")
    assert other["stats"]["prefixTokens"] > 0 == plain["stats"]["prefixTokens"]


def test_two_runs_write_the_same() -> None:
    assert run(NUCLEO, *BRL).stdout == run(NUCLEO, *BRL).stdout


# -- prices -------------------------------------------------------------------------------------------


def test_a_missing_price_is_said_and_is_no_error() -> None:
    result = run(NUCLEO, "--model", "text-embedding-4-small")
    assert result.exit_code == 0
    found = json.loads(result.stdout)
    assert (found["pricingMissing"], found["totalCost"], found["isEstimated"]) == (True, None, True)
    assert "openai:text-embedding-3-small" in found["knownModels"]
    assert "Note: no price is known for text-embedding-4-small. Known are, among others: " in result.stderr
    assert "Note: the tokenizer of text-embedding-4-small is not known here: tokens are counted with cl100k_base" in (
        result.stderr
    )
    table = run(NUCLEO, "--model", "text-embedding-4-small", "-f", "table", "-q").stdout
    assert next(line for line in table.splitlines() if line.startswith("total")).split()[-1] == "-"
    assert "Price:" not in table
    rows = csv.DictReader(io.StringIO(run(NUCLEO, "--model", "text-embedding-4-small", "-f", "csv", "-q").stdout))
    assert {row["cost"] for row in rows} == {""}


def test_a_price_of_one_s_own() -> None:
    found = answer(NUCLEO, "--model", "our-embedder", "--price", "0.5", "--discount", "0.5", "-t", "words")
    assert (found["pricingMissing"], found["isEstimated"], found["matchedPricingKey"]) == (False, False, None)
    assert found["pricePerMillion"] == 0.5
    assert found["totalCost"] == pytest.approx(found["inputCost"] / 2)


def test_a_chat_model_is_noted() -> None:
    assert "does not look like an embedding model" in run(NUCLEO, "--model", "gpt-4o").stderr


def test_an_indexing_that_costs_too_much_fails() -> None:
    assert run(NUCLEO, "--max-cost", "1").exit_code == 0
    result = run(NUCLEO, "--price", "1000", "--max-cost", "0.50", "-f", "csv")
    assert result.exit_code == 1
    assert result.stdout.startswith("source,")
    assert "Error: An indexing costs " in result.stderr
    assert "USD, more than 0.5." in result.stderr
    result = run(NUCLEO, "--model", "nothing", "--max-cost", "1", "-q")
    assert result.exit_code == 1
    assert "is not known: there is no price" in result.stderr


# -- changes ------------------------------------------------------------------------------------------


def test_since(tmp_path: Path) -> None:
    text = "Every employee has thirty days. Ask before you go away, please. " * 30
    write(tmp_path / "old" / "leave.txt", text)
    write(tmp_path / "new" / "leave.txt", text.replace("thirty", "forty", 1))
    chunked = CliRunner().invoke(
        cli,
        ["chunk", "old", "-n", "480", "--overlap", "80", "-f", "jsonl", "-o", "old.jsonl", "-q"],
        prog_name="cantle",
    )
    assert chunked.exit_code == 0
    by_file, by_directory = (
        answer("new", "--since", old)["reindex"]["changed"]["once"] for old in ("old.jsonl", "old")
    )
    assert by_file == by_directory
    assert (by_file["basis"], by_file["embed"]) == ("measured", 1)
    assert answer("old", "--since", "old")["reindex"]["changed"]["cost"] == 0
    assert "Changed since the earlier state: " in run("new", "--since", "old", "-f", "table").stdout


def test_files_of_the_command_in_the_directory_are_no_documents(tmp_path: Path) -> None:
    write(tmp_path / "docs" / "a.txt", "Some words. " * 100)
    chunks = CliRunner().invoke(cli, ["chunk", "docs/a.txt", "-n", "480", "-f", "jsonl", "-o", "docs/old.jsonl", "-q"])
    assert chunks.exit_code == 0
    for _ in range(2):
        result = run("docs", "--since", "docs/old.jsonl", "-o", "docs/cost.json", "-q")
        assert result.exit_code == 0
        found = json.loads(Path("docs/cost.json").read_text(encoding="utf-8"))
        assert [document["source"] for document in found["documents"]] == ["a.txt"]


# -- wrong usage --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        ((), 2, "Missing argument 'DIR...'"),
        (("nowhere",), 2, "'nowhere' does not exist"),
        ((NUCLEO, "--currency", "BRL"), 2, "currency BRL needs a rate"),
        ((NUCLEO, "--rate", "5"), 2, "has no use for US dollars"),
        ((NUCLEO, *BRL[:3], "5,0"), 2, "Write the decimals behind a point"),
        ((NUCLEO, "--price", "cheap"), 2, "price must be a number 0 or more, got 'cheap'"),
        ((NUCLEO, "--max-cost", "-1"), 2, "max-cost must be a number 0 or more, got '-1'"),
        ((NUCLEO, "--provider", "opnai"), 2, "no provider is named 'opnai'. Close to it: openai"),
        ((NUCLEO, "--reindex", "-1"), 2, "--reindex"),
        ((NUCLEO, "--reindex", "0", "--since", NUCLEO), 2, "since has no use with reindex=0"),
        ((NUCLEO, "-t", "no-such"), 2, "no-such"),
        ((NUCLEO, "-s", "no-such"), 2, "No chunking strategy is named 'no-such'"),
        ((NUCLEO, "--require", "budget"), 1, "its metadata has no budget"),
        (("empty",), 1, "There is no document in empty"),
        ((NUCLEO, "--since", "empty"), 1, "There is no document in empty"),
    ],
)
def test_errors(arguments: tuple[str, ...], code: int, message: str) -> None:
    Path("empty").mkdir()
    result = run(*arguments)
    assert result.exit_code == code, result.output
    assert message in result.stderr
    assert result.stdout == ""
    assert "Traceback" not in result.output


def test_hostile_documents_and_names(tmp_path: Path) -> None:
    folder = tmp_path / "docs"
    folder.mkdir()
    try:
        write(folder / "a\x1b[31mb.md", '---\nsource: "x\\u202e=1+1"\n---\n# A\n\nText. More.')
        (folder / os.fsdecode(b"\xff.txt")).write_text("Some text.", encoding="utf-8")
    except (OSError, ValueError):
        pytest.skip("the file system takes no such names")
    write(folder / "c.txt", "\x00\ufeff" + "\u0301" * 5000)
    for format in ("table", "json", "csv"):
        result = run("docs", "-f", format, "-o", f"out.{format}")
        assert result.exit_code == 0, result.stderr
        text = Path(f"out.{format}").read_text(encoding="utf-8")
        assert "\x1b" not in text


def test_help_teaches() -> None:
    text = run("--help").output
    assert "Examples:" in text
    assert "cantle cost policies/ --currency BRL --rate 5.0 --reindex 4" in text
    assert "Exit codes:" in text


def test_an_earlier_copy_in_the_directory_is_no_part_of_it(tmp_path: Path) -> None:
    write(tmp_path / "docs" / "a.txt", "Some words here. " * 100)
    write(tmp_path / "docs" / "old" / "a.txt", "Some words here. " * 90)
    found = answer("docs", "--since", "docs/old")
    assert [document["source"] for document in found["documents"]] == ["a.txt"]
    assert found["reindex"]["changed"]["once"]["basis"] == "measured"


def test_other_settings_are_noted(tmp_path: Path) -> None:
    write(tmp_path / "docs" / "a.txt", "".join(f"Sentence {n} says a thing. " for n in range(300)))
    chunked = CliRunner().invoke(cli, ["chunk", "docs", "-o", "old.jsonl", "-q"], prog_name="cantle")
    assert chunked.exit_code == 0
    result = run("docs", "--since", "old.jsonl")
    assert "Note: OLD was cut with other settings: its chunks are too long" in result.stderr
    assert "Here it is maxSize 480, overlap 80" in result.stderr
    assert "cantle chunk DIR -n 480 --overlap 80 -o old.jsonl" in result.stderr


@pytest.mark.parametrize("size", ["4000", "960", "300"])
def test_other_settings_are_noted_beside_files_that_are_no_documents(size: str, tmp_path: Path) -> None:
    command = ["chunk", str(NUCLEO), "-n", size, "--overlap", "0", "-o", "old.jsonl", "-q"]
    assert CliRunner().invoke(cli, command, prog_name="cantle").exit_code == 0
    assert answer(NUCLEO, "--since", "old.jsonl")["reindex"]["changed"]["once"]["recut"] is True
    assert "Note: OLD was cut with other settings" in run(NUCLEO, "--since", "old.jsonl", "-f", "table", "-q").stdout


def test_the_same_settings_are_not(tmp_path: Path) -> None:
    command = ["chunk", str(NUCLEO), "-n", "480", "--overlap", "80", "-o", "old.jsonl", "-q"]
    assert CliRunner().invoke(cli, command, prog_name="cantle").exit_code == 0
    once = answer(NUCLEO, "--since", "old.jsonl")["reindex"]["changed"]["once"]
    assert (once["recut"], once["embed"]) == (False, 0)


def test_golden_files_are_no_documents_and_no_chunks(tmp_path: Path) -> None:
    write(tmp_path / "docs" / "g.json", '[{"question": "How many days?", "source": "a.md"}]')
    write(tmp_path / "docs" / "a.md", "Ten days.")
    result = run("docs")
    assert [document["source"] for document in json.loads(result.stdout)["documents"]] == ["a.md"]
    assert "Left out: g.json: it holds golden questions" in result.stderr
    result = run("docs", "--since", "docs/g.json")
    assert (result.exit_code, result.stdout) == (1, "")
    assert "no chunk" in result.stderr


def test_an_unknown_suffix_needs_a_format() -> None:
    result = run(NUCLEO, "-o", "cost.xlsx")
    assert result.exit_code == 2
    assert "the suffix .xlsx says nothing of the format. Known: .txt, .json, .csv. Or give -f" in result.stderr
    assert run(NUCLEO, "-o", "cost.xlsx", "-f", "csv", "-q").exit_code == 0


def test_a_file_has_no_colours() -> None:
    assert run(NUCLEO, "-o", "c.txt", "-q", FORCE_COLOR="1").exit_code == 0
    assert "\x1b" not in Path("c.txt").read_text(encoding="utf-8")


def test_csv_with_a_carriage_return(tmp_path: Path) -> None:
    write(tmp_path / "docs" / "a.md", '---\nsource: "a\\rb"\n---\nText.')
    rows = list(csv.DictReader(io.StringIO(run("docs", "-f", "csv", "-q").stdout, newline="")))
    assert [row["source"] for row in rows] == ["a\rb"]


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("--price", "1e30"),
        ("--price", "1_000"),
        ("--max-cost", "1e400"),
        ("--reindex", "10000000"),
        ("--discount", "nan"),
    ],
)
def test_numbers_beyond_all_bounds(option: str, value: str) -> None:
    result = run(NUCLEO, option, value)
    assert (result.exit_code, result.stdout) == (2, "")
