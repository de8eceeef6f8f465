"""Metadata as a struct of declared fields."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pyarrow as pa

from cantle.errors import DocumentError

__all__ = ["Fitter"]


class Fitter:
    """Makes metadata fit a struct type."""

    def __init__(self, kind: pa.StructType) -> None:
        self._kind = kind
        self._fit = _fitting(kind, "metadata")

    def __call__(self, metadata: Mapping[str, Any]) -> Any:
        """What Arrow takes for the metadata. Raises `DocumentError` for fields and values that do not fit."""
        found = self._fit(metadata)
        try:
            pa.array([found], self._kind)
        except (pa.ArrowException, ValueError, TypeError, OverflowError) as error:
            raise DocumentError(
                f"the metadata does not fit the declared fields ({self._kind}): {error}. Declare another type, or "
                "leave metadata as JSON."
            ) from None
        return found


def _fitting(kind: pa.DataType, where: str) -> Callable[[Any], Any]:
    """What checks and translates a value of that type; `where` is its place, for messages."""
    if pa.types.is_struct(kind):
        fields = {kind.field(i).name: kind.field(i) for i in range(kind.num_fields)}
        inner = {name: _fitting(field.type, f"{where}.{name}") for name, field in fields.items()}
        needed = [name for name, field in fields.items() if not field.nullable]

        def struct(value: Any) -> Any:
            if not isinstance(value, Mapping):
                return value
            for name in value:
                if name not in fields:
                    raise DocumentError(
                        f"{where} has the field {name!r}, which is not declared; declared are: {', '.join(fields)}. "
                        "Declare it, or leave metadata as JSON."
                    )
            for name in needed:
                if value.get(name) is None:
                    raise DocumentError(f"{where} has no field {name!r}, which is declared as never null.")
            return {name: None if item is None else inner[name](item) for name, item in value.items()}

        return struct
    if pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind):
        of_item = _fitting(kind.value_type, f"{where}[]")

        def several(value: Any) -> Any:
            if isinstance(value, list | tuple):
                return [None if item is None else of_item(item) for item in value]
            return value

        return several
    if pa.types.is_string(kind) or pa.types.is_large_string(kind) or str(kind) == "string_view":
        return lambda value: value.encode("utf-8", "replace").decode() if isinstance(value, str) else value
    return lambda value: value
