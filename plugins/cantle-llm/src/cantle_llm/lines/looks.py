"""Short lines of plain text that look like headings, and how sure that is."""

from __future__ import annotations

import re
from typing import NamedTuple

__all__ = ["LOOSE", "SURE", "WEAK", "Look", "is_bare", "is_roman", "look"]

LOOSE, WEAK, SURE = 0, 1, 2

_NUMBER = (
    r"(?:[0-9]{1,4}(?:[.-][0-9A-Za-z]{1,4}){0,6}(?:[.]?[ºª°])?|[ivxlcdm]{1,8}|[a-z](?!\w)|one|two|three|four|five|six|seven|"
    r"eight|nine|ten|eleven|twelve|first|second|third|fourth|fifth|um|uma|dois|duas|três|quatro|cinco|seis|sete|oito|nove|"
    r"dez|onze|doze|únic[oa]|primeir[oa]|segund[oa]|terceir[oa]|quart[oa]|quint[oa]|sext[oa]|sétim[oa]|oitav[oa]|non[oa]|"
    r"décim[oa]|primer[oa]?|tercer[oa]?|uno|dos|tres|cuatro|siete|ocho|nueve|diez|premi(?:er|ère)|deuxième|troisième|un|une|"
    r"deux|trois|quatre|cinq|sept|huit|neuf|dix|eins|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|erste[rs]?|"
    r"zweite[rs]?|dritte[rs]?|een|twee|drie|vijf|zes|zeven|negen|tien|prim[oa]|second[oa]|terz[oa]|due|tre|quattro|cinque|sei|sette|otto|dieci)(?!\w)"
)
_WORD = (
    r"(?:chapter|part|section|appendix|annex|article|art\.|book|volume|unit|lesson|act|scene|title|schedule|clause|letter|"
    r"cap[ií]tulo|cap\.|parte|se[cç][cç]?[ãa]o|subse[cç][ãa]o|secci[oó]n|anexo|ap[êeé]ndice|artigo|art[ií]culo|livro|libro|"
    r"t[ií]tulo|tomo|unidad[e]?|li[cç][ãa]o|aula|m[oó]dulo|module|ato|acto|cena|escena|cl[áa]usula|carta|lecci[oó]n|"
    r"chapitre|partie|annexe|livre|titre|leçon|lettre|kapitel|teil|abschnitt|anhang|buch|artikel|paragraph|lektion|"
    r"capitolo|sezione|allegato|appendice|articolo|titolo|lezione|lettera|hoofdstuk|deel|bijlage)"
)
_CHAPTER = re.compile(rf"{_WORD}\s{{1,4}}{_NUMBER}(?P<mark>\s{{0,2}}[.:)|–—-])?", re.IGNORECASE)
_CHAPTER_CJK = re.compile(r"第[0-9０-９一二三四五六七八九十百千零〇两]{1,8}[章节節部編编卷回話话条條篇]")
_NUMBERED = re.compile(r"(?:§{1,2}\s{0,2})?([0-9]{1,3}(?:\.[0-9]{1,3}){0,5})[.)]?\s{1,8}(?=\w)")
_ROMAN = re.compile(r"M{0,3}(?:C[MD]|D?C{0,3})(?:X[CL]|L?X{0,3})(?:I[XV]|V?I{0,3})[.)]?(?:\s|$)")
_BARE = re.compile(rf"(?:{_WORD}\s{{1,4}})?{_NUMBER}\s?[.:)]?", re.IGNORECASE)
"""A number, with or without a word such as `Chapter`."""


class Look(NamedTuple):
    """The level that a heading's words tell (the smaller, the higher; 0 unknown), and how sure it is that it is one."""

    level: int
    strength: int


def look(label: str) -> Look | None:
    """What a line of these words that stands alone may be; None where it looks like running text.

    Sure is a word such as `Chapter` or `Artigo` with a number; weak are a number before a capital, a Roman number alone
    or before a capital, and capitals alone; loose is a capital first and no mark at the end.
    """
    chapter = _CHAPTER.match(label)
    if chapter:
        rest = label[chapter.end() :].strip()
        if not rest or chapter["mark"] or (rest[0].isupper() and rest[-1] not in ".!?;,"):
            return Look(_rank(label), SURE)
    if _CHAPTER_CJK.match(label) and label[-1] not in "。；，":
        return Look(2, SURE)
    number = _NUMBERED.match(label)
    if number and label[-1] not in ".!?;,:" and (label[number.end()].isupper() or _is_caseless(label[number.end()])):
        return Look(3 + number[1].count("."), WEAK)
    roman = _roman(label)
    if roman:
        rest = label[roman.end() :]
        if not rest or (rest[0].isupper() and rest[-1] not in ".!?;,:"):
            return Look(3, WEAK)
    letters = [char for char in label if char.isalpha()]
    if len(letters) >= 4 and label[-1] not in ".!?;,:" and all(map(str.isupper, letters)):
        return Look(3, WEAK)
    if (
        len(label) > 2
        and (label[0].isupper() or label[0].isdigit())
        and (label[-1].isalnum() or label[-1] in ")”\"'’?")
    ):
        return Look(0, LOOSE)
    return None


def is_bare(label: str) -> bool:
    """Whether it is a number alone, with or without a word such as `Chapter`."""
    return _BARE.fullmatch(label) is not None


def is_roman(label: str) -> bool:
    """Whether it is a Roman number alone; `C`, `D`, `L` and `M` are letters rather."""
    roman = _roman(label)
    return roman is not None and roman.end() == len(label)


def _roman(label: str) -> re.Match[str] | None:
    found = _ROMAN.match(label)
    return found if found and found[0].strip(" .)") not in ("", "C", "D", "L", "M") else None


def _is_caseless(char: str) -> bool:
    """Whether a letter is of a script without capitals."""
    return char.isalpha() and char.lower() == char.upper()


def _rank(label: str) -> int:
    """Parts and books are above chapters, and these above articles and sections."""
    word = label[:5].casefold()
    if word.startswith(("part", "book", "volum", "livr", "libro", "tomo", "teil", "buch", "deel")):
        return 1
    return (
        3
        if word.startswith(("sect", "seç", "secç", "secc", "sezi", "abs", "art", "claus", "cláu", "scen", "cena"))
        else 2
    )
