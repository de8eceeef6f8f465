"""`cantle serve`: what it prints, how it ends, what it refuses."""

from __future__ import annotations

import dataclasses
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import jwt
import pytest
from click.testing import CliRunner
from service import SECRET

from cantle.cli import cli
from cantle_server import Settings
from cantle_server.commands.serve import command


def run(*arguments: str, **environment: str) -> Any:
    return CliRunner(env=environment).invoke(cli, ["serve", *arguments])


class Running:
    """`cantle serve` in a process; `err` is a file that grows."""

    def __init__(self, err: Path, *arguments: str, **environment: str) -> None:
        self._err = err
        with err.open("w") as stderr:
            self.process = self._started(stderr, arguments, environment)

    def _started(self, stderr: Any, arguments: tuple[str, ...], environment: dict[str, str]) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-m", "cantle", "serve", "--port", "0", "--workers", "1", *arguments],
            env={**os.environ, **environment},
            stdout=subprocess.PIPE,
            stderr=stderr,
            text=True,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
        )

    def until(self, pattern: str) -> re.Match[str]:
        end = time.monotonic() + 90
        while True:
            found = re.search(pattern, self._err.read_text())
            if found:
                return found
            assert self.process.poll() is None, self._err.read_text()
            assert time.monotonic() < end, self._err.read_text()
            time.sleep(0.02)

    @property
    def url(self) -> str:
        self.until("startup complete")
        return self.until(r"listens on (http://127\.0\.0\.1:\d+)")[1]


@pytest.fixture
def err(tmp_path: Path) -> Iterator[Path]:
    return tmp_path / "err"  # type: ignore[return-value]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_dev_prints_one_token_and_ends_when_told_to(err: Path, number: int) -> None:
    running = Running(err, "--dev")
    try:
        url = running.url
        token = running.process.stdout.readline().strip()  # type: ignore[union-attr]
        claims = jwt.decode(token, options={"verify_signature": False})
        assert (claims["hostId"], claims["userId"]) == ("default", "dev")
        with httpx.Client(base_url=url, trust_env=False, timeout=60) as client:
            answer = client.post("/v1/chunk", json={"text": "a"}, headers={"Authorization": f"Bearer {token}"})
            assert answer.status_code == 200
            children = Path(f"/proc/{running.process.pid}/task/{running.process.pid}/children")
            workers = children.read_text().split() if children.exists() else []
            running.process.send_signal(number)
            assert running.process.wait(60) == 0
    finally:
        running.process.kill()
        rest, _ = running.process.communicate()
    assert rest == ""
    assert err.read_text().endswith("Stopped.\n")
    for pid in workers:
        assert not Path(f"/proc/{pid}").exists()


def test_a_second_ctrl_c_breaks_requests_off_with_an_answer(err: Path) -> None:
    running = Running(err, "--dev", "--job-timeout", "300")
    try:
        url = running.url
        token = running.process.stdout.readline().strip()  # type: ignore[union-attr]
        headers = {"Authorization": f"Bearer {token}"}
        # A pattern that takes time without end.
        asked = {
            "text": "a" * 5000 + "!",
            "strategy": "character",
            "options": {"separator": "(a|aa)+$", "isSeparatorRegex": True},
        }
        with (
            httpx.Client(base_url=url, headers=headers, trust_env=False, timeout=120) as client,
            ThreadPoolExecutor(1) as threads,
        ):
            answer = threads.submit(client.post, "/v1/chunk", json=asked)
            end = time.monotonic() + 60
            while "cantle_workers_busy 1.0" not in httpx.get(f"{url}/metrics", headers=headers, trust_env=False).text:
                assert not answer.done(), answer.result().text
                assert time.monotonic() < end
            running.process.send_signal(signal.SIGINT)
            running.until("Shutting down")
            running.process.send_signal(signal.SIGINT)
            found = answer.result(60)
        assert running.process.wait(60) == 130
    finally:
        running.process.kill()
        running.process.communicate()
    assert (found.status_code, found.json()["error"]["code"]) == (503, "stopping")
    assert found.headers["retry-after"] == "5"
    log = err.read_text()
    lines = [json.loads(line) for line in log.splitlines() if line.startswith("{")]
    (line,) = (one for one in lines if one.get("route") == "/v1/chunk")
    assert (line["status"], line["error"]) == (503, "stopping")
    assert "Traceback" not in log
    assert not any("exception" in one for one in lines), log
    assert {one["level"] for one in lines} == {"info"}


