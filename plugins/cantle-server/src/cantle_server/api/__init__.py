"""The routes. A module of routes has a `router`; it is listed here, and that is all."""

from __future__ import annotations

from fastapi import APIRouter

from . import avatars, chunk, datasets, documents, health, partition, search, strategies

__all__ = ["ROUTERS"]

ROUTERS: tuple[APIRouter, ...] = (
    health.router,
    strategies.router,
    chunk.router,
    partition.router,
    avatars.router,
    datasets.router,
    documents.router,
    search.router,
)
