"""Options that the commands of this plugin share: what may be seen, how to rank, which metadata must be there."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import click

from cantle.commands import printable

from ..corpus.access import Access

__all__ = ["ROLES", "access_of", "filtering", "ranking", "requiring", "roles_file"]

Function = Callable[..., Any]

ROLES = "roles.yaml"
"""The file of roles that is taken where none is named: the one in the directory of documents."""

_CHOICES = "tf-cosine|bm25|MODULE:OBJECT"
_LANGUAGES = "auto|none|all|pt|en|es"


def filtering(function: Function) -> Function:
    """Add --where, --dept, --classification, --role and --roles.

    The function gets `access` and `roles` (the file of roles: the one named, or `roles.yaml` in the directory, or
    None). It must have a parameter `paths`, the files and directories of documents.
    """

    @functools.wraps(function)
    def call(
        where: tuple[str, ...],
        dept: tuple[str, ...],
        classification: tuple[str, ...],
        role: str | None,
        roles: str | None,
        **rest: Any,
    ) -> Any:
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
        click.option("--role", metavar="NAME", help="Only what this role may see."),
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
            help="Whose stop words are left out; may be repeated. Default: auto with tf-cosine, none with bm25.",
        ),
        click.option(
            "--ranker",
            default="tf-cosine",
            show_default=True,
            metavar=_CHOICES,
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


def told(left_out: Iterable[tuple[str, str]]) -> None:
    """Say on standard error which files are no documents of the corpus, and why."""
    for source, reason in left_out:
        click.echo(f"Left out: {printable(f'{source}: {reason}')}", err=True)
