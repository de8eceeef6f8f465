"""Token counts with OpenAI's encodings and with tokenizers of others; no network, ever.

`encoding(name)` gives an `Encoding`. Its ids come from the fastest exact tokenizer on the machine:
toktok-rs, then fastokens, then tiktoken, which is the reference. `CANTLE_TOKENIZER` forces one.
"""

from __future__ import annotations

from .encoding import Encoding, backends, encoding
from .encodings import ENCODINGS, MODELS

__all__ = ["ENCODINGS", "MODELS", "Encoding", "backends", "encoding"]
