"""The five fields: what is asked, and under which keys the answers go."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from cantle import Chunk, Chunks

from ..errors import ModelError, ModelWarning
from ..warn import warn
from .asking import asker_of
from .clients import client_for
from .contents import is_set, js_text, js_trim
from .options import Options
from .prompts import PROMPTS, Prompt
from .schemas import Form, form_of
from .tally import Tally
from .task import Found, Task
from .together import together_of

__all__ = ["check", "extract"]

_Work = Callable[[Task], Found]


def check(field: str, given: Mapping[str, Any], known: Sequence[str]) -> None:
    """Raise what is wrong with the options, or with who is asked, as `extract` does before it asks anything."""
    options = Options(field, given, known, warns=False)
    _FIELDS[field](options)
    options.language()
    options.text("instructions")
    client_for(options.any("llm"), options.text("model", blank=False), field)


def _never() -> bool:
    return False


def extract(
    field: str,
    document: Any,
    chunks: Chunks,
    given: Mapping[str, Any],
    known: Sequence[str],
    stopped: Callable[[], bool] = _never,
) -> Found:
    """One mapping for each chunk, in order. Once `stopped()` is true no call is begun any more.

    Raises `OptionError` for a wrong option, before anything is asked, and `ExtractionError` when calls failed and
    nothing was paid for that could be kept; where something was, failures are `ModelWarning`s. Raises `ModelError` when
    it was stopped.
    """
    options = Options(field, given, known)
    work = _FIELDS[field](options)
    documents = _numbers(document, len(chunks))
    languages = _languages(options.language(), chunks, documents)
    llm, model, together = options.any("llm"), options.text("model", blank=False), together_of(chunks)
    with asker_of(llm, model, together, stopped, field) as asker:
        tally = Tally(field, chunks, together, bool(asker.kept_in))
        task = Task(chunks, documents, languages, asker, tally, options.text("instructions"))
        try:
            found = work(task)
        except KeyboardInterrupt:
            if asker.kept_in and asker.has_answers:
                with suppress(Warning):  # a filter that makes it an error
                    warn(
                        f"The answers so far are in {asker.kept_in}. Extract again: only what is missing is asked for.",
                        ModelWarning,
                    )
            raise
    if stopped():
        raise ModelError("cancelled")
    tally.report(task.lost)
    return found


def _numbers(document: Any, count: int) -> list[int]:
    """The number of each chunk's document; of several, `document` is a list, with that of each chunk."""
    several = document if isinstance(document, list) else [document] * count
    known: dict[int, int] = {}
    return [known.setdefault(id(one), len(known)) for one in several]


def _languages(given: str | None, chunks: Chunks, documents: Sequence[int]) -> list[str]:
    """The language of the prompts for each chunk: the one given, else its document's, if we have prompts in it."""
    if given is not None:
        return [given] * len(chunks)
    from cantle.words import language_of

    texts: dict[int, list[str]] = {}
    for chunk, number in zip(chunks, documents, strict=True):
        texts.setdefault(number, []).append(chunk.content)
    found = {number: language_of("\n".join(some)) for number, some in texts.items()}
    return [one if (one := found[number]) in PROMPTS else "en" for number in documents]


_OF = (("self", 0, "section_summary"), ("prev", -1, "prev_section_summary"), ("next", 1, "next_section_summary"))
"""Whose summary, how far away that chunk is, and the key."""


def _summary(options: Options) -> _Work:
    wanted, single, template = options.summaries(), options.flag("single_line"), options.template("prompt_template")

    def work(task: Task) -> Found:
        count = len(task.chunks)
        # Those that no chunk takes need not be asked for.
        taken = {i + step for i in range(count) for of, step, _ in _OF if of in wanted}
        asked = {i: task.prompt(i, "summary", template, text) for i, text in task.texts.items() if i in taken}
        answers = task.ask(asked, task.asker.answer, "summary")
        texts = {i: _lines(text, single) for i, text in answers.items() if text is not None}
        return [
            {key: texts[i + step] for of, step, key in _OF if of in wanted and i + step in texts} for i in range(count)
        ]

    return work


def _questions(options: Options) -> _Work:
    count, single = options.count("questions", 5), options.flag("single_line")
    template = options.template("prompt_template")
    options.unused("embedding_only", "what is embedded is not decided here")

    def work(task: Task) -> Found:
        asked = {i: task.prompt(i, "questions", template, text, numQuestions=count) for i, text in task.texts.items()}
        answers = task.ask(asked, task.asker.answer, "questions")
        texts = {i: js_trim(_lines(text or "", single)) for i, text in answers.items()}
        return task.under("questions_this_excerpt_can_answer", texts, "")

    return work


