"""The routes. A module of routes has a `router`; it is listed here, and that is all."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter

from . import (
    avatars,
    chunk,
    datasets,
    documents,
    health,
    partition,
    partition_models,
    search,
    store_examples,
    strategies,
)

__all__ = ["EXAMPLES", "ROUTERS"]

ROUTERS: tuple[APIRouter, ...] = (
    chunk.router,  # they are looked through from the first to the last: most requests are for this one
    health.router,
    strategies.router,
    partition.router,
    avatars.router,
    datasets.router,
    documents.router,
    search.router,
)

EXAMPLES: dict[str, dict[str, Any]] = {"Partitioned": partition_models.EXAMPLE, **store_examples.EXAMPLES}
"""Examples of answers, by the names of their models."""
