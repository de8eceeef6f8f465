"""Sums of money, exact; and how they are written for people."""

from __future__ import annotations

import re
from decimal import ROUND_HALF_UP, Decimal, localcontext

from cantle.errors import OptionError

__all__ = ["amount", "currency_code", "product", "shown", "written"]

_CENT = Decimal("0.01")


def amount(name: str, value: object, *, zero: bool = False) -> Decimal:
    """A number above 0 (or 0, with `zero`) as it is written: 0.02 is two hundredths, whatever a float makes of it.

    Raises `OptionError` for anything else: for digits of other scripts, underscores between them, and for what is above
    a billion, below a billionth (but 0), or has more than 30 digits, which no price, rate or sum is.
    """
    found = None
    text = ""
    if isinstance(value, int | float | str | Decimal) and not isinstance(value, bool):
        text = "1e999" if isinstance(value, int) and value > _MOST else str(value).strip()  # str() has a limit
    if _NUMBER.fullmatch(text):
        found = Decimal(text)
    if found is None or found < 0 or not (found or zero):
        least = "0 or more" if zero else "above 0"
        hint = " Write the decimals behind a point." if isinstance(value, str) and "," in value else ""
        raise OptionError(f"{name} must be a number {least}, got {value!r:.80}.{hint}")
    if found > _MOST or 0 < found < _LEAST or len(found.as_tuple().digits) > _DIGITS:
        raise OptionError(
            f"{name} must be from {_LEAST:f} to {_MOST:,f}, with {_DIGITS} digits at most, got {text:.80}."
        )
    return found


_NUMBER = re.compile(r"[+-]?(?:[0-9]{1,100}(?:\.[0-9]{0,100})?|\.[0-9]{1,100})(?:[eE][+-]?[0-9]{1,3})?")
_MOST, _LEAST, _DIGITS = Decimal(10**9), Decimal("0.000000001"), 30


def product(*factors: Decimal | int) -> Decimal:
    """The product of numbers, exact: of more digits than decimals have by default."""
    with localcontext(prec=_EXACT):
        found = Decimal(1)
        for factor in factors:
            found *= factor
        return found


_EXACT = 200
"""More digits than a price, a rate, a discount and a number of tokens have together."""


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
    """The number with two decimals; what is less than a hundredth, but not nothing, with two significant digits."""
    with localcontext(prec=_EXACT):
        if 0 < value < _CENT:
            rounded = value.quantize(Decimal(1).scaleb(value.adjusted() - 1), ROUND_HALF_UP)
            if rounded < _CENT:
                return format(rounded, "f")
        return format(value.quantize(_CENT, ROUND_HALF_UP), ",f")
