"""What the service counts, in the form that Prometheus reads."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.core import CounterMetricFamily, Metric

from .observing import Record

__all__ = ["CONTENT_TYPE", "Metrics"]

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"

_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 120.0, 300.0)


class Metrics:
    """The counters of one app, in a registry of their own. Labels are routes, methods, codes: nothing of strangers."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()

        def counter(name: str, text: str, *labels: str) -> Counter:
            return Counter(f"cantle_{name}", text, labels, registry=self.registry)

        self.requests = counter("requests", "Requests, by route, method and status.", "route", "method", "status")
        self.seconds = Histogram(
            "cantle_request_seconds",
            "How long requests took, in seconds.",
            ("route", "method"),
            buckets=_SECONDS,
            registry=self.registry,
        )
        self.in_flight = Gauge("cantle_requests_in_flight", "Requests under way.", registry=self.registry)
        self.problems = counter("problems", "Requests that were answered with an error, by its code.", "code")
        self.characters = counter("characters", "Code points of text that were cut.", "route")
        self.chunks = counter("chunks", "Chunks that were made.", "route")
        self.syncs = counter("store_chunks", "Chunks of syncs with the store, by what became of them.", "change")
        self.embedded = counter("embedded_texts", "Texts that were sent to the embedder.")
        self.embedder_calls = counter("embedder_calls", "Calls of the embedder.")
        self.rate_limited = counter("rate_limited", "Requests that were refused because a token asked too often.")
        self.partitions = counter("partition_results", "Partitions, by engine and outcome.", "engine", "outcome")
        self.unstored = counter("partition_unstored", "Partitions that could not be stored, by the reason.", "code")
        self.media = counter("media_refused", "Media that were refused, by the reason.", "reason")

    def synced(self, synced: Any) -> None:
        """Count what a sync of a store did."""
        for change in ("new", "changed", "kept", "gone"):
            self.syncs.labels(change).inc(getattr(synced, change))
        self.embedded.inc(synced.embedded)

    def watch(self, name: str, text: str, value: Callable[[], float]) -> None:
        """A gauge whose value is asked for when it is read."""
        Gauge(f"cantle_{name}", text, registry=self.registry).set_function(value)

    def watch_counts(self, prefix: str, text: str, counts: Callable[[], Mapping[str, int]]) -> None:
        """Counters that somebody else keeps, by name."""
        self.registry.register(_Counts(f"cantle_{prefix}", text, counts))

    def began(self) -> None:
        """Count a request that begins."""
        self.in_flight.inc()

    def done(self, record: Record) -> None:
        """Count a request that has ended."""
        self.in_flight.dec()
        self.requests.labels(record.route, record.method, str(record.status)).inc()
        self.seconds.labels(record.route, record.method).observe(record.seconds)
        if record.code:
            self.problems.labels(record.code).inc()
        if record.code == "rate_limited":
            self.rate_limited.inc()
        if characters := record.facts.get("characters"):
            self.characters.labels(record.route).inc(characters)
        if chunks := record.facts.get("chunks"):
            self.chunks.labels(record.route).inc(chunks)

    def text(self) -> bytes:
        """All of it, as text."""
        return generate_latest(self.registry)


class _Counts:
    def __init__(self, name: str, text: str, counts: Callable[[], Mapping[str, int]]) -> None:
        self._name, self._text, self._counts = name, text, counts

    def collect(self) -> Iterator[Metric]:
        """One counter for each name."""
        for name, value in self._counts().items():
            yield CounterMetricFamily(f"{self._name}_{name}", f"{self._text}: {name.replace('_', ' ')}.", value=value)

    def describe(self) -> list[Any]:
        """Nothing in advance: the counts are asked for when they are read."""
        return []
