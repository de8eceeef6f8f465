"""`cantle doctor`: is everything there, and if not, what to do."""

from __future__ import annotations

import os
import platform
import sys
import warnings
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from hashlib import sha256
from importlib import import_module
from importlib.metadata import PackageNotFoundError, distributions, requires, version

import click

from .. import __version__
from .tables import as_json, counted

__all__ = ["VOCABULARIES", "Check", "checks", "command"]

_HELP = """Check the installation: versions, tokenizers, vocabularies, plugins. Nothing is sent anywhere.

\b
Examples:
  cantle doctor
  cantle doctor --json        to attach to a report

Exit codes: 0 no problem was found, 1 there is one; each names its next step.
"""

VOCABULARIES = {
    "cl100k_base": "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
    "o200k_base": "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
    "p50k_base": "94b5ca7dff4d00767bc256fdd1b27e5b17361d7b8a5f968547f9f23eb70d2069",
    "r50k_base": "306cd27f03c1a714eca7108e03d66b7dc042abe8c258b44c199a7ed9838dd930",
}
"""SHA-256 of the vocabularies as OpenAI publishes them, unpacked."""


@dataclass(frozen=True)
class Check:
    """One finding. `state` is `ok`, `note` or `problem`; `step` says what to do about it."""

    group: str
    name: str
    state: str
    detail: str
    step: str = ""


@click.command("doctor", help=_HELP, short_help="Check the installation.")
@click.option("--json", "as_json_", is_flag=True, help="Write JSON.")
def command(as_json_: bool) -> None:
    """Run all checks; the help is `_HELP`."""
    found = list(checks())
    problems = [check for check in found if check.state == "problem"]
    if as_json_:
        as_json([asdict(check) for check in found])
    else:
        group = ""
        for check in found:
            if check.group != group:
                click.echo(f"{'' if not group else chr(10)}{check.group}")
                group = check.group
            mark = {"ok": "  ok  ", "note": "  -   ", "problem": "  !!  "}[check.state]
            click.echo(f"{mark}{check.name}: {check.detail}")
            if check.step:
                click.echo(f"        {check.step}")
        count = len(problems)
        summary = "No problem found." if not count else f"{counted(count, 'problem')} found, marked !!."
        click.echo(f"\n{summary}")
    if problems:
        raise click.exceptions.Exit(1)


def checks() -> Iterator[Check]:
    """All findings, in the order in which they are shown."""
    yield from _system()
    yield from _packages()
    yield from _tokenizers()
    yield from _vocabularies()
    yield from _plugins()
    yield from _extensions()


def _system() -> Iterator[Check]:
    yield Check("System", "cantle", "ok", f"{__version__} in {os.path.dirname(os.path.dirname(__file__))}")
    yield Check("System", "Python", "ok", f"{platform.python_version()} ({platform.python_implementation()})")
    yield Check("System", "platform", "ok", f"{platform.system()} {platform.release()}, {platform.machine()}")
    encoding = sys.stdout.encoding or "unknown"
    if encoding.lower().replace("-", "") == "utf8":
        yield Check("System", "output", "ok", encoding)
    else:
        step = "Text for terminals may lose characters. Set PYTHONUTF8=1. JSON Lines are UTF-8 in any case."
        yield Check("System", "output", "note", encoding, step)
    for name in ("CANTLE_PLUGINS", "CANTLE_TOKENIZER"):
        if os.environ.get(name):
            yield Check("System", name, "note", f"is set to {os.environ[name]!r}")


def _packages() -> Iterator[Check]:
    """The packages that cantle depends on, from its own metadata: extras are optional."""
    from re import match

    try:
        needed = requires("cantle") or ()
    except PackageNotFoundError:
        step = "Install it to have its packages and plugins found: pip install cantle"
        yield Check("Packages", "cantle", "problem", "runs from a folder, not installed", step)
        return
    for line in needed:
        name = match(r"[\w.-]+", line)
        if name is None:
            continue
        optional = "extra ==" in line or "platform_machine" in line
        try:
            found = version(name[0])
            broken = "" if optional else _import_error(_MODULES.get(name[0].lower(), name[0]))
            if broken:
                step = f"Install it anew: pip install --force-reinstall '{name[0]}'"
                yield Check("Packages", name[0], "problem", f"{found}, cannot be imported: {broken}", step)
            else:
                yield Check("Packages", name[0], "ok", found)
        except PackageNotFoundError:
            state, detail = ("note", "not installed (optional)") if optional else ("problem", "not installed")
            step = "" if optional else f"Install it: pip install '{name[0]}'"
            yield Check("Packages", name[0], state, detail, step)


