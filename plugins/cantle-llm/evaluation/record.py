"""Write a small set of texts with the others' answers, for a test that needs no NLTK.

    python record.py FOLDER FILE [--skip REGEX]

Taken are the first texts of some classes of the held-out part, made of the documents whose `language/group--number`
does not match REGEX. The file holds texts, lines, true borders, and the borders by TextTiling (its defaults and, of all
tried settings, the best on the development part).
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import tempfile
from pathlib import Path

from evaluate import mean, scores
from peers import SETTINGS, text_tiling

from cases import build

_CLASSES = ("3-5", "6-8", "9-11", "3-11", "paragraphs", "sections")
_EACH = 2
_LINES = 420


def main() -> None:
    """Read the arguments, write the file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("file", type=Path)
    parser.add_argument("--skip", default="(?!)", help="groups to leave out")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for path in sorted(arguments.folder.glob("*/*.txt")):
            if path.parent.name in ("en", "pt") and not re.search(arguments.skip, f"{path.parent.name}/{path.stem}"):
                (folder / path.parent.name).mkdir(exist_ok=True)
                shutil.copy(path, folder / path.parent.name)
        tuning, cases = build(folder, "dev", 8), build(folder, "test", 8)
    rows = []
    for (language, size), held in cases.items():
        if size not in _CLASSES:
            continue
        best = min(SETTINGS, key=lambda s: mean(scores(tuning[language, size], lambda case: text_tiling(case, s))))
        for case in [case for case in held if len(case.lines) <= _LINES][:_EACH]:
            rows.append(
                {
                    "name": case.name,
                    "language": language,
                    "class": size,
                    "text": case.text,
                    "lines": [[line.start, line.end, int(line.opens)] for line in case.lines],
                    "borders": list(case.borders),
                    "text_tiling": text_tiling(case, SETTINGS[0]),
                    "text_tiling_tuned": text_tiling(case, best),
                }
            )
    arguments.file.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")


if __name__ == "__main__":
    main()
