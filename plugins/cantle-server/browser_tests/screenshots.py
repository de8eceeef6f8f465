"""Make the pictures of the playground: `python plugins/cantle-server/browser_tests/screenshots.py`.

Run at the root of the repository, with chromium or google-chrome on the PATH and playwright and cantle-server
installed.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, sync_playwright

ROOT = Path(__file__).parents[3]
PICTURES = ROOT / "docs" / "_static"
GUIDE = ROOT / "docs" / "examples" / "harbour-guide.md"
MOST = 200_000  # bytes

SHOTS: list[tuple[str, dict[str, Any], dict[str, str], int]] = [
    (
        "playground-light",
        {"color_scheme": "light", "viewport": {"width": 1360, "height": 860}},
        {"max_size": "60", "overlap": "15", "length_function": "cl100k_base"},
        2,
    ),
    (
        "playground-narrow",
        {"color_scheme": "dark", "viewport": {"width": 420, "height": 800}},
        {"max_size": "300"},
        3,
    ),
]


def shoot(
    browser: Browser, address: str, name: str, options: dict[str, Any], given: dict[str, str], chunk: int
) -> None:
    context = browser.new_context(**options)
    page = context.new_page()
    page.goto(address)
    page.wait_for_selector("#strategy option", state="attached")
    page.select_option("#strategy", "structural-context")
    page.select_option("#kind", "markdown")
    for option, value in given.items():
        page.fill(f"#option-{option}", value)
    page.fill("#input", GUIDE.read_text(encoding="utf-8"))
    page.wait_for_function("() => document.getElementById('results').dataset.state === 'done'")
    page.evaluate("document.activeElement.blur()")
    for _ in range(chunk + 1):
        page.keyboard.press("j")
    if options["viewport"]["width"] > 1000:
        page.evaluate(
            "() => { for (const id of ['setup', 'input']) document.getElementById(id).scrollTop = 0; scrollTo(0, 0); }"
        )
    page.wait_for_timeout(300)
    target = PICTURES / f"{name}.png"
    page.screenshot(path=target)
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
    service = subprocess.Popen(
        [Path(sys.executable).with_name("cantle"), "serve", "--dev", "--port", "0"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert service.stderr is not None
    try:
        said = ""
        while (found := re.search(r"^The playground: (\S+)", said, re.M)) is None:
            line = service.stderr.readline()
            if not line:
                sys.exit(f"cantle serve ended: {said}")
            said += line
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=browser_path, args=["--no-sandbox"])
            for shot in SHOTS:
                shoot(browser, found[1], *shot)
            browser.close()
    finally:
        service.terminate()
        service.communicate(timeout=60)


if __name__ == "__main__":
    main()
