"""Numbers of spreadsheets as their formats show them (ECMA-376, part 1, 18.8.31): `0.00%`, `#,##0`, `yyyy-mm-dd`.

Decimal points and commas are as in English, dates and times as in ISO 8601, whatever the order that a format asks for:
that order depends on who opens the file. A format that is not understood shows the number as it is.
"""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal, localcontext
from functools import lru_cache
from typing import NamedTuple

__all__ = ["BUILTIN", "date_shown", "plain", "shown"]

BUILTIN = {
    1: "0",
    2: "0.00",
    3: "#,##0",
    4: "#,##0.00",
    5: '"$"#,##0',
    6: '"$"#,##0',
    7: '"$"#,##0.00',
    8: '"$"#,##0.00',
    9: "0%",
    10: "0.00%",
    11: "0.00E+00",
    14: "yyyy-mm-dd",
    15: "yyyy-mm-dd",
    16: "dd-mmm",
    17: "mmm-yy",
    18: "h:mm AM/PM",
    19: "h:mm:ss AM/PM",
    20: "h:mm",
    21: "h:mm:ss",
    22: "yyyy-mm-dd h:mm",
    37: "#,##0",
    38: "#,##0",
    39: "#,##0.00",
    40: "#,##0.00",
    45: "mm:ss",
    46: "[h]:mm:ss",
    47: "mm:ss.0",
    48: "##0.0E+0",
}
"""The formats that have a number and no text in a file."""

_LONGEST = 255
"""Characters of a format; Excel allows no more."""

_TOKEN = re.compile(
    r'"([^"]*)"?|\\(.)|_.|\*.|\[(\$[^\]]*|[^\]]*)\]|(AM/PM|A/P)|(E[+-])|(y+|m+|d+|h+|s+|b+|g+|e)|([0#?]+)|([.,%/@])|(.)',
    re.IGNORECASE | re.DOTALL,
)
_CONDITION = re.compile(r"(<=|>=|<>|<|>|=)\s*(-?\d+(?:\.\d+)?)$")
_ELAPSED = re.compile(r"(h+|m+|s+)$", re.IGNORECASE)
_LAST_DAY = 2_958_466


class _Section(NamedTuple):
    """One of the up to four parts of a format. `parts` are `(what, text)`."""

    parts: tuple[tuple[str, str], ...]
    condition: tuple[str, float] | None
    units: str
    """What of a date it shows: letters of `ymdhs`, with `M` for minutes and `E` where hours may be more than 24."""


def plain(value: float) -> str:
    """A number without a format: 15 digits, as spreadsheets keep them."""
    if abs(value) < 1e21 and value == int(value):
        return str(int(value))
    return f"{value:.15g}"


def shown(value: float, code: str, *, from_1904: bool = False) -> str:
    """A number as a format shows it. `from_1904` says from when days are counted, as programs of old Macs did."""
    if code.lower() in ("", "general", "@", "standard") or len(code) > _LONGEST or not abs(value) < 1e300:
        return plain(value)
    section, negative = _chosen(_sections(code), value)
    if section is None:
        return plain(value)
    if section.units:
        return _date(value, section.units, from_1904) or plain(value)
    return _number(value, section, negative) or plain(value)


@lru_cache(maxsize=1024)
def _sections(code: str) -> tuple[_Section, ...]:
    found = []
    parts: list[tuple[str, str]] = []
    condition: tuple[str, float] | None = None
    for token in _TOKEN.finditer(code):
        quoted, escaped, bracket, noon, power, unit, digits, sign, other = token.groups()
        if other == ";":
            found.append(_section(parts, condition))
            parts, condition = [], None
        elif quoted is not None or escaped is not None or other is not None:
            parts.append(("text", quoted if quoted is not None else escaped or other))
        elif bracket is not None:
            if bracket.startswith("$"):
                parts.append(("text", bracket[1:].partition("-")[0]))
            elif match := _CONDITION.match(bracket):
                condition = match[1], float(match[2])
            elif _ELAPSED.match(bracket):
                parts.append(("elapsed", bracket[0].lower()))
        elif noon:
            parts.append(("noon", noon))
        elif power:
            parts.append(("power", power))
        elif unit:
            if unit.lower() == "e":
                parts.append(("unit", "y"))
            elif unit[0].lower() not in "bg":
                parts.append(("unit", unit.lower()))
        elif digits:
            parts.append(("digits", digits))
        elif sign:
            parts.append((sign, sign))
    found.append(_section(parts, condition))
    return tuple(found[:4])


def _section(parts: list[tuple[str, str]], condition: tuple[str, float] | None) -> _Section:
    units = ""
    before = ""
    for i, (what, text) in enumerate(parts):
        if what == "elapsed":
            units += "E" + text.replace("m", "M")
            before = text
        elif what == "unit":
            letter = text[0]
            if letter == "m" and len(text) <= 2:
                after = next((t[0] for w, t in parts[i + 1 :] if w == "unit"), "")
                letter = "M" if before == "h" or after == "s" else "m"
            units += letter
            before = letter
    return _Section(tuple(parts), condition, units)


