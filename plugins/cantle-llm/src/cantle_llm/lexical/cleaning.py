"""A heading's words without its markup."""

from __future__ import annotations

import html
import re

__all__ = ["LONGEST_LABEL", "cleaned", "shortened"]

LONGEST_LABEL = 120

_HTML_TAG = re.compile(r"<[/!]?[A-Za-z][^<>]{0,500}>")
_LATEX = re.compile(r"\\(?:part|chapter|(?:sub){0,2}section|(?:sub)?paragraph)\*?(?:\[[^\[\]]{0,200}\])?\s?\{")
_LATEX_LABEL = re.compile(r"\\(?:label|index|footnote)\s?\{[^{}]{0,200}\}")
_LATEX_COMMAND = re.compile(r"\\[A-Za-z]{1,30}\*?\s?|(?<!\\)[{}$]")
_IMAGE = re.compile(r"!\[([^\[\]]{0,300})\]\([^()]{0,500}\)")
_LINK = re.compile(r"\[([^\[\]]{1,300})\](?:\((?:[^()]|\([^()]{0,200}\)){0,500}\)|\[[^\[\]]{0,200}\])")
_ANCHOR = re.compile(r"\s?\{\s?(?:[#:.]|/[\w/*-])[^{}]{0,200}\}\s*$")
_HASHES = re.compile(r"^(?:>\s?){0,8}(?:#{1,6}(?=\s|$)|={1,6}(?=\s))\s*|\s+#{1,6}\s*$|\s+={1,6}$")
_UNDERLINE = re.compile(r"\n\s{0,3}(?:={2,200}|-{2,200})\s*$")
_PERMALINK = re.compile(r"(?:\s*[¶🔗⚓\u200b\ufeff]|\s+[#§])+\s*$|^\s*(?:[¶🔗⚓\u200b\ufeff]\s*|#\s+)+")
"""What generators of documentation put beside a heading, as a link to it."""
_MARKS = re.compile(r"(?<!\w)(?:\*{1,3}|_{1,3}|~~)(?=\S)|(?<=\S)(?:\*{1,3}|_{1,3}|~~)(?!\w)|`+")


def cleaned(text: str) -> str:
    """A heading's words on one line, without the marks of Markdown, HTML and LaTeX, cut to 120 characters."""
    text = _UNDERLINE.sub("", text[:2000])
    is_linked = "<" in text or "](" in text
    if "<" in text:
        text = html.unescape(_HTML_TAG.sub(" ", text))
    elif "&" in text:
        text = html.unescape(text)
    latex = _LATEX.search(text)
    if latex:
        text = _LATEX_COMMAND.sub("", _LATEX_LABEL.sub("", text[latex.end() :])).replace("\\", "")
    text = _HASHES.sub("", _ANCHOR.sub("", " ".join(text.split())))
    text = _LINK.sub(r"\1", _IMAGE.sub(r"\1", text))
    if is_linked:
        text = _PERMALINK.sub("", text)
    text = " ".join(_MARKS.sub("", text).split())
    return shortened(text, LONGEST_LABEL)


def shortened(text: str, most: int) -> str:
    """The text, cut at a word where it is longer than `most` characters."""
    if len(text) <= most:
        return text
    head = text[: most - 1]
    cut = head.rfind(" ")
    return (head[:cut] if cut > most // 2 else head).rstrip(" ,;:–-") + "…"
