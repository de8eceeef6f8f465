"""Keys for tokens: the secret of the settings, a file, or a JSON Web Key Set that is fetched."""

from __future__ import annotations

from typing import Any

from ..settings import Settings
from .tokens import Secret

__all__ = ["keys_of"]


class _Secret(Secret):
    async def close(self) -> None:
        """Nothing to close."""


def keys_of(settings: Settings) -> Any:
    """Where the keys come from."""
    assert settings.secret is not None
    return _Secret(settings.secret)
