"""Separators, as data: for text, and for programming and markup languages.

The lists for languages are regular expressions, strongest first; `recursive` takes them with
`language=...`. They are those of Mastra's `Language`; an argument in braces may have 256
characters, so that unclosed ones are found out in linear time.
"""

from __future__ import annotations

__all__ = ["DEFAULT", "LANGUAGES"]

DEFAULT = ("\n\n", "\n", " ", "")
"""Paragraphs, lines, words, characters."""


def _words(words: str) -> tuple[str, ...]:
    """Each word at the start of a line, followed by a space."""
    return tuple(f"\n{word} " for word in words.split(" "))


_JVM = "package import class interface enum public protected private static void if for while switch case"
_C = "class void int float double if for while switch case"

_LANGUAGES: dict[str, tuple[str, ...]] = {
    "cpp": _words(_C),
    "go": _words("package import func type struct interface const var if for switch case"),
    "java": _words(_JVM),
    "kotlin": _words("package import class interface fun val var object companion if for while when"),
    "js": _words("class function const let var if for while switch case default"),
    "ts": _words("enum interface namespace type class function const let var if for while switch case default"),
    "php": _words(
        "namespace use class interface trait function public private protected if foreach for while switch case"
    ),
    "proto": _words("syntax package import message service enum rpc"),
    "python": (
        "\nclass ",
        "\ndef ",
        "\n\tdef ",
        "\n\t\tdef ",
        "\nasync def ",
        "\nif ",
        "\nfor ",
        "\nwhile ",
        "\ntry ",
        "\nexcept ",
    ),
    "rst": ("\n=+\n", "\n-+\n", "\n\\*+\n", "\n\\.\\. "),
    "ruby": _words("module class def if unless while for begin rescue"),
    "rust": _words("mod use fn struct enum impl trait const let if for while match"),
    "scala": _words(_JVM),
    "swift": _words("import class struct enum protocol func var let if for while switch case"),
    "markdown": ("\n#{1,6} ", "```\n", "\n\\*\\*\\*+\n", "\n---+\n", "\n___+\n"),
    "latex": (
        r"\\part\*?\{",
        r"\\chapter\*?\{",
        r"\\section\*?\{",
        r"\\subsection\*?\{",
        r"\\subsubsection\*?\{",
        r"\\begin\{[^}\n]{0,256}\}",
        r"\\end\{[^}\n]{0,256}\}",
        r"\\[a-zA-Z]+\{[^}\n]{0,256}\}",
    ),
    "html": tuple(
        f"<{tag}"
        for tag in [
            "body",
            "div",
            "p",
            "br",
            "li",
            "h1",
            "h2",
            "h3",
            "h4",
            "h5",
            "h6",
            "span",
            "table",
            "tr",
            "td",
            "th",
            "ul",
            "ol",
            "header",
            "footer",
            "nav",
        ]
    ),
    "sol": _words("pragma import contract interface library function event modifier error struct enum if for while"),
    "csharp": _words(
        "namespace using class interface struct enum public private protected internal void if for while switch case"
    ),
    "cobol": (
        "\nIDENTIFICATION DIVISION",
        "\nENVIRONMENT DIVISION",
        "\nDATA DIVISION",
        "\nPROCEDURE DIVISION",
        "\nWORKING-STORAGE SECTION",
        "\nPERFORM ",
        "\nIF ",
        "\nEVALUATE ",
    ),
    "c": _words(_C),
    "lua": ("\nfunction ", "\nlocal function ", "\nif ", "\nfor ", "\nwhile ", "\nrepeat "),
    "perl": _words("sub package use my our if unless while for foreach"),
    "haskell": _words("module import data type newtype class instance where let if case"),
    "elixir": _words("defmodule defprotocol defimpl def defp defmacro if case cond"),
    "powershell": _words("function filter param if foreach for while switch"),
}

LANGUAGES: dict[str, tuple[str, ...]] = {name: (*own, *DEFAULT) for name, own in _LANGUAGES.items()}
"""Language -> its separators, regular expressions that end with those of text."""
