"""Facts about OpenAI's encodings: which vocabulary, which pattern, which special tokens, which models.

The vocabularies themselves are package data (`cantle/data/vocab`); the facts are as published by
OpenAI with tiktoken (MIT licence).
"""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["ENCODINGS", "MODELS", "EncodingFacts"]


class EncodingFacts(NamedTuple):
    """What makes an encoding. `vocabulary` names the file in the package data."""

    name: str
    vocabulary: str
    pattern: str
    special_tokens: dict[str, int]


_GPT2 = r"""'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s"""
_CL100K = (
    r"""'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+"""
    r"""|\s++$|\s*[\r\n]|\s+(?!\S)|\s"""
)
_O200K = "|".join(
    [
        r"""[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?""",
        r"""[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?""",
        r"""\p{N}{1,3}""",
        r""" ?[^\s\p{L}\p{N}]+[\r\n/]*""",
        r"""\s*[\r\n]+""",
        r"""\s+(?!\S)""",
        r"""\s+""",
    ]
)

_END = {"<|endoftext|>": 50256}
_FIM = {"<|fim_prefix|>": 50281, "<|fim_middle|>": 50282, "<|fim_suffix|>": 50283}
_CL100K_SPECIAL = {
    "<|endoftext|>": 100257,
    "<|fim_prefix|>": 100258,
    "<|fim_middle|>": 100259,
    "<|fim_suffix|>": 100260,
    "<|endofprompt|>": 100276,
}
_O200K_SPECIAL = {"<|endoftext|>": 199999, "<|endofprompt|>": 200018}
_HARMONY_SPECIAL = {
    **{f"<|reserved_{i}|>": i for i in range(200000, 201088)},
    **_O200K_SPECIAL,
    "<|startoftext|>": 199998,
    "<|return|>": 200002,
    "<|constrain|>": 200003,
    "<|channel|>": 200005,
    "<|start|>": 200006,
    "<|end|>": 200007,
    "<|message|>": 200008,
    "<|call|>": 200012,
}
for _name in (200002, 200003, 200005, 200006, 200007, 200008, 200012):
    del _HARMONY_SPECIAL[f"<|reserved_{_name}|>"]

ENCODINGS = {
    facts.name: facts
    for facts in (
        EncodingFacts("cl100k_base", "cl100k_base", _CL100K, _CL100K_SPECIAL),
        EncodingFacts("gpt2", "r50k_base", _GPT2, _END),
        EncodingFacts("o200k_base", "o200k_base", _O200K, _O200K_SPECIAL),
        EncodingFacts("o200k_harmony", "o200k_base", _O200K, _HARMONY_SPECIAL),
        EncodingFacts("p50k_base", "p50k_base", _GPT2, _END),
        EncodingFacts("p50k_edit", "p50k_base", _GPT2, {**_END, **_FIM}),
        EncodingFacts("r50k_base", "r50k_base", _GPT2, _END),
    )
}
"""All encodings by name."""

_MODELS = {
    "gpt2": ("gpt2"),
    "p50k_base": (
        "code-cushman-001 code-cushman-002 code-davinci-001 code-davinci-002 cushman-codex davinci-codex "
        "davinci-002 text-davinci-002 text-davinci-003"
    ),
    "p50k_edit": ("code-davinci-edit-001 text-davinci-edit-001"),
    "r50k_base": (
        "ada babbage babbage-002 code-search-ada-code-001 code-search-babbage-code-001 curie davinci "
        "text-ada-001 text-babbage-001 text-curie-001 text-davinci-001 text-search-ada-doc-001 "
        "text-search-babbage-doc-001 text-search-curie-doc-001 text-search-davinci-doc-001 "
        "text-similarity-ada-001 text-similarity-babbage-001 text-similarity-curie-001 "
        "text-similarity-davinci-001"
    ),
    "cl100k_base": (
        "gpt-3.5-turbo-instruct-0914 gpt-3.5-turbo-instruct gpt-3.5-turbo-16k-0613 gpt-3.5-turbo-16k "
        "gpt-3.5-turbo-0613 gpt-3.5-turbo-0301 gpt-3.5-turbo gpt-4-32k-0613 gpt-4-32k-0314 gpt-4-32k "
        "gpt-4-0613 gpt-4-0314 gpt-4 gpt-3.5-turbo-1106 gpt-35-turbo gpt-4-1106-preview gpt-4-vision-preview "
        "gpt-3.5-turbo-0125 gpt-4-turbo gpt-4-turbo-2024-04-09 gpt-4-turbo-preview gpt-4-0125-preview "
        "text-embedding-ada-002 text-embedding-3-small text-embedding-3-large"
    ),
    "o200k_base": (
        "gpt-4o gpt-4o-2024-05-13 gpt-4o-2024-08-06 gpt-4o-2024-11-20 gpt-4o-mini-2024-07-18 gpt-4o-mini "
        "gpt-4o-search-preview gpt-4o-search-preview-2025-03-11 gpt-4o-mini-search-preview "
        "gpt-4o-mini-search-preview-2025-03-11 gpt-4o-audio-preview gpt-4o-audio-preview-2024-12-17 "
        "gpt-4o-audio-preview-2024-10-01 gpt-4o-mini-audio-preview gpt-4o-mini-audio-preview-2024-12-17 o1 "
        "o1-2024-12-17 o1-mini o1-mini-2024-09-12 o1-preview o1-preview-2024-09-12 o1-pro o1-pro-2025-03-19 "
        "o3 o3-2025-04-16 o3-mini o3-mini-2025-01-31 o4-mini o4-mini-2025-04-16 chatgpt-4o-latest "
        "gpt-4o-realtime gpt-4o-realtime-preview-2024-10-01 gpt-4o-realtime-preview-2024-12-17 "
        "gpt-4o-mini-realtime-preview gpt-4o-mini-realtime-preview-2024-12-17 gpt-4.1 gpt-4.1-2025-04-14 "
        "gpt-4.1-mini gpt-4.1-mini-2025-04-14 gpt-4.1-nano gpt-4.1-nano-2025-04-14 gpt-4.5-preview "
        "gpt-4.5-preview-2025-02-27 gpt-5 gpt-5-2025-08-07 gpt-5-nano gpt-5-nano-2025-08-07 gpt-5-mini "
        "gpt-5-mini-2025-08-07 gpt-5-chat-latest"
    ),
    "o200k_harmony": "gpt-oss-20b gpt-oss-120b",
}

MODELS = {model: encoding for encoding, models in _MODELS.items() for model in models.split()}
"""The encoding of every model we know, by the model's exact name."""