def _chosen(sections: tuple[_Section, ...], value: float) -> tuple[_Section | None, bool]:
    """The section for a value, and whether its minus is to be written."""
    if any(section.condition for section in sections):
        for section in sections[:3]:
            if section.condition is None or _holds(value, *section.condition):
                return section, value < 0
        return None, False
    if value < 0 and len(sections) > 1:
        return sections[1], False
    if value == 0 and len(sections) > 2:
        return sections[2], False
    return sections[0], value < 0


def _holds(value: float, sign: str, other: float) -> bool:
    return {
        "<": value < other,
        ">": value > other,
        "=": value == other,
        "<=": value <= other,
        ">=": value >= other,
        "<>": value != other,
    }[sign]


def _date(value: float, units: str, from_1904: bool) -> str:
    if "E" in units:
        return _elapsed(value, units)
    if not 0 <= value < _LAST_DAY:
        return ""
    days = value + 1462 if from_1904 else value
    if not from_1904 and days < 60:  # they count a 29th of February 1900, which there was not
        days += 1
    moment = datetime(1899, 12, 30) + timedelta(milliseconds=round(days * 86_400_000))
    return date_shown(moment, units)


def date_shown(moment: datetime, units: str) -> str:
    """Of a date and time what letters of `ymdhMs` ask for, as in ISO 8601."""
    day = moment.strftime("%Y-%m-%d") if moment.year >= 1000 else moment.isoformat()[:10]
    shown = ""
    if "d" in units or ("y" not in units and "m" in units):
        shown = day
    elif "y" in units:
        shown = day[:7] if "m" in units else day[:4]
    if set("hMs") & set(units):
        seconds = f":{moment.second:02}" if "s" in units else ""
        shown += f"{' ' if shown else ''}{moment.hour:02}:{moment.minute:02}{seconds}"
    return shown


def _elapsed(value: float, units: str) -> str:
    total = round(abs(value) * 86_400)
    minus = "-" if value < 0 and total else ""
    hours, minutes, seconds = total // 3600, total // 60 % 60, total % 60
    if units.startswith("Es"):
        return f"{minus}{total}"
    if units.startswith("EM"):
        return f"{minus}{total // 60:02}:{seconds:02}"
    return f"{minus}{hours}:{minutes:02}" + (f":{seconds:02}" if "s" in units else "")


def _number(value: float, section: _Section, negative: bool) -> str:
    """A number by a section with one stretch of digits; empty where it has another form, such as a fraction."""
    kinds = [what for what, _ in section.parts]
    if "/" in kinds or "@" in kinds:
        return ""
    if "digits" not in kinds:
        return "".join(text for what, text in section.parts if what == "text").strip() if "text" in kinds else ""
    first = kinds.index("digits")
    if first and kinds[first - 1] == ".":
        first -= 1
    last = len(kinds) - 1 - kinds[::-1].index("digits")
    while last + 1 < len(kinds) and kinds[last + 1] == ",":
        last += 1
    inside = section.parts[first : last + 1]
    if any(what in ("text", "%", "noon") for what, _ in inside):
        return ""
    amount = abs(Decimal(repr(value))) * 100 ** kinds.count("%")
    with localcontext(prec=400):
        digits = _digits(amount, inside)
    if digits is None:
        return ""
    parts = [*section.parts[:first], ("text", digits), *section.parts[last + 1 :]]
    minus = "-" if negative and any(digit in digits for digit in "123456789") else ""
    return minus + "".join(text for what, text in parts if what in ("text", "%")).strip()


def _digits(amount: Decimal, inside: tuple[tuple[str, str], ...]) -> str | None:
    form = "".join(text for _, text in inside)
    mantissa, power, exponent = form.upper().partition("E")
    scale = len(mantissa) - len(mantissa.rstrip(","))
    mantissa = mantissa.rstrip(",")
    whole, point, fraction = mantissa.partition(".")
    if "." in fraction or "," in fraction or (power and ("," in whole or scale)):
        return None
    amount /= 1000**scale
    if power:
        shift = amount.adjusted() if amount else 0
        text = _fixed(amount.scaleb(-shift), "0", fraction, point)
        if text.startswith("10"):
            shift += 1
            text = _fixed(amount.scaleb(-shift), "0", fraction, point)
        width = exponent.count("0")
        return f"{text}E{'-' if shift < 0 else '+' if '+' in exponent else ''}{abs(shift):0{max(width, 1)}}"
    return _fixed(amount, whole, fraction, point)


def _fixed(amount: Decimal, whole: str, fraction: str, point: str) -> str:
    rounded = amount.quantize(Decimal(1).scaleb(-len(fraction)), ROUND_HALF_UP)
    left, _, right = f"{rounded:f}".partition(".")
    left = left.lstrip("0").rjust(whole.count("0"), "0")
    least = max(fraction.rfind("0"), -1) + 1
    while len(right) > least and right.endswith("0"):
        right = right[:-1]
    if "," in whole:
        left = re.sub(r"(?<=\d)(?=(?:\d{3})+$)", ",", left)
    return left + (point if right else "") + right