def test_the_token_of_dev_sees_what_the_command_line_stored(err: Path, tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'chunks.db'}"
    (tmp_path / "leave.md").write_text("# Leave\n\nThirty days a year.")
    made = CliRunner().invoke(cli, ["ingest", str(tmp_path / "leave.md"), "--store", url, "--dataset", "handbook"])
    assert made.exit_code == 0, made.output
    running = Running(err, "--dev", "--store", url)
    try:
        with httpx.Client(base_url=running.url, trust_env=False, timeout=60) as client:
            client.headers["Authorization"] = f"Bearer {running.process.stdout.readline().strip()}"  # type: ignore[union-attr]
            found = client.get("/v1/datasets").json()["datasets"]
    finally:
        running.process.kill()
        running.process.communicate()
    assert [(one["name"], one["documents"]) for one in found] == [("handbook", 1)]
    assert "A token for the host default " in err.read_text()


def test_a_service_that_was_killed_leaves_no_workers(err: Path) -> None:
    running = Running(err, "--dev")
    try:
        assert running.url
        children = Path(f"/proc/{running.process.pid}/task/{running.process.pid}/children")
        if not children.exists():
            pytest.skip("no /proc")
        workers = children.read_text().split()
        assert workers
    finally:
        running.process.kill()
        running.process.communicate()
    end = time.monotonic() + 60
    while any(Path(f"/proc/{pid}").exists() for pid in workers):
        assert time.monotonic() < end
        time.sleep(0.02)


def test_a_port_that_is_taken_is_told() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        result = run("--port", str(port), CANTLE_SERVER_SECRET=SECRET)
    assert result.exit_code == 1
    assert f"127.0.0.1:{port} cannot be listened on" in result.output
    assert SECRET not in result.output


def test_a_store_that_cannot_be_opened_is_told(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/none/chunks.db"
    result = run("--store", url, "--port", "0", CANTLE_SERVER_SECRET=SECRET)
    assert result.exit_code == 1
    assert result.output.startswith("Error: ")
    assert len(result.output.splitlines()) == 1


def test_a_token_is_made(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text(f"{SECRET}\n")
    arguments = ("--secret-file", str(tmp_path / "secret"), "--audience", "cantle", "--token", "acme", "ana")
    result = run(*arguments, "--role", "hr", "--role", "legal", "--expires-in", "60")
    assert result.exit_code == 0
    claims = jwt.decode(result.output.strip(), SECRET, ["HS256"], audience="cantle")
    assert (claims["hostId"], claims["userId"], claims["roles"]) == ("acme", "ana", ["hr", "legal"])
    assert claims["exp"] - claims["iat"] == 60
    plain = run("--token", "acme", "ana", CANTLE_SERVER_SECRET=SECRET)
    assert "roles" not in jwt.decode(plain.output.strip(), SECRET, ["HS256"])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "How are tokens checked?"),
        (["--dev", "--host", "0.0.0.0"], "listens on loopback alone"),
        (["--dev", "--host", "192.168.0.1"], "listens on loopback alone"),
        (["--dev", "--port", "http"], "--port must be a whole number"),
        (["--dev", "--max-jobs", "0"], "--max-jobs must be a whole number from 1"),
        (["--dev", "--media-schemes", "ftp"], "--media-schemes must be https"),
        (["--dev", "--embedder", "e5"], "embedder is for a store"),
        (["--jwks-url", "http://example.com/"], "--jwks-url must be an address that begins with https://"),
        (["--public-key", "/nothing"], "'/nothing' cannot be read"),
        (["--token", "acme", "ana"], "How are tokens checked?"),
        (["--dev", "--role", "hr"], "are for --token"),
        (["--nothing"], "No such option"),
    ],
)
def test_wrong_usage_is_told(arguments: list[str], message: str) -> None:
    result = run(*arguments)
    assert result.exit_code == 2, result.output
    assert message in result.output


def test_help_teaches() -> None:
    result = run("--help")
    assert result.exit_code == 0
    assert "cantle serve --dev" in result.output
    for name in ("--secret-file", "--jwks-url", "--store", "--max-body-bytes", "--job-timeout", "--media-hosts"):
        assert name in result.output


def test_every_setting_is_an_option() -> None:
    options = {name for one in command.params for name in one.opts}
    wanted = {f"--{one.name.replace('_', '-')}" for one in dataclasses.fields(Settings)} - {"--secret"}
    assert wanted <= options
    assert "--secret-file" in options


def test_importing_costs_nothing() -> None:
    heavy = ("fastapi", "starlette", "uvicorn", "httpx", "sqlalchemy", "alembic", "numpy", "pydantic", "jwt")
    code = (
        "import sys, cantle_server, cantle_server.commands.serve, cantle.cli; from click.testing import CliRunner\n"
        "assert CliRunner().invoke(cantle.cli.cli, ['--help']).exit_code == 0\n"
        "assert CliRunner().invoke(cantle.cli.cli, ['serve', '--help']).exit_code == 0\n"
        f"sys.exit([name for name in {heavy!r} if name in sys.modules] or 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
