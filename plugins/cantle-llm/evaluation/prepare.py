"""Make a folder of documents of one subject each from Markdown, HTML and prose, for `evaluate.py`.

    python prepare.py CORPORA FOLDER

Written are `FOLDER/LANGUAGE/GROUP--NUMBER.txt`: paragraphs between blank lines, without headings, code, tables,
lists' marks or other markup. A group is a page, a chapter or a stretch of a book; its numbers are the sections.
CORPORA holds `docs.md` (concatenated Markdown pages), `html/*.html`, `en_prose.txt`, `pt_prose.txt`, `cjk_prose.txt`;
any of them may be missing. A folder of your own with that layout does as well.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

Section = tuple[str, str, list[str]]  # language, group, paragraphs

_FENCE = re.compile(r"^[ >]*(```|~~~)")
_DROP = re.compile(r"^\s*(\||<|///|:::|\{[#*%/]|\$\$|!\[|---|===|\[[^\]]+\]:)")


def _plain(text: str) -> str:
    """Markdown without the marks of emphasis, links, images and code."""
    text = re.sub(r"<[^<>\n]{0,300}>", "", text)
    text = re.sub(r"\{[^{}\n]{0,200}\}", "", text)
    text = re.sub(r"!?\[([^\[\]]{0,300})\]\([^()\s]{0,300}(?: \"[^\"]*\")?\)", r"\1", text)
    text = re.sub(r"\[([^\[\]]{0,300})\]\[[^\[\]]{0,100}\]", r"\1", text)
    text = re.sub(r"^\s*(>\s*)*([-*+]|\d+[.)])?\s+", "", text)
    return re.sub(r"[*`]+|(?<!\w)_|_(?!\w)", "", text).strip()


def language(text: str) -> str:
    """Portuguese or English, by the commonest words."""
    words = re.findall(r"\w+", text.lower())
    pt = sum(word in {"que", "de", "não", "uma", "para", "com", "os", "é", "em", "você"} for word in words)
    en = sum(word in {"the", "of", "and", "to", "is", "that", "in", "with", "you", "for"} for word in words)
    return "pt" if pt > en else "en"


def markdown(text: str, name: str) -> Iterator[Section]:
    """Sections under headings of level 1 and 2; a group is a page: it begins with a `#` or a title in front matter."""
    number = page = 0
    fence, above = False, ""
    paragraphs: list[str] = []
    lines: list[str] = []

    def flush() -> None:
        joined = " ".join(filter(None, map(_plain, lines)))
        if len(joined) > 30:
            paragraphs.append(joined)
        lines.clear()

    def section() -> Iterator[Section]:
        flush()
        if paragraphs:
            # What follows `x` does not count where documents are divided into two parts.
            group = f"{name}{number:03}x{page:03}" if page else f"{name}{number:03}"
            yield language(" ".join(paragraphs)), group, paragraphs.copy()
        paragraphs.clear()

    for line in text.split("\n"):
        if _FENCE.match(line):
            fence = not fence
            flush()
        elif fence:
            continue
        elif heading := re.match(r"(#{1,6}) ", line):
            if len(heading[1]) <= 2:
                yield from section()
                if len(heading[1]) == 1:
                    number, page = number + 1, 0
            flush()
        elif above == "---" and line.startswith("title:"):
            yield from section()
            page += 1
        elif not line.strip() or _DROP.match(line):
            flush()
        else:
            if re.match(r"\s*([-*+]|\d+[.)])\s", line):
                flush()
            lines.append(line)
        above = line
    yield from section()


def html(path: Path) -> Iterator[Section]:
    """Sections under headings of level 1 and 2; a group is a page."""
    from bs4 import BeautifulSoup

    soup = BeautifulSoup(path.read_text(encoding="utf-8", errors="replace"), "html.parser")
    paragraphs: list[str] = []
    for tag in soup.find_all(["h1", "h2", "p"]):
        if tag.name == "p":
            text = " ".join(tag.get_text(" ").split())
            if len(text) > 30:
                paragraphs.append(re.sub(r"\s+([,.;:)])", r"\1", text))
        elif paragraphs:
            yield "en", path.stem, paragraphs
            paragraphs = []
    if paragraphs:
        yield "en", path.stem, paragraphs


def stretches(paragraphs: list[str], tongue: str, name: str, size: int, every: int) -> Iterator[Section]:
    """Stretches of `size` paragraphs, each its own group; `every`th one only, so that they are far apart."""
    for number, start in enumerate(range(0, len(paragraphs) - size + 1, size * every)):
        yield tongue, f"{name}{number:03}", paragraphs[start : start + size]


def prose(folder: Path) -> Iterator[Section]:
    """Stretches of books and addresses."""
    if (path := folder / "en_prose.txt").exists():
        text = path.read_text(encoding="utf-8")
        at = text.find("PRESIDENT HARRY S. TRUMAN'S ADDRESS")
        pepys = text.find("2nd. In the morning before I went forth old East")
        holmes = [p for p in text[:at].split("\n\n") if len(p) > 40]
        yield from stretches(holmes, "en", "holmes", 25, 3)
        for number, address in enumerate(re.split(r"(?m)^PRESIDENT .*$", text[at:pepys])):
            lines = [p.strip() for p in address.split("\n") if len(p) > 80 and not p.isupper()]
            yield from stretches(lines, "en", f"union{number:03}x", 20, 3)
        yield from stretches([p for p in text[pepys:].split("\n\n") if len(p) > 40], "en", "pepys", 15, 12)
    if (path := folder / "pt_prose.txt").exists():
        text = path.read_text(encoding="utf-8")[:136_000]
        for number, chapter in enumerate(re.split(r"(?m)^[IVXLC]+\.?\n\n.*\n\n", text)):
            paragraphs = [" ".join(p.split()) for p in chapter.split("\n\n") if len(p) > 30]
            yield "pt", f"casmurro{number:03}", paragraphs
    if (path := folder / "cjk_prose.txt").exists():
        text = path.read_text(encoding="utf-8")
        paragraphs = [p for p in text.split("\n\n") if len(p) > 15]
        han = [p for p in paragraphs if not re.search("[\u3040-\u30ff]", p)]
        kana = [p for p in paragraphs if re.search("[\u3040-\u30ff]", p)]
        yield from stretches(han, "zh", "zh", 15, 2)
        yield from stretches(kana, "ja", "ja", 15, 2)


def main(corpora: Path, target: Path) -> None:
    """Write the sections that have enough text."""
    sections: list[Section] = []
    if (path := corpora / "docs.md").exists():
        sections.extend(markdown(path.read_text(encoding="utf-8"), "docs"))
    for page in sorted((corpora / "html").glob("*.html")):
        sections.extend(html(page))
    sections.extend(prose(corpora))
    numbers: dict[str, int] = {}
    for tongue, group, paragraphs in sections:
        if sum(map(len, paragraphs)) < (400 if tongue in ("zh", "ja") else 900):
            continue
        number = numbers[group] = numbers.get(group, -1) + 1
        folder = target / tongue
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{group}--{number:03}.txt").write_text("\n\n".join(paragraphs) + "\n", encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(Path(sys.argv[1]), Path(sys.argv[2]))
