"""The routes. A module of routes has a `router`; it is listed here, and that is all."""

from __future__ import annotations

from fastapi import APIRouter

from . import chunk, health, strategies

__all__ = ["ROUTERS"]

ROUTERS: tuple[APIRouter, ...] = (
    health.router,
    strategies.router,
    chunk.router,
)
