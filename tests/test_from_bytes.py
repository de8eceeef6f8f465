"""`MDocument.from_bytes` reads what `from_file` reads."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from cantle import MDocument, Registry, hookimpl
from cantle.errors import DocumentError, OptionError

FRONT = "---\ntitle: Marés\n---\n# Água\n\nSobe e desce.\n"
CASES: dict[str, tuple[str, bytes, dict[str, Any]]] = {
    "markdown": ("a.md", FRONT.encode(), {}),
    "front matter kept": ("a.md", FRONT.encode(), {"front_matter": "keep"}),
    "UTF-16": ("a.txt", FRONT.encode("utf-16"), {"metadata": {"title": "Mine"}}),
    "an encoding": ("a.txt", "café".encode("cp1252"), {"encoding": "cp1252"}),
    "HTML": ("a.htm", b'<meta charset="iso-8859-1"><p>caf\xe9', {}),
    "a kind": ("a.html", b"<p>a", {"kind": "text"}),
    "JSON": ("a.json", b'\xef\xbb\xbf{"a": 1}', {}),
    "no suffix": ("a", b"a\r\nb", {}),
    "a source": ("a.md", b"a", {"source": "other"}),
}


@pytest.mark.parametrize("case", CASES)
def test_it_reads_as_from_file_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, case: str) -> None:
    name, data, options = CASES[case]
    monkeypatch.chdir(tmp_path)
    Path(name).write_bytes(data)
    assert MDocument.from_bytes(data, name, **options) == MDocument.from_file(name, **options)


def test_a_plugin_reads_the_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    class Plugin:
        @hookimpl
        def load_document(self, data: Any, name: str, media_type: str | None) -> MDocument | None:
            if not name.endswith(".doc"):
                return None
            return MDocument(data.decode().upper(), "markdown", {"a": 1, "b": 1}, "ours", 2)

    host = Registry({"doc": Plugin()})
    monkeypatch.setattr("cantle.loading.registry", lambda: host)
    found = MDocument.from_bytes(b"abc", "x.doc", metadata={"b": 2})
    assert found == MDocument("ABC", "markdown", {"a": 1, "b": 2}, "x.doc", 2)
    assert MDocument.from_bytes(b"abc", "x.doc", front_matter="keep").body == 0
    assert MDocument.from_bytes(b"abc", "x.doc", kind="text").text == "abc"


def test_without_a_name_it_is_text() -> None:
    assert MDocument.from_bytes(b"# a") == MDocument("# a", "text", {}, "")


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (("text",), OptionError, "data must be bytes, got str"),
        ((b"a", Path("a")), OptionError, "name must be a string"),
        ((b"\xff\xfe\x00", "a.bin"), DocumentError, "a.bin"),
        ((b"\x89PNG\r\n\x1a\n\0\0",), DocumentError, "the file is a PNG image"),
    ],
)
def test_what_is_wrong_is_told(arguments: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        MDocument.from_bytes(*arguments)
