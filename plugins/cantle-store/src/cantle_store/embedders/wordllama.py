"""WordLlama's static vectors, offline: read from its package directly, whose own code would look for a download."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from cantle.errors import MissingDependencyError

from .plain import plain

__all__ = ["WordllamaEmbedder"]


class WordllamaEmbedder:
    """Vectors of 256 numbers for English texts: the mean of the vectors of their tokens, so fast that it takes no time.

    Weak for other languages, and blind to the order of words. Raises `MissingDependencyError` without the extra
    `wordllama`.
    """

    name = "wordllama:l2_supercat_256"
    dimension = 256

    def __init__(self) -> None:
        self._tokens, self._weights = _parts()

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Vectors of unit length, in order; zeros for a text without a token."""
        return [self._vector(plain(text)) for text in texts]

    def _vector(self, text: str) -> list[float]:
        import numpy as np

        ids = self._tokens.encode(text, add_special_tokens=False).ids
        if not ids:
            return [0.0] * self.dimension
        mean = self._weights[np.asarray(ids)].astype(np.float64).mean(axis=0)
        size = float(np.sqrt((mean * mean).sum()))
        return [float(number) for number in (mean / size if size else mean)]


@cache
def _parts() -> tuple[Any, Any]:
    """The tokenizer, and a vector (float16) for each of its tokens."""
    import numpy as np

    found = find_spec("wordllama")
    try:
        from tokenizers import Tokenizer
    except ImportError:
        found = None
    if found is None or found.origin is None:
        raise MissingDependencyError("The embedder 'wordllama'", "wordllama", "cantle-store[wordllama]")
    folder = Path(found.origin).parent
    tokens = Tokenizer.from_file(str(folder / "tokenizers" / "l2_supercat_tokenizer_config.json"))
    tokens.no_padding()
    tokens.no_truncation()
    # safetensors: the length of a JSON header in 8 bytes, the header, then the numbers.
    data = (folder / "weights" / "l2_supercat_256.safetensors").read_bytes()
    size = int.from_bytes(data[:8], "little")
    (of_tensor,) = (one for name, one in json.loads(data[8 : 8 + size]).items() if name != "__metadata__")
    start, end = of_tensor["data_offsets"]
    numbers = np.frombuffer(data[8 + size + start : 8 + size + end], {"F16": "<f2", "F32": "<f4"}[of_tensor["dtype"]])
    return tokens, numbers.reshape(of_tensor["shape"])
