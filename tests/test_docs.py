"""The documentation is run and compared with the code.

In README.md and docs/, every block marked `python` is executed, the blocks of a page one after another in
one namespace, at the root of the repository. What it prints must be what the block marked `output` behind
it shows, if there is one. In a block marked `console`, lines beginning with `$ cantle` are run, and what
they print must follow. A comment `<!-- not run: reason -->` before a block leaves it out. No installed
plugin is loaded but those that a page names in its first line: `<!-- plugins: inspect -->`.

`python tests/test_docs.py [PAGE...]` writes the outputs anew.
"""

from __future__ import annotations

import contextlib
import inspect
import io
import os
import re
import subprocess
import sys
import tomllib
import types
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

import pytest

import cantle
from cantle import errors, hookspecs
from cantle.plugins import BUILTIN, Registry, registry
from cantle.strategy import Sized, describe
from cantle.tokenizers import ENCODINGS

os.environ["HAYSTACK_TELEMETRY_ENABLED"] = "False"  # a page that runs a pipeline reports to nobody

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
EXAMPLE = ROOT / "plugins/cantle-example/src/cantle_example/__init__.py"
PAGES = sorted([ROOT / "README.md", *DOCS.rglob("*.md"), *ROOT.glob("plugins/*/README.md")])
PAGES = [page for page in PAGES if not {"changelog.d", "_build", "examples"} & set(page.parts)]
RUN = [page for page in PAGES if ROOT / "plugins" not in page.parents]  # plugins need not be installed
OURS = Registry({name.rpartition(".")[2]: name for name in BUILTIN})
STRATEGIES = OURS.strategies()


