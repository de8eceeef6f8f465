"""Sums of money, exact; and how they are written for people."""

from __future__ import annotations

import re
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation

from cantle.errors import OptionError

__all__ = ["amount", "currency_code", "shown", "written"]

_CENT = Decimal("0.01")


def amount(name: str, value: object, *, zero: bool = False) -> Decimal:
    """A number above 0 (or 0, with `zero`) as it is written: 0.02 is two hundredths, whatever a float makes of it.

    Raises `OptionError` for anything else.
    """
    try:
        found = Decimal(str(value)) if isinstance(value, int | float | str | Decimal) else None
    except InvalidOperation:
        found = None
    if isinstance(value, bool) or found is None or not found.is_finite() or found < 0 or not (found or zero):
        least = "0 or more" if zero else "above 0"
        hint = " Write the decimals behind a point." if isinstance(value, str) and "," in value else ""
        raise OptionError(f"{name} must be a number {least}, got {value!r}.{hint}")
    return found


def currency_code(value: str) -> str:
    """The code of a currency, in capitals: three letters. Raises `OptionError` for anything else."""
    if not (isinstance(value, str) and re.fullmatch("[A-Za-z]{3}", value)):
        raise OptionError(f"currency must be a code of three letters, such as USD, EUR or BRL, got {value!r}.")
    return value.upper()


def written(value: Decimal) -> str:
    """The number in full: no exponent, no zeros at its end."""
    text = format(value, "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


def shown(value: Decimal) -> str:
    """The number with two decimals; what is less than a hundredth, but not nothing, as `< 0.01`."""
    if 0 < value < _CENT:
        return f"< {_CENT}"
    return format(value.quantize(_CENT, ROUND_HALF_UP), ",f")
