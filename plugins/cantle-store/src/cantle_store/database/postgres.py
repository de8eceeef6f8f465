"""The one door to psycopg and pgvector."""

from __future__ import annotations

from sqlalchemy import Engine, create_engine

from ..errors import StoreError

__all__ = ["connect"]


def connect(url: str) -> Engine:
    """An engine for Postgres through psycopg. Raises `StoreError` where the driver is not installed."""
    try:
        import pgvector  # noqa: F401
        import psycopg  # noqa: F401
    except ImportError as error:
        raise StoreError(
            f"Postgres needs {error.name}, which is not installed. Install cantle-store with its extra: "
            "pip install 'cantle-store[postgres]'."
        ) from None
    scheme, _, rest = url.partition("://")
    return create_engine(url if "+" in scheme else f"postgresql+psycopg://{rest}", pool_pre_ping=True)
