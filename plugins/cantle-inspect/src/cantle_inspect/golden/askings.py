"""Who asks which golden question, and what they may see."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal
from unicodedata import normalize

from cantle.access import Access
from cantle.errors import OptionError

from .questions import Question

if TYPE_CHECKING:
    from cantle.access import Roles

__all__ = ["Asking", "askings", "check_roles"]


@dataclass(frozen=True)
class Asking:
    """A question as one role asks it, and what may then be seen: what all of `accesses` allow."""

    question: Question
    wanted: bool
    accesses: tuple[Access, ...]

    @property
    def role(self) -> str | None:
        """The role that asks; None where there is none."""
        return self.accesses[0].role

    @property
    def sight(self) -> tuple[object, ...]:
        """Equal for askings that see the same."""
        return tuple(
            (_key(a.where), None if a.rules is None else tuple(_key(rule) for rule in a.rules)) for a in self.accesses
        )

    def allows(self, metadata: Mapping[str, Any]) -> bool:
        """Whether a document with this metadata may be seen."""
        return all(access.allows(metadata) for access in self.accesses)

    def role_allows(self, metadata: Mapping[str, Any]) -> bool:
        """Whether the rules of the role allow it, filters aside."""
        return Access({}, self.accesses[0].rules, self.role).allows(metadata)

    def hiding(self, metadata: Mapping[str, Any]) -> str:
        """Who does not allow a document, in words: the filters that do not fit, else the role."""
        filters = [
            f"{key}={' or '.join(values)}"
            for access in self.accesses
            for key, values in access.where.items()
            if not Access({key: values}).allows(metadata)
        ]
        if filters:
            return " and ".join(dict.fromkeys(filters))
        return f"the role {self.role}"


def _key(rule: Mapping[str, tuple[str, ...]]) -> tuple[object, ...]:
    return tuple(sorted((key, tuple(sorted(values))) for key, values in rule.items()))


def check_roles(questions: tuple[Question, ...], access: Access, roles: Roles | Literal[False] | None) -> None:
    """Raise `OptionError` when questions name roles and nothing says what these may see, or not of one of them."""
    naming = sum(1 for question in questions if question.roles)
    if naming and roles is None and access.role is None:
        raise OptionError(
            f"{naming} of {len(questions)} golden questions name roles, and nothing says what these may see. Give a "
            "file of roles; or roles=False, to ask them as nobody in particular."
        )
    if roles is None or roles is False:
        return
    for question in questions:
        if unknown := sorted({normalize("NFC", role) for role in question.roles} - roles.keys()):
            raise OptionError(
                f"The golden question {question.id!r} names the role {unknown[0]!r}, which "
                f"{roles.file or 'the file of roles'} does not have. Known: {', '.join(roles)}."
            )


def askings(question: Question, access: Access, roles: Roles | Literal[False] | None) -> Iterator[Asking]:
    """Each way in which a question is asked."""
    own = (Access.of(question.where),) if question.where else ()
    named = {normalize("NFC", role) for role in question.roles}
    if access.role is not None:
        wanted = question.expects and (not named or normalize("NFC", access.role) in named)
        yield Asking(question, wanted, (access, *own))
    elif named and roles is not None and roles is not False:
        for role, rules in roles.items():
            yield Asking(question, role in named, (Access(access.where, rules, role), *own))
    else:
        yield Asking(question, question.expects, (access, *own))
