"""Options that the commands of this plugin share: what may be seen, how to rank, which metadata must be there."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from cantle.access import Access
from cantle.commands import is_document, printable
from cantle.errors import CantleError

from ..corpus.own_files import looks_written

__all__ = [
    "ROLES",
    "access_of",
    "filtering",
    "filtering_by_roles",
    "outputs",
    "ranking",
    "requiring",
    "roles_file",
    "told",
]

Function = Callable[..., Any]

ROLES = "roles.yaml"
"""The file of roles that is taken where none is named: the one in the directory of documents."""

_CHOICES = "tf-cosine|bm25|MODULE:OBJECT"
_LANGUAGES = "auto|none|all|pt|en|es"


def filtering(function: Function) -> Function:
    """Add --where, --dept, --classification, --role and --roles, which is no use without --role.

    The function gets `access` and `roles` (the file of roles: the one named, or `roles.yaml` in the directory, or
    None). It must have a parameter `paths`, the files and directories of documents.
    """
    return _filtering(function, roles_alone=False)


def filtering_by_roles(function: Function) -> Function:
    """As `filtering`, for a command that asks as every role: --roles is taken without --role too."""
    return _filtering(function, roles_alone=True)


def _filtering(function: Function, *, roles_alone: bool) -> Function:

    @functools.wraps(function)
    def call(
        where: tuple[str, ...],
        dept: tuple[str, ...],
        classification: tuple[str, ...],
        role: str | None,
        roles: str | None,
        **rest: Any,
    ) -> Any:
        if roles is not None and role is None and not roles_alone:
            raise click.UsageError("--roles says what roles may see; name one with --role.")
        pairs = [*where, *(f"dept={v}" for v in dept), *(f"classification={v}" for v in classification)]
        file = roles_file(roles, rest["paths"], needed=role is not None)
        return function(access=access_of(pairs, role, file, rest["paths"]), roles=file, **rest)

    for add in (
        click.option(
            "--roles",
            type=click.Path(exists=True, dir_okay=False),
            metavar="FILE",
            help=f"The YAML file that says what each role may see. Default: {ROLES} in the directory.",
        ),
        click.option("--role", metavar="NAME", help="Only what this role may see.", shell_complete=_role_names),
        click.option(
            "--classification", multiple=True, metavar="VALUE", help="Short for --where classification=VALUE."
        ),
        click.option("--dept", multiple=True, metavar="VALUE", help="Short for --where dept=VALUE."),
        click.option(
            "--where",
            multiple=True,
            metavar="KEY=VALUE",
            help="Only documents with this metadata. Given for one key twice, one of the values must hold.",
        ),
    ):
        call = add(call)
    return call


def _role_names(context: click.Context, option: click.Parameter, begun: str) -> list[str]:
    """The roles for the shell to complete: of --roles, or else of the file of roles in the directory."""
    from cantle.access import read_roles

    try:
        file = roles_file(context.params.get("roles"), context.params.get("paths") or context.args)
        return _begun(read_roles(file), begun) if file is not None else []
    except (CantleError, click.UsageError):  # nothing may be written into the command line
        return []


def _begun(names: Iterable[str], begun: str) -> list[str]:
    return [name for name in names if name.startswith(begun)]


def access_of(pairs: Iterable[str], role: str | None, file: Path | None, paths: Sequence[str]) -> Access:
    """The access that `KEY=VALUE` pairs and a role stand for. Wrong ones are usage errors."""
    where: dict[str, list[str]] = {}
    for pair in pairs:
        key, equals, value = (part.strip() for part in pair.partition("="))
        if not (key and equals and value):
            raise click.BadParameter(f"{pair!r} is no KEY=VALUE. Example: dept=hr.", param_hint="--where")
        where.setdefault(key, []).append(value)
    if role is not None and file is None:
        places = ", ".join(paths)
        raise click.UsageError(
            f"--role {role} needs a file of roles. There is no {ROLES} in {places}: give --roles FILE."
        )
    return Access.of(where, role=role, roles=file)


def roles_file(named: str | None, paths: Sequence[str], needed: bool = False) -> Path | None:
    """The file of roles: the one that is named, else `roles.yaml` in the only directory of `paths` that has one.

    None where there is none, or several; several are a usage error when one is `needed`.
    """
    if named is not None:
        return Path(named)
    found = [file for path in paths if (file := Path(path, ROLES)).is_file()]
    if len(found) > 1 and needed:
        raise click.UsageError(
            f"There are several files of roles: {', '.join(map(str, found))}. Give one with --roles."
        )
    return found[0] if len(found) == 1 else None


def ranking(function: Function) -> Function:
    """Add --ranker and --language: the function gets `ranker`."""

    @functools.wraps(function)
    def call(ranker: str, language: tuple[str, ...], **rest: Any) -> Any:
        from ..rank import named

        return function(ranker=named(ranker, language=language or None), **rest)

    for add in (
        click.option(
            "--language",
            multiple=True,
            metavar=_LANGUAGES,
            shell_complete=lambda context, option, begun: _begun(_LANGUAGES.split("|"), begun),
            help="Whose stop words are left out; may be repeated. Default: auto with tf-cosine, none with bm25.",
        ),
        click.option(
            "--ranker",
            default="tf-cosine",
            show_default=True,
            metavar=_CHOICES,
            shell_complete=lambda context, option, begun: _begun(_CHOICES.split("|")[:-1], begun),
            help="How chunks are ranked by the words of the question; MODULE:OBJECT is one of your own.",
        ),
    ):
        call = add(call)
    return call


def requiring(function: Function) -> Function:
    """Add --require: the function gets `require`, a list of keys."""

    @functools.wraps(function)
    def call(require: tuple[str, ...], **rest: Any) -> Any:
        keys = [key.strip() for given in require for key in given.split(",")]
        if not all(keys):
            raise click.BadParameter("a key is empty. Example: --require dept,classification.", param_hint="--require")
        return function(require=list(dict.fromkeys(keys)), **rest)

    return click.option(
        "--require",
        multiple=True,
        metavar="KEY,...",
        help="Leave out documents whose metadata lacks one of these keys, and say so.",
    )(call)


def outputs(
    named: Mapping[str, str | None],
    paths: Sequence[str | Path],
    others: Iterable[str | Path | None] = (),
    formats: Mapping[str, str] | None = None,
) -> list[Path]:
    """The files that a command writes, after a check that it reads none of them: `skip` for `read_corpus`.

    `named` maps options to files (None or `-`: none), `paths` are the files and directories of documents, `others` what
    else is read. `formats` maps options to what is written there (`jsonl` where nothing is said).

    Two rules. What is read is never replaced; only in a directory of documents an earlier output of ours may be, and
    an empty file. And what is written into such a directory must not be a document on the next run: it is JSON in a
    file named so, which `read_corpus` knows, or has a suffix that is not read. Whatever breaks them is a usage error.
    """
    read = [Path(path) for path in [*paths, *others] if path is not None]
    written: dict[Path, str] = {}
    for option, name in named.items():
        if name is None or name == "-":
            continue
        file = Path(name).resolve()
        if file in written:
            raise click.UsageError(f"{written[file]} and {option} are one file, {name}. Name two.")
        written[file] = option
        if any(_is_same(file, path) for path in read if not path.is_dir()):
            raise click.UsageError(f"{name} is read and would be replaced. Give {option} another name.")
        inside = next((path for path in read if path.is_dir() and _is_walked(file, path)), None)
        if inside is None or not is_document(file):
            continue
        if file.exists() and not _may_go(file):
            raise click.UsageError(
                f"{name} is a document of {inside} and would be replaced. Give {option} another name."
            )
        if (formats or {}).get(option, "jsonl") not in ("json", "jsonl") or file.suffix.lower() not in _JSON:
            raise click.UsageError(
                f"{name} would be a document of {inside} on the next run. Write it elsewhere, or as JSON to a file "
                f"whose name ends in .json or .jsonl: that is known as no document."
            )
    return list(written)


_JSON = (".json", ".jsonl", ".ndjson")


def _is_same(file: Path, path: Path) -> bool:
    try:
        return file == path.resolve() or file.samefile(path)
    except OSError:
        return False


def _is_walked(file: Path, directory: Path) -> bool:
    root = directory.resolve()
    return file.is_relative_to(root) and not any(part.startswith(".") for part in file.relative_to(root).parts)


def _may_go(file: Path) -> bool:
    """Whether a file among documents is empty or was written by us."""
    try:
        text = file.read_text("utf-8") if file.is_file() else "a device"
    except (OSError, ValueError):
        return False
    return not text or bool(looks_written(text))


MANY = 5
"""Of more files that are left out for one reason, only the first are named."""


def told(left_out: Iterable[tuple[str, str]]) -> None:
    """Say on standard error which files are no documents of the corpus, and why; many for one reason on one line."""
    by_reason: dict[str, list[str]] = {}
    for source, reason in left_out:
        by_reason.setdefault(reason, []).append(source)
    for reason, sources in by_reason.items():
        said = sources
        if len(sources) > MANY:
            said = [f"{len(sources)} files ({', '.join(sources[:3])}, ...)"]
        for source in said:
            click.echo(f"Left out: {printable(f'{source}: {reason}')}", err=True)
