"""The numbers of a chart (ECMA-376, part 1, clause 21.2), as they were when the file was saved."""

from __future__ import annotations

from ..containers.opc import attribute, child, find_all, whole
from ..containers.xml import Element, tag
from ..markup.writing import clean

__all__ = ["chart_rows"]

_MOST_POINTS = 10_000


def chart_rows(root: Element) -> tuple[str, list[list[str]]]:
    """The title of a chart, and its series as a table: a column for each, a row for each category."""
    chart = child(root, "chart")
    named = child(chart, "title")
    title = "" if named is None else " ".join(clean("".join(one.text or "" for one in named.iter("{*}t"))).split())
    series = [] if chart is None else list(chart.iter("{*}ser"))
    categories: dict[int, str] = {}
    columns: list[tuple[str, dict[int, str]]] = []
    for one in series:
        name = _points(child(one, "tx")).get(0, f"Series {len(columns) + 1}")
        values = child(one, "val") if child(one, "val") is not None else child(one, "yVal")
        labels = child(one, "cat") if child(one, "cat") is not None else child(one, "xVal")
        columns.append((name, _points(values)))
        categories = categories or _points(labels)
    places = sorted({place for _, points in columns for place in points} | set(categories))[:_MOST_POINTS]
    if not places:
        return title, []
    rows = [["", *(name for name, _ in columns)]]
    rows += [[categories.get(at, str(at + 1)), *(points.get(at, "") for _, points in columns)] for at in places]
    return title, rows


def _points(element: Element | None) -> dict[int, str]:
    """The values by their places; of labels in several levels the innermost."""
    if element is None:
        return {}
    for one in element.iter():
        if tag(one) in ("strCache", "numCache", "strLit", "numLit", "lvl"):
            return {whole(attribute(point, "idx")): _value(point) for point in find_all(one, "pt")}
    return {0: _value(element)} if child(element, "v") is not None else {}


def _value(point: Element) -> str:
    value = child(point, "v")
    return "" if value is None else clean(value.text or "")
