"""Make the pictures of the documentation: `python plugins/cantle-inspect/browser_tests/screenshots.py`.

Run at the root of the repository, with chromium or google-chrome on the PATH and playwright and cantle-inspect
installed. The commands are those that the pages show.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, sync_playwright

ROOT = Path(__file__).parents[3]
PICTURES = ROOT / "docs" / "_static"
MOST = 200_000  # bytes

GUIDE = "docs/examples/harbour-guide.md"
TIDE = "docs/examples/tide-tables.md"

VIEW = ["view", TIDE, "-s", "structural-context", "-n", "60", "--overlap", "15", "-l", "cl100k_base"]
COMPARE = [
    "compare",
    GUIDE,
    "-s",
    "recursive",
    "-s",
    "structural-context",
    "-s",
    "token",
    "-n",
    "40",
    "-l",
    "cl100k_base",
]

SHOTS: list[tuple[str, list[str], dict[str, Any], list[str]]] = [
    ("view-light", VIEW, {"color_scheme": "light", "viewport": {"width": 1200, "height": 1000}}, ["j", "top"]),
    ("view-dark", VIEW, {"color_scheme": "dark", "viewport": {"width": 1200, "height": 620}}, ["/", "4", "Enter"]),
    ("view-narrow", VIEW, {"color_scheme": "light", "viewport": {"width": 420, "height": 800}}, ["j", "j", "j"]),
    ("compare", COMPARE, {"color_scheme": "light", "viewport": {"width": 1200, "height": 960}}, []),
]


def shoot(browser: Browser, name: str, page: Path, options: dict[str, Any], keys: list[str]) -> None:
    context = browser.new_context(**options)
    tab = context.new_page()
    tab.goto(page.as_uri())
    for key in keys:
        if key == "top":
            tab.evaluate("scrollTo(0, 0)")
        else:
            tab.keyboard.press(key)
    tab.wait_for_timeout(300)
    target = PICTURES / f"{name}.png"
    tab.screenshot(path=target)
    context.close()
    size = target.stat().st_size
    sys.stdout.write(f"{target.relative_to(ROOT)}: {size:,} bytes\n")
    if size > MOST:
        sys.exit(f"{target} is larger than {MOST:,} bytes. Take a smaller window.")


def main() -> None:
    browser_path = shutil.which("chromium") or shutil.which("google-chrome")
    if browser_path is None:
        sys.exit("No chromium or google-chrome is on the PATH. Install one: apt-get install chromium.")
    PICTURES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=browser_path, args=["--no-sandbox"])
        for name, command, options, keys in SHOTS:
            page = Path(folder) / f"{name}.html"
            subprocess.run(["cantle", *command, "-o", str(page)], check=True, cwd=ROOT, stdout=subprocess.DEVNULL)
            shoot(browser, name, page, options, keys)
        browser.close()


if __name__ == "__main__":
    main()