def page_id(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def read(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


class Block(NamedTuple):
    kind: str
    body: str
    start: int  # where the body is in the page
    skipped: bool


def blocks(text: str) -> list[Block]:
    found = []
    for m in re.finditer(r"^(`{3,})([^\n`]*)\n(.*?)^\1[ ]*$", text, re.M | re.S):
        before = text[: m.start()].rstrip().rpartition("\n")[2]
        found.append(Block(m[2].strip(), m[3], m.start(3), before.startswith("<!-- not run")))
    return found


def run_page(text: str) -> list[tuple[Block, str]]:
    """Run the blocks of a page: the blocks that hold outputs, each with what it should hold."""
    module = sys.modules["docs_page"] = types.ModuleType("docs_page")  # dataclasses look their module up
    found, printed = [], ""
    for block in blocks(text):
        if block.kind == "output":
            found.append((block, printed))
        elif block.kind == "python" and not block.skipped:
            code = "\n" * text.count("\n", 0, block.start) + block.body  # tracebacks show the page's lines
            with contextlib.redirect_stdout(io.StringIO()) as out:
                exec(compile(code, "<page>", "exec"), module.__dict__)
            printed = out.getvalue()
        elif block.kind == "console" and not block.skipped:
            found.append((block, run_console(block.body)))
    return found


def run_console(body: str) -> str:
    commands = [line for line in body.splitlines() if line.startswith("$ ")]
    return "".join(f"{command}\n{run_command(command[2:])}" for command in commands)


def run_command(command: str) -> str:
    python = f'"{sys.executable}" -m cantle'
    line = re.sub(r"(^|\| |&& )cantle ", lambda m: f"{m[1]}{python} ", command)
    environ = {**os.environ, "COLUMNS": "100", "NO_COLOR": "1", "PYTHONIOENCODING": "utf-8"}
    done = subprocess.run(
        line, shell=True, cwd=ROOT, env=environ, capture_output=True, text=True, encoding="utf-8", check=False
    )
    return "".join(f"{line.rstrip()}\n" for line in (done.stdout + done.stderr).rstrip().splitlines())


def plugins_of(text: str) -> str:
    named = re.match(r"<!-- plugins: ([\w, ]+) -->\n", text)
    return named[1] if named else "off"


@pytest.fixture
def at_root(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """At the root of the repository, with a registry of its own."""
    monkeypatch.chdir(ROOT)
    registry.cache_clear()
    yield
    registry.cache_clear()


@pytest.mark.usefixtures("at_root")
@pytest.mark.parametrize("page", RUN, ids=page_id)
def test_the_code_of_the_page_runs_and_prints_what_it_shows(page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = page.read_text(encoding="utf-8")
    monkeypatch.setenv("CANTLE_PLUGINS", plugins_of(text))
    for block, expected in run_page(text):
        assert block.body == expected


@pytest.mark.parametrize("page", PAGES, ids=page_id)
def test_toml_on_the_page_is_toml(page: Path) -> None:
    for block in blocks(page.read_text(encoding="utf-8")):
        if block.kind == "toml":
            tomllib.loads(block.body)


@pytest.mark.parametrize("page", PAGES, ids=page_id)
def test_links_within_the_repository_lead_somewhere(page: Path) -> None:
    text = re.sub(r"^(`{3,}).*?^\1", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)
    for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", text):
        assert (page.parent / target).exists(), target


def test_the_readme_shows_the_example_plugin_as_it_is() -> None:
    assert EXAMPLE.read_text(encoding="utf-8") in [block.body for block in blocks(read("README.md"))]


HOOKS = {name: f for name, f in vars(hookspecs).items() if hasattr(f, "cantle_spec")}


@pytest.mark.parametrize("hook", HOOKS)
def test_every_hook_is_a_heading_with_its_arguments(hook: str) -> None:
    arguments = ", ".join(inspect.signature(HOOKS[hook]).parameters)
    assert f"\n## `{hook}({arguments})`\n" in read("docs/plugins/hooks.md")


def test_the_hooks_page_has_no_other_hooks() -> None:
    assert set(re.findall(r"^## `(\w+)\(", read("docs/plugins/hooks.md"), re.M)) == set(HOOKS)


@pytest.mark.parametrize("name", STRATEGIES)
def test_every_strategy_has_a_page_with_its_options(name: str) -> None:
    assert f"```{{cantle-options}} {name}\n```" in read(f"docs/strategies/{name}.md")
    assert f"strategies/{name}" in read("docs/index.md")
    assert f"(docs/strategies/{name}.md)" in read("README.md")
    assert f"`{name}`" in read("docs/choosing.md")


@pytest.mark.parametrize("name", [*STRATEGIES, "shared"])
def test_every_option_says_what_it_is(name: str) -> None:
    for option in describe(STRATEGIES.get(name, Sized)):
        assert option.doc.endswith("."), option.name


@pytest.mark.parametrize("name", [n for n in errors.__all__ if n != "annotations"])
def test_every_error_is_on_the_errors_page(name: str) -> None:
    assert f"`{name}`" in read("docs/errors.md")


@pytest.mark.parametrize("name", cantle.__all__)
def test_every_public_name_is_on_the_api_page(name: str) -> None:
    assert re.search(rf"\bcantle\.(\w+\.)*{name}\b", read("docs/api.md"))


@pytest.mark.parametrize("name", ["characters", "utf16", "bytes", "words", *ENCODINGS])
def test_every_length_is_on_the_lengths_page(name: str) -> None:
    assert f"`{name}`" in read("docs/lengths.md")


def test_every_command_is_on_the_commands_page() -> None:
    from cantle.cli.group import COMMANDS

    page = read("docs/cli.md")
    for name in COMMANDS:
        assert f"## `cantle {name}`\n" in page
        assert f"```{{cantle-help}} {name}\n```" in page
        assert f"cantle {name} " in read("README.md")


@pytest.mark.parametrize(
    ("plugin", "folder"),
    [("cantle_dataset", "scale"), ("cantle_inspect", "inspect"), ("cantle_llm", "llm"), ("cantle_store", "store")],
)
def test_every_command_of_our_plugins_has_a_page(plugin: str, folder: str) -> None:
    overview = read(f"docs/{folder}/index.md")
    for name in import_module(plugin).register_commands():
        assert f"```{{cantle-help}} {name}\n```" in read(f"docs/{folder}/{name}.md")
        assert f"({name}.md)" in overview
        assert f"cantle {name} " in read(f"plugins/{plugin.replace('_', '-')}/README.md")


def update(pages: list[Path]) -> None:
    os.chdir(ROOT)
    for page in pages:
        text = page.read_text(encoding="utf-8")
        os.environ["CANTLE_PLUGINS"] = plugins_of(text)
        registry.cache_clear()
        for block, printed in reversed(run_page(text)):
            text = text[: block.start] + printed + text[block.start + len(block.body) :]
        page.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    update([Path(name).resolve() for name in sys.argv[1:]] or RUN)
