"""What words of RTF mean: signs, character sets, and destinations whose text is not that of the document."""

from __future__ import annotations

__all__ = ["CHARSETS", "LEFT_OUT", "SIGNS"]

SIGNS = {
    "tab": "\t", "line": "\n", "lbr": "\n", "page": "\f", "softpage": "\v", "column": "\n",
    "emdash": "\u2014", "endash": "\u2013", "emspace": "\u2003", "enspace": "\u2002", "qmspace": "\u2005",
    "bullet": "\u2022", "lquote": "\u2018", "rquote": "\u2019", "ldblquote": "\u201c", "rdblquote": "\u201d",
    "zwj": "\u200d", "zwnj": "\u200c", "ltrmark": "\u200e", "rtlmark": "\u200f",
    "~": "\xa0", "_": "\u2011", "-": "\xad", "\\": "\\", "{": "{", "}": "}",
}  # fmt: skip

CHARSETS = {
    77: "mac_roman", 128: "cp932", 129: "cp949", 130: "johab", 134: "gbk", 136: "cp950", 161: "cp1253", 162: "cp1254",
    163: "cp1258", 177: "cp1255", 178: "cp1256", 186: "cp1257", 204: "cp1251", 222: "cp874", 238: "cp1250",
    254: "cp437", 255: "cp850",
}  # fmt: skip
"""Encodings by the numbers of character sets of fonts."""

LEFT_OUT = frozenset({
    "annotation", "atnauthor", "atnid", "colortbl", "comment", "datafield", "do", "falt", "filetbl", "footer",
    "footerf", "footerl", "footerr", "ftncn", "ftnsep", "ftnsepc", "aftncn", "aftnsep", "aftnsepc", "generator",
    "header", "headerf", "headerl", "headerr", "listtable", "listoverridetable", "nonshppict", "objdata", "objclass",
    "pn", "private", "revtbl", "rsidtbl", "rxe", "tc", "tcn", "template", "txe", "xe", "xmlnstbl", "latentstyles",
    "themedata", "datastore", "bkmkstart", "bkmkend", "operator", "company", "manager", "category", "doccomm",
    "hlinkbase", "creatim", "revtim", "printim", "buptim", "formfield", "result", "objname", "background",
    "pict",
})  # fmt: skip
