"""Load on loopback: how much of what two bare processes chunk does the service chunk?

    python plugins/cantle-server/bench/load.py DIRECTORY [--clients 32] [--seconds 60] [--pieces]

Text files of the directory, as they are or, with --pieces, as pieces of 1 to 200 KB, are chunked by two bare
processes (chunks to JSON lines, in a loop), and by a server on a port of this machine, asked by clients that each
wait for their answer before they ask again. Both take turns, since machines are not equally fast from one minute to
the next; what counts is the median of the ratios of neighbours. Throughput is in MB of UTF-8 a second, latencies are
in milliseconds, memory is the most that the server's processes had together. Needs psutil. Ends by itself.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import multiprocessing
import os
import random
import socket
import statistics
import subprocess
import sys
import time
from multiprocessing.connection import Connection
from pathlib import Path

import psutil

from cantle import MDocument
from cantle_server import issue_token

SECRET = "a secret for this run alone, of more than thirty-two bytes"
KINDS = {".md": "markdown", ".html": "html", ".txt": "text"}
STRATEGIES = ("recursive", "sentence", "markdown", "structural-context", "token")
ROUNDS = 6
LONGEST = 400_000


def documents(directory: Path, pieces: bool, count: int = 400) -> list[dict[str, object]]:
    """Requests, the same in every run: real texts with a strategy and a size."""
    draw = random.Random(7)
    files = sorted(path for path in directory.rglob("*") if path.suffix in KINDS and path.is_file())
    texts = [(path, path.read_text(encoding="utf-8", errors="replace")) for path in files]
    made: list[dict[str, object]] = []
    for _ in range(count):
        path, text = draw.choice(texts)
        if pieces or len(text) > LONGEST:
            size = int(10 ** draw.uniform(3, 5.3))
            start = draw.randrange(max(1, len(text) - size))
            text = text[start : start + size]
        strategy = draw.choice(STRATEGIES)
        unit = "encoding_name" if strategy == "token" else "length_function"
        options = {"max_size": draw.choice((256, 512)), unit: "cl100k_base"}
        kind = KINDS[path.suffix] if strategy in ("structural-context",) else "text"
        if kind == "html":
            kind = "text"
        made.append({"text": text, "kind": kind, "strategy": strategy, "options": options})
    return made


def size_of(request: dict[str, object]) -> int:
    """Bytes of the text in UTF-8."""
    return len(str(request["text"]).encode())


def bare(requests: list[dict[str, object]], orders: Connection) -> None:
    """Chunk in a loop for as many seconds as are sent, and send MB a second; a start to warm up comes first."""
    for request in requests[:40]:
        _chunk(request)
    orders.send(0.0)
    i = 0
    while seconds := orders.recv():
        begin, done = time.perf_counter(), 0
        while time.perf_counter() - begin < seconds:
            request = requests[i % len(requests)]
            _chunk(request)
            done, i = done + size_of(request), i + 1
        orders.send(done / 1e6 / (time.perf_counter() - begin))


def _chunk(request: dict[str, object]) -> bytes:
    document = MDocument(str(request["text"]), str(request["kind"]))
    options: dict[str, object] = request["options"]  # type: ignore[assignment]
    return document.chunk(str(request["strategy"]), **options).to_jsonl().encode()


class Pair:
    """Two bare processes."""

    def __init__(self, requests: list[dict[str, object]]) -> None:
        context = multiprocessing.get_context("spawn")
        self.ends = []
        for seed in (1, 2):
            order = list(requests)
            random.Random(seed).shuffle(order)
            mine, theirs = context.Pipe()
            context.Process(target=bare, args=(order, theirs), daemon=True).start()
            self.ends.append(mine)
        for end in self.ends:
            end.recv()

    def end(self) -> None:
        """End them."""
        for end in self.ends:
            end.send(0.0)

    def run(self, seconds: float) -> float:
        """MB a second of both together."""
        for end in self.ends:
            end.send(seconds)
        return sum(end.recv() for end in self.ends)


class Load:
    """Clients of one server, and what they saw."""

    def __init__(self, port: int, requests: list[dict[str, object]], token: str) -> None:
        self.port = port
        self.payloads = []
        for request in requests:
            body = json.dumps(request).encode()
            head = (
                f"POST /v1/chunk HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAuthorization: Bearer {token}\r\n"
                f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
            )
            self.payloads.append((head.encode() + body, size_of(request)))
        self.done = self.count = 0
        self.errors: list[str] = []
        self.latencies: list[float] = []

    async def client(self, number: int, until: float) -> None:
        """Ask, wait, ask again, on one connection."""
        order = list(self.payloads)
        random.Random(number).shuffle(order)
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port, limit=1 << 22)
        i = 0
        while time.perf_counter() < until:
            payload, size = order[i % len(order)]
            i += 1
            begin = time.perf_counter()
            writer.write(payload)
            await writer.drain()
            status = await self._answer(reader)
            self.latencies.append(time.perf_counter() - begin)
            if status == 200:
                self.done, self.count = self.done + size, self.count + 1
            else:
                self.errors.append(str(status))
        writer.close()

    async def _answer(self, reader: asyncio.StreamReader) -> int:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        headers = dict(line.lower().split(": ", 1) for line in head[1:] if ": " in line)
        if "content-length" in headers:
            await reader.readexactly(int(headers["content-length"]))
        else:
            while length := int((await reader.readuntil(b"\r\n")), 16):
                await reader.readexactly(length + 2)
            await reader.readexactly(2)
        return int(head[0].split()[1])

    async def run(self, clients: int, seconds: float) -> float:
        """MB a second."""
        begin, before = time.perf_counter(), self.done
        await asyncio.gather(*(self.client(n, begin + seconds) for n in range(clients)))
        return (self.done - before) / 1e6 / (time.perf_counter() - begin)


def memory(process: psutil.Process) -> float:
    """MB of the server and its workers."""
    return sum(one.memory_info().rss for one in [process, *process.children(recursive=True)]) / 1e6


def main() -> None:
    """Run and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("directory", type=Path)
    parser.add_argument("--clients", type=int, default=32)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--pieces", action="store_true")
    given = parser.parse_args()
    requests = documents(given.directory, given.pieces)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    environment = os.environ | {"CANTLE_SERVER_SECRET": SECRET}
    command = [sys.executable, "-m", "cantle", "serve", "--port", str(port), "--rate", "100000"]
    server = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    pair = Pair(requests)
    try:
        for _ in range(300):
            try:
                socket.create_connection(("127.0.0.1", port), 1).close()
                break
            except OSError:
                time.sleep(0.1)
        token = issue_token(SECRET, host_id="load", user_id="load")
        process = psutil.Process(server.pid)
        asyncio.run(Load(port, requests, token).run(8, 4))  # warm
        load = Load(port, requests, token)
        rounds, peak = [], 0.0
        for _ in range(ROUNDS):
            rounds.append(
                (pair.run(given.seconds / ROUNDS), asyncio.run(load.run(given.clients, given.seconds / ROUNDS)))
            )
            peak = max(peak, memory(process))
    finally:
        server.terminate()
        server.wait(30)
        pair.end()
    ordered = sorted(load.latencies)
    percentiles = {p: ordered[min(len(ordered) - 1, int(len(ordered) * p / 100))] * 1000 for p in (50, 90, 99)}
    print(f"documents of {sum(map(size_of, requests)) / len(requests) / 1e3:.0f} KB on average")
    for mine, served in rounds:
        print(f"bare {mine:.2f} MB/s, server {served:.2f} MB/s, {served / mine:.0%}")
    print(f"median of {ROUNDS}: {statistics.median(served / mine for mine, served in rounds):.0%}")
    print(f"answers: {load.count}, errors: {len(load.errors)} {sorted(set(load.errors))}")
    print("latency: " + ", ".join(f"p{p} {value:.0f} ms" for p, value in percentiles.items()))
    print(f"mean {statistics.fmean(ordered) * 1000:.0f} ms; memory {peak:.0f} MB")


if __name__ == "__main__":
    main()
