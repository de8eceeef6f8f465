"""How worker processes end: with their parent, however that ends, and with Ctrl-C; whatever they are busy with."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(os.name == "nt", reason="needs signals and process groups")

METHODS = multiprocessing.get_all_start_methods()

WORK = """
import os, re, signal, sys, time
from cantle.pools import Pool

class Work:
    def __call__(self, batch, skip, mark):
        for i, item in enumerate(batch):
            mark(i)
            if item == "stuck":  # holds the interpreter's lock, for hours
                os.write(1, b"stuck\\n")
                re.match(r"(a|aa)+$", "a" * 60 + "b")
            elif item == "large":
                return "x" * 300_000_000
        return os.getpid()
"""


def script(folder: Path, body: str) -> Path:
    path = folder / "script.py"
    path.write_text(WORK + "\nif __name__ == '__main__':\n" + textwrap.indent(textwrap.dedent(body), "    "))
    return path


@contextlib.contextmanager
def started(path: Path) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(
        [sys.executable, str(path)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # what runs in the background may ignore it
    )
    try:
        yield process
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


# That the output ends is the test that no worker is left: each of them holds the pipe.


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("end", ["SIGKILL", "SIGTERM"])
def test_workers_that_are_stuck_end_with_their_parent(method: str, end: str, tmp_path: Path) -> None:
    path = script(tmp_path, f"list(Pool(Work(), 2, start_method={method!r}).run([['stuck'], ['stuck']]))")
    with started(path) as process:
        assert process.stdout is not None
        assert [process.stdout.readline() for _ in range(2)] == ["stuck\n"] * 2
        os.kill(process.pid, getattr(signal, end))
        out, err = process.communicate(timeout=60)
    assert (out, process.returncode) == ("", -getattr(signal, end))
    assert "Traceback" not in err


@pytest.mark.parametrize("method", METHODS)
def test_ctrl_c_ends_what_is_stuck_at_once(method: str, tmp_path: Path) -> None:
    body = f"""
    try:
        with Pool(Work(), 2, start_method={method!r}) as pool:
            list(pool.run([["stuck"], ["stuck"]]))
    except KeyboardInterrupt:
        print("stopped", flush=True)
    """
    with started(script(tmp_path, body)) as process:
        assert process.stdout is not None
        assert process.stdout.readline().startswith("stuck\n")
        os.killpg(process.pid, signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert (out.splitlines()[-1], err, process.returncode) == ("stopped", "", 0)


def test_a_script_that_ends_in_the_middle_leaves_nothing(tmp_path: Path) -> None:
    body = """
    pool = Pool(Work(), 2)
    answers = pool.run([[1], ["stuck"], ["large"], ["large"]], ordered=False)
    next(answers)
    raise SystemExit(7)  # nothing is closed
    """
    with started(script(tmp_path, body)) as process:
        _, err = process.communicate(timeout=60)
    assert (err, process.returncode) == ("", 7)


def test_an_answer_that_nobody_takes_keeps_no_worker(tmp_path: Path) -> None:
    body = """
    answers = Pool(Work(), 2).run([["large"]] * 9)
    next(answers)
    time.sleep(0.2)  # the others are being sent, more than any pipe holds
    os.kill(os.getpid(), signal.SIGKILL)
    """
    with started(script(tmp_path, body)) as process:
        out, err = process.communicate(timeout=60)
    assert (out, err, process.returncode) == ("", "", -signal.SIGKILL)


def test_other_processes_of_the_parent_keep_no_worker(tmp_path: Path) -> None:
    body = """
    pool = Pool(Work(), 1)
    (_, pid), = pool.run([[1]])
    if os.fork() == 0:
        os.close(1)
        pool.close()  # it is not this one's
        os.close(2)
        time.sleep(60)
    print(pid, flush=True)
    time.sleep(60)
    """
    with started(script(tmp_path, body)) as process:
        assert process.stdout is not None
        pid = int(process.stdout.readline())
        os.kill(pid, 0)
        os.kill(process.pid, signal.SIGKILL)
        process.communicate(timeout=60)


@pytest.mark.skipif("fork" not in METHODS, reason="needs fork")
def test_a_daemon_may_have_workers(tmp_path: Path) -> None:
    body = """
    import multiprocessing

    def inside():
        with Pool(Work(), 2, timeout=5) as pool:
            print(len(list(pool.run([[1], [2]]))), multiprocessing.current_process().daemon, flush=True)

    process = multiprocessing.get_context("fork").Process(target=inside, daemon=True)
    process.start()
    process.join()
    """
    with started(script(tmp_path, body)) as process:
        assert process.communicate(timeout=60) == ("2 True\n", "")


@pytest.mark.parametrize("method", [method for method in METHODS if method != "fork"])
def test_a_script_without_a_main_part_is_told_so(method: str, tmp_path: Path) -> None:
    path = tmp_path / "script.py"
    path.write_text(WORK + f"\nlist(Pool(Work(), 2, start_method={method!r}).run([[1], [2]]))\n")
    with started(path) as process:
        _, err = process.communicate(timeout=60)
    assert process.returncode == 1
    assert "cantle.errors.CantleError: Worker processes cannot start" in err
    assert "if __name__ == '__main__':" in err


def test_signals_of_the_parent_are_its_own(tmp_path: Path) -> None:
    body = """
    import asyncio

    async def main():
        loop = asyncio.get_running_loop()
        loop.add_signal_handler(signal.SIGTERM, print, "SIGTERM")
        with Pool(Work(), 1) as pool:
            for _, pid in pool.run([[1], [2]]):
                await asyncio.sleep(0.1)
            os.kill(pid, signal.SIGTERM)
            await asyncio.sleep(0.5)

    asyncio.run(main())
    print("end", flush=True)
    """
    with started(script(tmp_path, body)) as process:
        assert process.communicate(timeout=60) == ("end\n", "")
