"""One worker process, and the pipes to it."""

from __future__ import annotations

import asyncio
import contextlib
import os
import pickle
import re
import sys
from asyncio.subprocess import PIPE
from typing import Any

__all__ = ["Died", "Process"]

_BUFFER = 1 << 20
_START = 120.0

_SECRET = re.compile(
    r"^(CANTLE_(LLM|SERVER)_|OPENAI_|AWS_|AZURE_|GOOGLE_|ANTHROPIC_)|KEY|TOKEN|SECRET|PASSW|CREDENTIAL|DATABASE_URL"
)
"""Variables that workers do not get: what they run is chosen by requests."""


def _widen(process: asyncio.subprocess.Process) -> None:
    """Let most calls and results pass in one go: each time that a pipe is full costs a change of process."""
    try:
        import fcntl

        widen = fcntl.F_SETPIPE_SZ
    except (ImportError, AttributeError):  # Linux alone has it
        return
    transport: Any = process._transport  # type: ignore[attr-defined]
    for number in (0, 1):
        pipe = transport.get_pipe_transport(number).get_extra_info("pipe")
        if pipe is None:  # uvloop has sockets in their place
            continue
        with contextlib.suppress(OSError):  # the user may have too many of them
            fcntl.fcntl(pipe, widen, _BUFFER)


class Died(Exception):
    """The process is gone."""


class Process:
    """A worker process: calls to its standard input, answers from its standard output."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        assert process.stdin is not None
        assert process.stdout is not None
        self._in, self._out = process.stdin, process.stdout
        _widen(process)

    @classmethod
    async def start(cls, paths: list[str], memory: int, network: bool, warm: bool) -> Process:
        """Start one and wait until it is ready. Raises `Died` when it is not within two minutes."""
        environment = {name: value for name, value in os.environ.items() if not _SECRET.search(name.upper())}
        if "CANTLE_PLUGINS" in os.environ:
            environment["CANTLE_PLUGINS"] = os.environ["CANTLE_PLUGINS"]
        process = cls(
            await asyncio.create_subprocess_exec(
                sys.executable,
                "-c",
                "import sys; sys.path[:] = eval(sys.argv[1]); from cantle_server.work.child import main; main()",
                repr(paths),
                stdin=PIPE,
                stdout=PIPE,
                env=environment,
                limit=_BUFFER,
                start_new_session=True,  # Ctrl-C is for the service alone, which then ends its workers
            )
        )
        try:
            async with asyncio.timeout(_START):
                await process.send(pickle.dumps((paths, memory, network, warm)))
                kind, _ = await process.receive()
            if kind != "ready":
                raise Died
        except BaseException as error:
            await process.kill()
            if isinstance(error, TimeoutError):
                raise Died from error
            raise
        return process

    @property
    def alive(self) -> bool:
        """Whether it has not ended."""
        return self._process.returncode is None

    @property
    def pid(self) -> int:
        """Its process id."""
        return self._process.pid

    async def send(self, data: bytes) -> None:
        """Send a call. Raises `Died`."""
        try:
            # In one go: a worker that woke up for the length alone would have to sleep again.
            self._in.write(len(data).to_bytes(8, "big") + data)
            await self._in.drain()
        except (ConnectionError, RuntimeError) as error:
            raise Died from error

    async def receive(self) -> tuple[str, Any]:
        """The next answer. Raises `Died`."""
        try:
            head = await self._out.readexactly(8)
            data = await self._out.readexactly(int.from_bytes(head, "big"))
        except (asyncio.IncompleteReadError, ConnectionError) as error:
            raise Died from error
        return pickle.loads(data)  # type: ignore[no-any-return]

    async def kill(self) -> None:
        """End it now, and wait until it has."""
        with contextlib.suppress(ProcessLookupError):
            self._process.kill()
        self._in.close()
        # An answer that nobody reads would keep its pipe open: what is behind it, the end, is not read either.
        transport: Any = self._process._transport  # type: ignore[attr-defined]
        if (answers := transport.get_pipe_transport(1)) is not None:
            answers.close()
        await self._process.wait()
