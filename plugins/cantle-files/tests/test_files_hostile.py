"""Broken, locked and hostile files: each is refused in one line, soon, and without using up the memory."""

from __future__ import annotations

import io
import json
import os
import re
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from hostile_files import LEAK, epub, files
from pdf_bytes import of_pages

from cantle import MDocument
from cantle.errors import CantleError, DocumentError
from cantle_files import read_file

pytest.importorskip("resource", reason="limits on memory are those of Unix")

MOST_MEMORY = 1_500_000_000
MOST_SECONDS = 10

WORKER = """
import json, os, sys, resource
from pathlib import Path
from cantle import MDocument
from cantle.errors import CantleError
import cantle_files.pdf.pdf, cantle_files.office.docx, cantle_files.books.epub, lxml.html

limit, seconds = int(sys.argv[2]), int(sys.argv[3])
for path in sorted(Path(sys.argv[1]).iterdir()):
    sys.stdout.flush()
    if (child := os.fork()) == 0:
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
        resource.setrlimit(resource.RLIMIT_CPU, (3 * seconds, 3 * seconds))
        try:
            document = MDocument.from_file(path)
            said = ["read", document.text[:200]]
        except CantleError as error:
            said = [type(error).__name__, str(error)]
        except BaseException as error:
            said = ["crash", repr(error)[:500]]
        used = resource.getrusage(resource.RUSAGE_SELF)
        print(json.dumps([path.name, *said, used.ru_utime + used.ru_stime]))
        sys.stdout.flush()
        os._exit(0)
    _, status = os.waitpid(child, 0)
    if status:
        print(json.dumps([path.name, "killed", str(status), 0]))
"""


def run(folder: Path) -> list[list[Any]]:
    """What `from_file` says of each file of a folder, each in a process of its own."""
    arguments = [sys.executable, "-c", WORKER, str(folder), str(MOST_MEMORY), str(MOST_SECONDS)]
    done = subprocess.run(
        arguments, capture_output=True, text=True, encoding="utf-8", check=False, env=dict(os.environ)
    )
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_hostile_files_are_refused_in_one_line_soon_and_with_bounded_memory(tmp_path: Path) -> None:
    wanted = {}
    for name, data, message in files():
        (tmp_path / name).write_bytes(data)
        wanted[name] = message
    assert len(wanted) > 50
    faults = []
    said = run(tmp_path)
    assert {name for name, *_ in said} == set(wanted)
    for name, kind, message, seconds in said:
        if kind != "DocumentError" or not re.search(wanted[name], message) or "\n" in message or len(message) > 600:
            faults.append(f"{name}: {kind}: {message}")
        elif not message.startswith((tmp_path / name).as_posix()) and name not in message:
            faults.append(f"{name} is not named: {message}")
        elif seconds > MOST_SECONDS:
            faults.append(f"{name} took {seconds} seconds")
    assert not faults, "\n".join(faults)


def test_an_external_entity_of_a_book_is_left_alone() -> None:
    page = LEAK.replace("x [", "html [") + "<html><body><p>words &leak; end</p></body></html>"
    text = read_file(epub(page), name="leak.epub").text
    assert text.startswith("words")
    assert "end" in text
    for path in (Path("/etc/hostname"), Path("/etc/hosts")):
        held = path.read_text(encoding="utf-8", errors="replace").strip() if path.exists() else ""
        assert not held or held not in text
    assert socket.gethostname() not in text


def test_a_wrong_password_is_one() -> None:
    pytest.importorskip("reportlab", reason="reportlab is not installed")
    from reportlab.lib.pdfencrypt import StandardEncryption
    from reportlab.pdfgen.canvas import Canvas

    out = io.BytesIO()
    canvas = Canvas(out, encrypt=StandardEncryption("user", "owner", strength=128))
    canvas.drawString(72, 720, "words")
    canvas.save()
    with pytest.raises(DocumentError, match=r"locked\.pdf is encrypted and wants a password"):
        read_file(out.getvalue(), name="locked.pdf")
    with pytest.raises(DocumentError, match=r"locked\.pdf is encrypted and wants another password"):
        read_file(out.getvalue(), name="locked.pdf", password="wrong")
    assert "words" in read_file(out.getvalue(), name="locked.pdf", password="user").text


@pytest.mark.parametrize("suffix", ["docx", "xlsx", "epub", "pdf", "ipynb", "eml", "csv", "rtf"])
def test_a_folder_is_no_file(tmp_path: Path, suffix: str) -> None:
    folder = tmp_path / f"folder.{suffix}"
    folder.mkdir()
    with pytest.raises((CantleError, OSError), match="folder"):
        MDocument.from_file(folder)


@pytest.mark.parametrize("suffix", ["docx", "epub", "pdf", "ipynb"])
def test_a_pipe_that_gives_nothing_of_use_is_refused(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"pipe.{suffix}"
    os.mkfifo(path)
    code = "from cantle import MDocument; import sys; MDocument.from_file(sys.argv[1])"
    reader = subprocess.Popen([sys.executable, "-c", code, str(path)], stderr=subprocess.PIPE, text=True)
    path.write_bytes(b"only a line of text\n")  # waits for the reader
    try:
        _, said = reader.communicate(timeout=60)
    finally:
        reader.kill()
    assert reader.returncode == 1
    assert "DocumentError" in said.strip().splitlines()[-1]


def test_a_folder_with_a_pipe_in_it_is_read_without_it(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.docx")
    (tmp_path / "good.pdf").write_bytes(of_pages(["words"]))
    done = subprocess.run(
        [sys.executable, "-m", "cantle", "chunk", str(tmp_path), "--format", "jsonl"],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert [Path(json.loads(line)["source"]).name for line in done.stdout.splitlines()] == ["good.pdf"]


def test_one_bad_file_among_good_ones_is_named_and_the_others_are_cut(tmp_path: Path) -> None:
    for name, data, _ in files():
        if name in ("locked-entries.epub", "text.docx", "half.ipynb", "laughs.docx"):
            (tmp_path / name).write_bytes(data)
    (tmp_path / "good.pdf").write_bytes(of_pages(["words"]))
    done = subprocess.run(
        [sys.executable, "-m", "cantle", "chunk", str(tmp_path), "--format", "jsonl"],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 1
    assert [Path(json.loads(line)["source"]).name for line in done.stdout.splitlines()] == ["good.pdf"]
    for name in ("locked-entries.epub", "text.docx", "half.ipynb", "laughs.docx"):
        assert name in done.stderr
    assert "Traceback" not in done.stderr
