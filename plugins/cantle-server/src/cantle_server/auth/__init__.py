"""Who asks: bearer tokens, what is in them, and the caller that a route gets."""

from __future__ import annotations

from .caller import Caller, caller
from .middleware import PUBLIC, Authentication
from .tokens import Verifier, issue_token

__all__ = ["PUBLIC", "Authentication", "Caller", "Verifier", "caller", "issue_token"]
