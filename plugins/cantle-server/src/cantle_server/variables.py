"""Variables that look like settings and are none: spelling mistakes, and what Kubernetes and Docker set."""

from __future__ import annotations

import re
import warnings
from collections.abc import Mapping, Sequence
from difflib import get_close_matches

from cantle.errors import CantleWarning

__all__ = ["is_address", "warn_of_unknown"]

_LINKS = re.compile(r"(.*_)?(SERVICE_(HOST|PORT)(_.*)?|PORT_\d+_(TCP|UDP|SCTP)(_.*)?)|NAME|ENV_.*", re.A | re.S)
"""What containers get for a service or a link that is called cantle-server, behind its prefix."""

_LONGEST = 60


def is_address(value: str) -> bool:
    """Whether it is what Kubernetes puts into `..._PORT` of each service: `tcp://10.0.0.1:8000`."""
    return value.strip().lower().startswith(("tcp://", "udp://", "sctp://"))


def warn_of_unknown(environment: Mapping[str, str], prefix: str, names: Sequence[str]) -> None:
    """Warn of variables with this prefix that stand for none of the settings `names`: `CantleWarning`."""
    known = [prefix + name.upper() for name in names]
    for variable in sorted(environment):
        if variable in known or not variable.upper().startswith(prefix) or is_address(environment[variable]):
            continue
        rest = variable.upper().removeprefix(prefix)
        if _LINKS.fullmatch(rest):
            continue
        close = get_close_matches(rest[:_LONGEST], [name.upper() for name in names], 1)
        hint = f"Did you mean {prefix}{close[0]}?" if close else "`cantle serve --help` has all settings."
        shown = ascii(variable[: len(prefix) + _LONGEST])[1:-1]
        warnings.warn(f"{shown} is no setting of the service, and has no effect. {hint}", CantleWarning, stacklevel=3)
    port = f"{prefix}PORT"
    if is_address(environment.get(port, "")):
        warnings.warn(
            f"{port} is an address, as Kubernetes sets it for a service that is called cantle-server: it is left out. "
            "Give --port, or another name to the service, or enableServiceLinks: false to the pod.",
            CantleWarning,
            stacklevel=3,
        )