def _keywords(options: Options) -> _Work:
    count, template = options.count("keywords", 5), options.template("prompt_template")

    def work(task: Task) -> Found:
        asked = {i: task.prompt(i, "keywords", template, text, maxKeywords=count) for i, text in task.texts.items()}
        answers = task.ask(asked, task.asker.answer, "keywords")
        return task.under("excerpt_keywords", {i: js_trim(text or "") for i, text in answers.items()}, "")

    return work


def _title(options: Options) -> _Work:
    nodes = options.count("nodes", 5, zero=False)
    node_template, combine_template = options.template("node_template"), options.template("combine_template")

    def work(task: Task) -> Found:
        """First a candidate for each chunk, then one title for each document."""
        documents: dict[Hashable, list[int]] = {}
        for i in task.texts:
            documents.setdefault(_document_of(task.chunks[i], i, task.documents[i]), []).append(i)
        first = [i for some in documents.values() for i in some[:nodes]]
        asked = {i: task.prompt(i, "node", node_template, task.contents[i]) for i in first}
        answers = task.ask(asked, task.asker.answer, "title candidate")
        titles = combined(task, list(documents.values()), {i: js_trim(text or "") for i, text in answers.items()})
        task.lost = [i for i in task.texts if not titles.get(i)]
        return task.under("document_title", titles, "")

    def combined(task: Task, documents: Sequence[list[int]], candidates: Mapping[int, str]) -> dict[int, str]:
        asked: dict[int, Prompt] = {}  # by the number of the document's first chunk, as titles are
        titles: dict[int, str] = {}
        for some in documents:
            there = [candidates[i] for i in some if i in candidates]
            if not any(there):
                titles |= {some[0]: ""} if there else {}
            elif len(there) == 1 and combine_template is None:
                titles[some[0]] = there[0]  # one title for one candidate is that candidate
            else:
                asked[some[0]] = task.prompt(some[0], "combine", combine_template, ", ".join(there))
        answers = task.ask(asked, task.asker.answer, "title of the document")
        titles |= {first: text or "" for first, text in answers.items()}
        return {i: titles[some[0]] for some in documents for i in some if some[0] in titles}

    return work


def _document_of(chunk: Chunk, number: int, document: int) -> Hashable:
    """What the chunks of one document share: its name in the metadata, else the document, if its source has a name."""
    for key in _IDS:
        if is_set(chunk.metadata.get(key)):
            return "named", js_text(chunk.metadata[key])
    return ("document", document, chunk.source) if chunk.source else ("chunk", number)


def _schema(options: Options) -> _Work:
    form, key = form_of(options.any("schema")), options.text("metadata_key", blank=False)

    def work(task: Task) -> Found:
        answers = task.ask(
            {i: task.bare(i) for i in task.texts}, lambda prompt: task.asker.object(prompt, form), "object"
        )
        objects = {i: value for i, value in answers.items() if value is not None}
        if key is not None:
            return task.under(key, objects)
        return _spread(task.chunks, objects, form)

    return work


_IDS = ("docId", "doc_id")
"""What chunks of one document share: a document must not say it of itself."""


def _spread(chunks: Chunks, objects: Mapping[int, dict[str, Any]], form: Form) -> Found:
    """The keys of each object, for the metadata of its chunk.

    Where the schema is open, the model, and so the document, may name keys of its own: these replace nothing.
    """
    left_out: dict[str, None] = {}

    def may(key: str, chunk: Chunk) -> bool:
        return (key not in chunk.metadata and key not in _IDS) or form.names(key)

    found: Found = [{} for _ in chunks]
    for i, value in objects.items():
        found[i] = {key: one for key, one in value.items() if may(key, chunks[i])}
        left_out |= dict.fromkeys(value.keys() - found[i].keys())
    if left_out:
        names = sorted(left_out)
        more = f" and {len(names) - 5} more" if len(names) > 5 else ""
        said = ", ".join(repr(name[:50]) for name in names[:5])
        warn(
            f"extract['schema']: answers had {said}{more}, which the schema does not name and the metadata has already "
            "(or which would say what document a chunk belongs to). They are left out; metadata_key keeps objects "
            "apart from it.",
            ModelWarning,
        )
    return found


def _lines(text: str, single: bool) -> str:
    """The text; on a `single` line without line breaks, and with nothing in their place, as Mastra has it."""
    return text.replace("\r", "").replace("\n", "") if single else text


_FIELDS: dict[str, Callable[[Options], _Work]] = {
    "schema": _schema,
    "summary": _summary,
    "questions": _questions,
    "keywords": _keywords,
    "title": _title,
}