_ANEW = (
    "Mend the packages marked above. Without any: pip install --force-reinstall tiktoken, and unset CANTLE_TOKENIZER."
)

_MODULES = {"beautifulsoup4": "bs4", "charset-normalizer": "charset_normalizer", "pyyaml": "yaml"}
"""Packages whose module has another name."""


def _import_error(module: str) -> str:
    try:
        import_module(module)
    except Exception as error:  # a broken package may raise anything
        return f"{type(error).__name__}: {error}"
    return ""


def _tokenizers() -> Iterator[Check]:
    from ..errors import CantleError
    from ..tokenizers import backends, encoding

    for name, error in backends().items():
        if not error:
            yield Check("Tokenizers", name, "ok", "usable")
        elif name == "tiktoken":
            yield Check("Tokenizers", name, "problem", error, _ANEW)
        else:
            yield Check("Tokenizers", name, "note", f"not used: {error}", "Optional: tiktoken gives the same counts.")
    try:
        count = encoding("cl100k_base").count("hello world")
        used = f"{encoding('cl100k_base').backend} counts cl100k_base"
        state = "ok" if count == 2 else "problem"
        yield Check("Tokenizers", "in use", state, used if count == 2 else f"{used} wrongly: {count} tokens for 2")
    except (CantleError, ImportError, OSError, ValueError) as error:
        yield Check("Tokenizers", "in use", "problem", f"{type(error).__name__}: {error}", _ANEW)


def _vocabularies() -> Iterator[Check]:
    from ..errors import CantleError
    from ..tokenizers.vocabulary import unpacked

    step = "The installation is damaged: pip install --force-reinstall --no-deps cantle"
    for name, wanted in VOCABULARIES.items():
        try:
            found = sha256(unpacked(name)).hexdigest()
        except CantleError as error:  # missing or cut off
            yield Check("Vocabularies", name, "problem", f"{type(error).__name__}: {error}", step)
            continue
        if found == wanted:
            yield Check("Vocabularies", name, "ok", f"as published (SHA-256 {found[:12]}...)")
        else:
            yield Check("Vocabularies", name, "problem", f"SHA-256 is {found}, not {wanted}", step)


def _plugins() -> Iterator[Check]:
    from ..plugins import BUILTIN, registry
    from .plugins import offers

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # each broken plugin has its line here
        host = registry()
    for name, plugin in host.plugins.items():
        title = f"{name} {plugin.version}".strip()
        if plugin.error:
            step = "Report it to the plugin's authors, uninstall it, or leave it out with CANTLE_PLUGINS."
            yield Check("Plugins", title, "problem", f"{plugin.error} ({plugin.module})", step)
        elif plugin.module not in BUILTIN:
            yield Check("Plugins", title, "ok", offers(plugin))
    yield Check("Plugins", "strategies", "ok", ", ".join(host.strategies()))


def _extensions() -> Iterator[Check]:
    """The packages that stand on cantle, plugins and adapters, with the versions of what they need besides."""
    from re import match

    found: dict[str, Check] = {}
    for one in distributions():
        always = [line for line in one.requires or () if "extra ==" not in line]
        lines = {named[0]: line for line in always if (named := match(r"[\w.-]+", line))}
        title = f"{one.name} {one.version}"
        if "cantle" not in lines or title in found:
            continue
        versions: list[str] = []
        missing: list[str] = []
        for name in sorted(lines.keys() - {"cantle"}, key=str.lower):
            try:
                versions.append(f"{name} {version(name)}")
            except PackageNotFoundError:
                if ";" not in lines[name]:  # else it is not needed everywhere
                    missing.append(name)
        detail = ", ".join([*versions, *(f"{name} not installed" for name in missing)]) or "needs nothing else"
        step = f"Install what is missing: pip install {' '.join(missing)}" if missing else ""
        found[title] = Check("Extensions", title, "problem" if missing else "ok", detail, step)
    yield from (found[title] for title in sorted(found))
