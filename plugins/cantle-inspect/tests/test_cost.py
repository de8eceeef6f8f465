"""What embedding a corpus costs, in Python: tokens, money, documents of any sort."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from cantle import MDocument
from cantle.errors import OptionError
from cantle.lengths import resolve
from cantle_inspect import Corpus, Cutting, cost, read_corpus
from cantle_inspect.costs.money import amount, currency_code, shown, written

NUCLEO = Path(__file__).parent.parent / "examples" / "nucleo"
TOKENS = resolve("text-embedding-3-small")

WORDS = "The leave policy gives every employee thirty days in a year. Ask your manager well before you go. "


def corpus(*texts: str, kind: str = "text") -> Corpus:
    return Corpus(tuple(MDocument(text, kind, {}, f"{i}.txt") for i, text in enumerate(texts)))


def plain(size: int = 200, overlap: int = 0, **more: Any) -> Cutting:
    return Cutting("recursive", {"max_size": size, "overlap": overlap, **more})


# -- tokens -------------------------------------------------------------------------------------------


def test_tokens_are_those_of_the_texts_that_are_embedded() -> None:
    documents = read_corpus(NUCLEO)
    cutting = Cutting("structural-context", {"max_size": 300, "overlap": 60})
    found = cost(documents, cutting=cutting)
    texts = [chunk.text for document in documents.documents for chunk in cutting(document)]
    assert found.chunks == len(texts)
    assert found.tokens == sum(map(TOKENS, texts))
    assert not found.is_estimated
    assert found.tokenizer == "cl100k_base"
    by_document = {one.source: one for one in found.documents}
    for document in documents.documents:
        chunks = cutting(document)
        row = by_document[document.source]
        assert row.tokens == sum(TOKENS(chunk.text) for chunk in chunks)
        assert row.document_tokens == TOKENS(document.text[document.body :])
        assert row.prefix_tokens == sum(TOKENS(c.text) - TOKENS(c.content) for c in chunks)
        assert row.overlap_tokens == sum(TOKENS(c.content) - TOKENS(c.content[c.overlap :]) for c in chunks)
    assert sum(row.prefix_tokens for row in found.documents) > 100
    assert sum(row.overlap_tokens for row in found.documents) > 0


def test_overlap_is_what_it_costs() -> None:
    text = WORDS * 40
    without, with_overlap = (cost(corpus(text), cutting=plain(overlap=n), reindex=0) for n in (0, 100))
    more = with_overlap.tokens - without.tokens
    assert with_overlap.documents[0].overlap_tokens == pytest.approx(more, rel=0.05)
    assert without.documents[0].overlap_tokens == 0
    assert with_overlap.input_cost is not None
    assert without.input_cost is not None
    assert with_overlap.input_cost > without.input_cost


def test_a_model_whose_tokenizer_is_not_known_is_estimated() -> None:
    found = cost(corpus(WORDS), model="no-such-embedder", cutting=plain(), price=1)
    assert found.is_estimated
    assert found.tokenizer == "cl100k_base"
    same = cost(corpus(WORDS), cutting=plain())
    assert found.tokens == same.tokens
    own = cost(corpus(WORDS), model="no-such-embedder", cutting=plain(), price=1, tokenizer=len)
    assert not own.is_estimated
    assert own.tokens == len(WORDS.strip()) == sum(document.tokens for document in own.documents)


@pytest.mark.parametrize("name", ["words", "bytes", "characters", "utf16"])
def test_a_unit_is_no_model(name: str) -> None:
    assert cost(corpus(WORDS), model=name, cutting=plain(), price=1).is_estimated


@pytest.mark.parametrize("model", ["openai:text-embedding-3-small", "openai/text-embedding-3-small"])
def test_the_provider_in_a_name_is_no_part_of_the_tokenizer(model: str) -> None:
    assert not cost(corpus(WORDS), model=model, cutting=plain()).is_estimated


# -- money --------------------------------------------------------------------------------------------


def test_the_seed_s_orders_of_magnitude() -> None:
    """R$ 5 for US$ 1: R$ 0.10 for a million tokens, R$ 0.04 for 400 thousand, R$ 0.16 for four times that."""
    found = cost(corpus(WORDS), cutting=plain(), price="0.02", currency="BRL", rate=5)
    assert found.of(1_000_000) == Decimal("0.1")
    assert found.of(400_000) == Decimal("0.04")
    assert found.of(4 * 400_000) == Decimal("0.16")
    assert found.of(1_600_000) == Decimal("0.16")


def test_sums_are_exact() -> None:
    found = cost(corpus(WORDS * 50), cutting=plain(), price=0.1, currency="eur", rate="0.9", discount=0.5, reindex=3)
    assert found.currency == "EUR"
    assert found.input_cost == Decimal(found.tokens) * Decimal("0.09") / 1_000_000
    assert found.total_cost == found.input_cost / 2
    assert found.year_all == 3 * found.total_cost
    parts = [found.of(document.tokens) for document in found.documents]
    assert sum(part for part in parts if part is not None) == found.total_cost


def test_nothing_costs_nothing_and_little_costs_something() -> None:
    free = cost(corpus(WORDS), cutting=plain(), price=0)
    assert (free.total_cost, free.pricing_missing, free.to_dict()["totalCost"]) == (0, False, 0)
    little = cost(corpus("a"), cutting=plain(), price="0.000001").to_dict()
    assert little["totalCost"] == 1e-12


def test_without_a_price() -> None:
    found = cost(corpus(WORDS), model="text-embedding-4", cutting=plain())
    assert found.pricing_missing
    assert found.total_cost is found.year_all is found.year_changed is None
    written_out = found.to_dict()
    assert written_out["pricingMissing"] is True
    assert written_out["inputCost"] is written_out["totalCost"] is written_out["matchedPricingKey"] is None
    assert "openai:text-embedding-3-small" in written_out["knownModels"]
    assert written_out["stats"]["tokensEstimate"] == found.tokens > 0


def test_the_shape() -> None:
    found = cost(read_corpus(NUCLEO), currency="BRL", rate=5).to_dict()
    assert list(found) == [
        "model", "tokenizer", "isEstimated", "stats", "inputCost", "totalCost", "currency", "rate", "discount",
        "pricePerMillion", "pricingMissing", "matchedPricingKey", "reindex", "documents", "leftOut",
    ]  # fmt: skip
    assert found["matchedPricingKey"] == "openai:text-embedding-3-small"
    assert list(found["stats"])[:2] == ["totalChunks", "tokensEstimate"]
    assert sum(document["tokens"] for document in found["documents"]) == found["stats"]["tokensEstimate"]
    assert sum(document["chunks"] for document in found["documents"]) == found["stats"]["totalChunks"]
    assert found["totalCost"] == pytest.approx(sum(document["cost"] for document in found["documents"]))
    assert found["reindex"]["all"]["cost"] == pytest.approx(4 * found["totalCost"])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"currency": "BRL"}, "currency BRL needs a rate: how many BRL one US dollar is"),
        ({"currency": "reais"}, "currency must be a code of three letters"),
        ({"rate": 5}, "rate=5 has no use for US dollars"),
        ({"currency": "BRL", "rate": 0}, "rate must be a number above 0, got 0"),
        ({"currency": "BRL", "rate": "5,0"}, "got '5,0'. Write the decimals behind a point"),
        ({"currency": "BRL", "rate": float("nan")}, "rate must be a number above 0, got nan"),
        ({"price": -1}, "price must be a number 0 or more, got -1"),
        ({"price": True}, "price must be a number 0 or more, got True"),
        ({"price": "Infinity"}, "price must be a number 0 or more"),
        ({"price": 1, "provider": "openai"}, "price and provider are both given"),
        ({"provider": "opnai"}, "no provider is named 'opnai'"),
        ({"price": "1e30"}, "price must be from 0.000000001 to 1,000,000,000"),
        ({"price": 10**5000}, "price must be from 0.000000001 to 1,000,000,000"),
        ({"price": "1e-99999"}, "price must be a number 0 or more"),
        ({"price": "1_000"}, "price must be a number 0 or more, got '1_000'"),
        ({"price": "\u0663"}, "price must be a number 0 or more"),
        ({"price": "0." + "1" * 31}, "with 30 digits at most"),
        ({"currency": "BRL", "rate": "1e-30"}, "rate must be from 0.000000001"),
        ({"reindex": 10**7}, "reindex must be a whole number"),
        ({"since": 7}, "since must be a file of chunks"),
        ({"discount": 1.5}, "discount must be from 0 to 1"),
        ({"reindex": -1}, "reindex must be a whole number, 0 or more, and 1,000,000 at most, got -1"),
        ({"reindex": 1.5}, "reindex must be a whole number, 0 or more, and 1,000,000 at most, got 1.5"),
        ({"reindex": 0, "since": []}, "since has no use with reindex=0"),
        ({"cutting": Cutting("recursive", {"max_size": -1})}, "max_size"),
    ],
)
def test_wrong_options(options: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError) as caught:
        cost(corpus(WORDS), **options)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("0", "0.00"),
        ("0.009", "0.0090"),
        ("0.00029490", "0.00029"),
        ("0.0099999", "0.01"),
        ("0.0001", "0.00010"),
        ("1e-10", "0.00000000010"),
        ("0.01", "0.01"),
        ("0.015", "0.02"),
        ("1234.5", "1,234.50"),
    ],
)
def test_sums_for_people(value: str, text: str) -> None:
    assert shown(Decimal(value)) == text


@pytest.mark.parametrize(("value", "text"), [("1e-7", "0.0000001"), ("5.0", "5"), ("1E+3", "1000"), ("0.0", "0")])
def test_numbers_in_full(value: str, text: str) -> None:
    assert written(Decimal(value)) == text


def test_a_float_counts_as_it_is_written() -> None:
    assert amount("x", 0.1) == Decimal("0.1")
    assert currency_code("brl") == "BRL"


# -- documents of any sort ----------------------------------------------------------------------------


def test_documents_without_text_cost_nothing() -> None:
    found = cost(corpus("", " \n"))
    assert (found.tokens, found.total_cost, found.chunks) == (0, 0, 0)
    assert [document.source for document in found.documents] == ["0.txt", "1.txt"]


@pytest.mark.parametrize("kind", ["text", "markdown", "html", "json", "latex", "pdf"])
def test_hostile_texts(kind: str) -> None:
    texts = ["\ud800\x00\ufeff\u202e. A", '"\\', "a" * 5000, "<|endoftext|> One. Two.", "\r\n" * 50, "\f" * 50]
    documents = Corpus(tuple(MDocument(text, kind, {}, f"{i}") for i, text in enumerate(texts)))
    found = cost(documents)
    assert all(document.tokens >= 0 for document in found.documents)
    assert found.change is None or 0 <= found.change.share <= 1


def seconds(run: Callable[[], object]) -> float:
    import time

    start = time.process_time()
    run()
    return time.process_time() - start


def test_time_is_linear() -> None:
    def timed(count: int) -> float:
        documents = corpus(WORDS * count)
        return min(seconds(lambda: cost(documents, cutting=plain())) for _ in range(2))

    timed(10)
    assert timed(3200) < 8 * 4 * timed(400) + 0.3


# -- what callers give, and what they see ---------------------------------------------------------------


def test_sums_are_exact_whatever_the_digits() -> None:
    digits = "0." + "123456789" * 3
    found = cost(corpus(WORDS * 30), cutting=plain(), price=digits, currency="BRL", rate=digits, discount=digits)
    price = Fraction(digits)
    expected = price * price * found.tokens / 1_000_000 * (1 - price)
    assert found.total_cost is not None
    assert Fraction(found.total_cost) == expected
    large = cost(corpus(WORDS * 30), cutting=plain(), price="1e9", currency="BRL", rate="1e9", reindex=1_000_000)
    assert large.year_all is not None
    assert shown(large.year_all).endswith(".00")
    assert "<table>" in large._repr_html_()


def test_a_path_is_a_corpus(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(WORDS, encoding="utf-8")
    (tmp_path / "old").mkdir()
    (tmp_path / "old" / "a.txt").write_text(WORDS * 2, encoding="utf-8")
    (tmp_path / "g.json").write_text('[{"question": "How many?", "source": "a.txt"}]', encoding="utf-8")
    found = cost(str(tmp_path), since=tmp_path / "old")
    assert [document.source for document in found.documents] == ["a.txt"]
    assert [document.source for document in cost(tmp_path).documents] == ["a.txt", "old/a.txt"]
    assert cost(tmp_path, since=tmp_path).change == cost(read_corpus(tmp_path), since=tmp_path).change
    with pytest.raises(OptionError, match=r"Give read_corpus\(path\)"):
        cost(7)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "model", ["TEXT-EMBEDDING-3-SMALL", "text-embedding-3-small ", " OpenAI:Text-Embedding-3-small"]
)
def test_a_model_in_any_case(model: str) -> None:
    found = cost(corpus(WORDS), model=model, cutting=plain())
    assert (found.is_estimated, found.pricing_missing) == (False, False)


def test_short_and_escaped() -> None:
    documents = Corpus((MDocument(WORDS, "text", {}, "<script>alert(1)</script>"),))
    found = cost(documents, cutting=plain(), price="0.02")
    assert repr(found).startswith(f"<Cost: 1 document, {found.chunks} chunk, {found.tokens} tokens, 0.0000")
    assert "<script>" not in found._repr_html_()
    assert "alert(1)" in found._repr_html_()
