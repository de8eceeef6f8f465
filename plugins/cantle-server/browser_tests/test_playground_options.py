"""The options of the playground: made from their schema, read as they were meant, and what is wrong with them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Open = Callable[..., Any]

TEXT = (
    "# The harbour\n\nBoats of up to twelve metres find a berth there all year round.\n\n## Tides\n\n"
    "High water comes twice a day, about fifty minutes later each day.\n\n## Fees\n\n"
    "A night costs two euros a metre. Those who stay for a week pay for six nights.\n"
)


def test_options_come_from_their_schema(open_page: Open) -> None:
    opened = open_page()
    page = opened.page
    opened.put(TEXT)
    names = page.locator("#strategy option").all_inner_texts()
    assert {"recursive", "markdown", "token", "lines"} <= set(names)
    for name in names:
        page.select_option("#strategy", name)
        schema = page.evaluate(
            """async ([name, token]) => (await (await fetch("v1/strategies/" + name,
            { headers: { Authorization: "Bearer " + token } })).json()).options""",
            [name, opened.service.token],
        )
        shown = {
            n for n, form in schema["properties"].items() if not form.get("x-unused") and form.get("type") != "null"
        }
        fields = page.locator("#options .field")
        assert fields.count() == len(shown)
        for option in shown:
            control = page.locator(f"#option-{option}")
            assert control.count() == 1
            description = schema["properties"][option].get("description", "")
            if description:
                assert description.split("\n")[0][:40].replace("`", "") in page.inner_text(f"#option-{option}-note")
    page.select_option("#strategy", "recursive")
    assert page.locator("#option-strip_whitespace").is_checked()
    assert page.get_attribute("#option-max_size", "placeholder") == "4000"
    assert page.locator("#options .changed").count() == 0


def test_only_what_differs_from_the_default_is_sent(open_page: Open) -> None:
    opened = open_page()
    page = opened.page
    opened.put(TEXT)
    bodies: list[Any] = []
    page.on("request", lambda request: bodies.append(request.post_data_json) if "chunk" in request.url else None)

    def sent() -> Any:
        opened.settled()
        return bodies[-1].get("options", {})

    opened.option("max_size", "4000")
    assert sent() == {}
    opened.option("max_size", "50, 100")
    assert sent() == {"max_size": [50, 100]}
    assert page.locator("#options .changed").count() == 1
    page.select_option("#strategy", "sentence")
    opened.option("overlap", "none")
    assert sent() == {"max_size": [50, 100], "overlap": None}
    opened.option("overlap", "")
    page.select_option("#strategy", "character")
    opened.option("max_size", "")
    assert sent() == {}
    opened.option("separator", '""')
    assert sent() == {"separator": ""}
    page.select_option("#strategy", "recursive")
    page.locator("#option-strip_whitespace").uncheck()
    page.select_option("#option-separator_position", label="end")
    opened.option("separators", '["\\n\\n", ""]')
    assert sent() == {"strip_whitespace": False, "separator_position": "end", "separators": ["\n\n", ""]}
    opened.option("separators", "\\n\n ")
    assert sent()["separators"] == ["\n", " "]
    page.click("#rest summary")
    page.fill("#raw", '{"maxSize": 80}')
    assert sent()["max_size"] == 80
    page.fill("#raw", "{")
    opened.settled("wrong")
    assert "not JSON" in page.inner_text("#raw-error")
    assert page.get_attribute("#raw", "aria-invalid") == "true"
    page.click("#reset")
    assert sent() == {}
    assert page.locator("#options .changed").count() == 0
    opened.option("max_size", "few")
    opened.settled("wrong")
    assert "number" in page.inner_text("#option-max_size-error")
    page.focus("#option-overlap")
    page.keyboard.press("Shift+ArrowUp")
    assert page.input_value("#option-overlap") == ""  # there is no number to begin with
    opened.option("max_size", "100")
    page.focus("#option-max_size")
    for key in ("ArrowUp", "Shift+ArrowDown"):
        page.keyboard.press(key)
    assert sent() == {"max_size": 91}


def test_what_the_service_says_of_an_option_stands_at_its_field(open_page: Open) -> None:
    opened = open_page(failing=(422,))
    opened.put(TEXT)
    opened.option("max_size", "10")
    opened.option("overlap", "20")
    opened.settled("wrong")
    page = opened.page
    assert "overlap must be smaller" in page.inner_text("#alert")
    assert "overlap must be smaller" in page.inner_text("#option-overlap-error")
    assert page.get_attribute("#alert", "role") == "alert"
    opened.option("overlap", "2")
    opened.settled()
    assert page.locator("#alert").is_hidden()
    assert page.locator("#option-overlap-error").is_hidden()
    assert page.get_attribute("#option-overlap", "aria-invalid") is None


def test_a_needed_option_begins_with_a_value(open_page: Open) -> None:
    opened = open_page()
    opened.put(TEXT, strategy="sentence")
    assert opened.page.input_value("#option-max_size") == "1000"
    assert "".join(opened.marked().values()).startswith("# The harbour")
    opened.option("max_size", "")
    opened.settled("wrong")
    assert "needs a value" in opened.page.inner_text("#option-max_size-error")


def test_numbers_that_would_be_changed_are_not_sent(open_page: Open) -> None:
    opened = open_page()
    opened.put(TEXT)
    opened.page.click("#rest summary")
    for number in ("9007199254740993", "1e999"):
        opened.page.fill("#raw", f'{{"max_size": {number}}}')
        opened.settled("wrong")
        assert "too large" in opened.page.inner_text("#raw-error")
    opened.page.click("#copy-python")
    opened.page.wait_for_function("() => document.getElementById('status').textContent.startsWith('Nothing is copied')")
