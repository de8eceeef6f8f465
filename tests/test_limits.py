"""Whole texts at the sizes that are used: no chunk above the limit, no overlap above its own, counted by tiktoken."""

from __future__ import annotations

import random
from functools import cache
from itertools import pairwise
from typing import Any

import pytest

from cantle import MDocument
from cantle.tokenizers.encodings import ENCODINGS
from cantle.tokenizers.vocabulary import ranks

SIZE = 40_000
"""Characters of each text."""

CONSONANTS, VOWELS = "bcdfghlmnprstvw", "aeiou"
PORTUGUESE_VOWELS = "aeiouáãçéêíóõú"
CJK = "潮汐表三月印好了港口没人看是吗的一不在有个我他这中大来上国日本語"


def _word(rnd: random.Random, vowels: str) -> str:
    return "".join(rnd.choice(CONSONANTS) + rnd.choice(vowels) for _ in range(rnd.choice((1, 1, 2, 2, 3, 4, 6))))


def _sentence(rnd: random.Random, vowels: str) -> str:
    words = [_word(rnd, vowels) for _ in range(rnd.randrange(4, 22))]
    if rnd.random() < 0.3:
        words[rnd.randrange(len(words))] += rnd.choice((",", ";", "'s", " (1,234.5)", "-like", " 2024-02-29"))
    return " ".join(words).capitalize() + rnd.choice(".....!?:")


def _prose(rnd: random.Random, vowels: str = VOWELS) -> str:
    return " ".join(_sentence(rnd, vowels) for _ in range(rnd.choice((1, 3, 5, 9, 40)))) + "\n\n"


def _cjk(rnd: random.Random) -> str:
    line = "".join(rnd.choice(CJK) + ("，" if rnd.random() < 0.05 else "") for _ in range(rnd.randrange(10, 400)))
    return line + rnd.choice("。！？") + rnd.choice(("", "", "\n", "\n\n"))


def _markdown(rnd: random.Random) -> str:
    row = " | ".join(_word(rnd, VOWELS) for _ in range(4))
    return rnd.choice(
        (
            "#" * rnd.randrange(1, 5) + f" {_sentence(rnd, VOWELS)}\n\n",
            _prose(rnd),
            "".join(f"- **{_word(rnd, VOWELS)}**: {_sentence(rnd, VOWELS)}\n" for _ in range(6)) + "\n",
            f"| {row} |\n|---|---|---|---|\n" + f"| {row} |\n" * rnd.randrange(2, 30) + "\n",
            f"```python\n{_code(rnd)}```\n\n",
            f"[{_word(rnd, VOWELS)}](https://example.org/{_word(rnd, VOWELS)}?a={rnd.random()}) 😀👩\u200d👧\n\n",
        )
    )


def _code(rnd: random.Random) -> str:
    name = _word(rnd, VOWELS)
    lines = [f"def {name}({_word(rnd, VOWELS)}: int = {rnd.randrange(10**6)}) -> None:"]
    for _ in range(rnd.randrange(1, 25)):
        depth = rnd.randrange(1, 5)
        lines.append(
            "    " * depth + f"{_word(rnd, VOWELS)}[{rnd.random()}] = {_word(rnd, VOWELS)}.{name}(x, *y)  # {name}"
        )
    return "\n".join(lines) + "\n\n\n"


MAKERS: dict[str, Any] = {
    "English": _prose,
    "Portuguese": lambda rnd: _prose(rnd, PORTUGUESE_VOWELS),
    "CJK": _cjk,
    "Markdown": _markdown,
    "code": _code,
}


@cache
def text_of(kind: str) -> str:
    rnd, parts, size = random.Random(f"limits of {kind}"), [], 0
    while size < SIZE:
        parts.append(MAKERS[kind](rnd))
        size += len(parts[-1])
    return "".join(parts)


@cache
def tiktoken_itself(name: str) -> Any:
    import tiktoken

    facts = ENCODINGS[name]
    return tiktoken.Encoding(name, pat_str=facts.pattern, mergeable_ranks=ranks(facts), special_tokens={})


def count(text: str, encoding: str) -> int:
    return len(tiktoken_itself(encoding).encode_ordinary(text))


@pytest.mark.parametrize("encoding", ["cl100k_base", "o200k_base"])
@pytest.mark.parametrize("share", [0, 0.12])
@pytest.mark.parametrize("size", [64, 256, 512])
@pytest.mark.parametrize("strategy", ["recursive", "token"])
@pytest.mark.parametrize("kind", MAKERS)
def test_limit_and_overlap(kind: str, strategy: str, size: int, share: float, encoding: str) -> None:
    text, overlap = text_of(kind), int(size * share)
    name = "encoding_name" if strategy == "token" else "length_function"
    chunks = MDocument(text).chunk(strategy, max_size=size, overlap=overlap, **{name: encoding})
    assert max(count(chunk.text, encoding) for chunk in chunks) <= size
    for before, after in pairwise(chunks):
        assert before.start < after.start
        assert before.end < after.end
        assert not text[before.end : after.start].strip()
        assert count(text[after.start : before.end], encoding) <= overlap
    # Full enough to be of use: not a chunk for every sentence.
    filled = sum(count(chunk.text, encoding) for chunk in chunks) / len(chunks) / size
    assert filled > (0.8 if strategy == "token" else 0.3)
    if overlap and strategy == "token":
        repeated = [count(text[b.start : a.end], encoding) for a, b in pairwise(chunks)]
        assert sum(repeated) / len(repeated) > 0.6 * overlap
