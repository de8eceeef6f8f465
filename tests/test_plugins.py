"""The plugin host: what plugins offer is found, and what is wrong with them is said in full."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import textwrap
import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

import pytest

from cantle import Chunk, Chunks, MDocument, OffsetMap, Registry, Sized, Source, hookimpl, option
from cantle.errors import (
    CantleError,
    DocumentError,
    OptionError,
    PluginError,
    PluginWarning,
    UnknownLengthError,
    UnknownStrategyError,
)
from cantle.lengths import CallLength
from cantle.plugins import BUILTIN


@dataclass(frozen=True, kw_only=True)
class Whole(Sized):
    """One chunk of everything."""

    name: ClassVar[str] = "whole"
    unused: ClassVar[tuple[str, ...]] = ("overlap",)
    mark: str = option("", "Put into the metadata.")

    def split(self, source: Source) -> list[Chunk]:
        return [Chunk(source.text, 0, len(source.text), metadata={"mark": self.mark})] if source.text.strip() else []


class Plain:
    """A strategy that is no dataclass."""

    name = "plain"

    def __init__(self, step: int = 3) -> None:
        self.step = step

    def split(self, source: Source) -> Iterable[Chunk]:
        for start in range(0, len(source.text), self.step):
            yield Chunk(source.text[start : start + self.step], start, min(start + self.step, len(source.text)))


class Offers:
    """A plugin of the given strategies."""

    def __init__(self, *strategies: Any) -> None:
        self.strategies = strategies

    @hookimpl
    def register_strategies(self) -> Any:
        return self.strategies


DOC = MDocument.from_text("one two three", source="d")


def left_out(message: str, **plugins: Any) -> Registry:
    """A registry of plugins, one of which is left out with exactly this warning."""
    with pytest.warns(PluginWarning) as caught:
        host = Registry(plugins)
    assert [str(w.message) for w in caught] == [message]
    return host


# -- strategies -------------------------------------------------------------------------------------


def test_a_strategy_of_a_plugin_is_found_by_name() -> None:
    host = Registry({"acme": Offers(Whole, Plain)})
    assert host.strategies() == {"plain": Plain, "whole": Whole}
    assert host.provider("whole") == "acme"
    assert host.plugins["acme"].strategies == ["whole", "plain"]
    chunks = DOC.chunk("whole", plugins=host, mark="m")
    assert [(c.content, c.metadata) for c in chunks] == [("one two three", {"mark": "m"})]


def test_a_class_or_an_instance_may_be_passed() -> None:
    host = Registry()
    assert DOC.chunk(Whole, plugins=host, mark="a")[0].metadata == {"mark": "a"}
    assert DOC.chunk(Whole(mark="b"), plugins=host)[0].metadata == {"mark": "b"}
    assert DOC.chunk(Whole(mark="b", max_size=99), plugins=host, mark="c")[0].metadata == {"mark": "c"}
    assert DOC.chunk(Plain, plugins=host, step=5).texts == ["one t", "wo th", "ree"]
    assert DOC.chunk(Plain(4), plugins=host).texts == ["one ", "two ", "thre", "e"]


def test_an_unknown_strategy() -> None:
    host = Registry({"acme": Offers(Whole, Plain)})
    with pytest.raises(UnknownStrategyError) as caught:
        DOC.chunk("wole", plugins=host)
    assert str(caught.value) == ("No chunking strategy is named 'wole'. Did you mean 'whole'? Available: plain, whole.")
    assert isinstance(caught.value, LookupError)
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


def test_an_unknown_strategy_names_the_plugins_that_are_left_out() -> None:
    host = left_out(
        "Plugin 'broken' is left out: ModuleNotFoundError: No module named 'no_such_module'",
        acme=Offers(Whole),
        broken="no_such_module",
    )
    with pytest.raises(UnknownStrategyError) as caught:
        DOC.chunk("syntax", plugins=host)
    assert str(caught.value) == (
        "No chunking strategy is named 'syntax'. Available: whole. "
        "Plugin 'broken' is left out: ModuleNotFoundError: No module named 'no_such_module'."
    )
    assert host.plugins["broken"].error
    assert DOC.chunk("whole", plugins=host).texts == ["one two three"]


def test_a_name_given_twice_is_an_error_that_names_both() -> None:
    host = Registry({"one": Offers(Whole), "two": Offers(Whole, Plain)})
    with pytest.raises(PluginError) as caught:
        DOC.chunk("whole", plugins=host)
    assert str(caught.value) == (
        "Strategy 'whole' is provided twice: by plugin 'one' (Offers) and by plugin 'two' (Offers). "
        "Uninstall one, limit loading with CANTLE_PLUGINS, or pass the object itself instead of its name."
    )
    assert DOC.chunk("plain", plugins=host)
    assert DOC.chunk(Whole, plugins=host)


def test_an_unknown_option() -> None:
    with pytest.raises(OptionError) as caught:
        DOC.chunk("whole", plugins=Registry({"acme": Offers(Whole)}), marc="x", max_sise=3)
    assert str(caught.value) == (
        "Strategy 'whole' has no options 'marc', 'max_sise'. Did you mean 'mark', 'max_size'? It takes: max_size, "
        "overlap, length_function, strip_whitespace, separator_position, add_start_index, explain, mark."
    )
    with pytest.raises(OptionError) as caught:
        DOC.chunk(Plain, plugins=Registry(), stepp=5)
    assert (
        str(caught.value) == "Strategy 'plain' does not take these options: got an unexpected keyword argument 'stepp'."
    )


def test_options_with_an_instance_are_never_dropped_in_silence() -> None:
    with pytest.raises(OptionError) as caught:
        DOC.chunk(Plain(4), plugins=Registry(), step=5)
    assert str(caught.value) == (
        "Options (step) go with a name or a class, not with an instance of Plain, which is no dataclass. "
        "Give them when you make it."
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"max_size": 0}, "max_size must be a number greater than 0, got 0."),
        ({"max_size": "10"}, "max_size must be a number greater than 0, got '10'."),
        ({"max_size": True}, "max_size must be a number greater than 0, got True."),
        ({"max_size": (9, 3)}, "max_size must be (min, max) with min at most max, got (9, 3). Swap the two."),
        ({"max_size": (1, 2, 3)}, "max_size must be a number or a pair (min, max), got (1, 2, 3)."),
        ({"strip_whitespace": 1}, "strip_whitespace must be True or False, got 1."),
        ({"separator_position": "middle"}, "separator_position must be one of None, 'start', 'end', got 'middle'."),
    ],
)
def test_a_wrong_value(options: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError) as caught:
        DOC.chunk(Whole, plugins=Registry(), **options)
    assert str(caught.value) == message


def test_what_is_no_strategy() -> None:
    with pytest.raises(OptionError) as caught:
        DOC.chunk(5, plugins=Registry({"acme": Offers(Whole)}))  # type: ignore[arg-type]
    assert str(caught.value) == (
        "a strategy is a name, or a class or object with a name and split(source); got 5. Names: whole."
    )


# -- broken plugins ---------------------------------------------------------------------------------


def test_a_misspelt_hook() -> None:
    class Misspelt:
        @hookimpl
        def register_strategy(self) -> list[Any]:
            return [Whole]

    host = left_out(
        "Plugin 'acme' is left out: PluginError: there is no hook 'register_strategy'. Did you mean "
        "'register_strategies'? Hooks: register_strategies, register_length_functions, register_extractors, "
        "load_document, prepare_source, finish_chunks, register_commands",
        acme=Misspelt(),
    )
    assert host.strategies() == {}


def test_a_wrong_argument_of_a_hook() -> None:
    class Wrong:
        @hookimpl
        def prepare_source(self, text: str) -> None:
            return None

    left_out(
        "Plugin 'acme' is left out: PluginValidationError: Plugin 'acme' for hook 'prepare_source' "
        "hookimpl definition: prepare_source(text: 'str') -> 'None' Argument(s) {'text'} are declared in the hookimpl "
        "but can not be found in the hookspec",
        acme=Wrong(),
    )


def test_a_hook_that_raises_while_it_registers() -> None:
    class Raises:
        @hookimpl
        def register_strategies(self) -> Any:
            raise RuntimeError("no licence")

    host = left_out("Plugin 'acme' is left out: RuntimeError: no licence", acme=Raises(), fine=Offers(Whole))
    assert list(host.strategies()) == ["whole"]


@pytest.mark.parametrize(
    "wrong", [int, "whole", type("NoName", (), {"split": print}), type("NoSplit", (), {"name": "x"})]
)
def test_what_is_registered_but_no_strategy(wrong: Any) -> None:
    left_out(
        f"Plugin 'acme' is left out: PluginError: register_strategies() gave {wrong!r}, which is no strategy: "
        "it needs a name and split(source)",
        acme=Offers(wrong),
    )


def test_two_strategies_of_one_name_in_one_plugin() -> None:
    other = type("Other", (Plain,), {"name": "plain"})
    left_out(
        "Plugin 'acme' is left out: PluginError: register_strategies() gave two strategies named 'plain': "
        f"{Plain!r} and {other!r}",
        acme=Offers(Plain, other),
    )
    assert Registry({"acme": Offers(Plain, Plain)}).plugins["acme"].strategies == ["plain"]


def test_one_object_under_two_names_counts_once() -> None:
    plugin = Offers(Whole)
    with pytest.warns(PluginWarning, match="Plugin 'two' is left out: ValueError: Plugin already registered under"):
        host = Registry({"one": plugin, "two": plugin})
    assert host.provider("whole") == "one"


# -- the other hooks --------------------------------------------------------------------------------


class Cleans:
    """Takes what stands in brackets out of the text."""

    @hookimpl
    def prepare_source(self, source: Source) -> tuple[Source, OffsetMap] | None:
        import re

        found = list(re.finditer(r"\[[^\]]*\] ?", source.text))
        if not found:
            return None
        offsets = OffsetMap.from_edits(len(source.text), [(m.start(), m.end(), 0) for m in found])
        return replace(source, text=re.sub(r"\[[^\]]*\] ?", "", source.text)), offsets


class Redacts:
    """Writes NAME for Ana."""

    @hookimpl
    def prepare_source(self, source: Source) -> tuple[Source, OffsetMap]:
        at = [i for i in range(len(source.text)) if source.text.startswith("Ana", i)]
        text = source.text.replace("Ana", "NAME")
        return replace(source, text=text), OffsetMap.from_edits(len(source.text), [(i, i + 3, 4) for i in at])


def test_prepare_source_keeps_the_offsets_of_the_original() -> None:
    text = "one [x] two [y] three"
    document = MDocument.from_text(text)
    chunks = document.chunk(Plain(8), plugins=Registry({"cleans": Cleans()}))
    assert chunks.texts == ["one two ", "three"]
    assert chunks[0].spans == ((0, 4), (8, 12))
    assert (chunks[0].start, chunks[0].end) == (0, 12)
    assert (chunks[1].start, chunks[1].end, chunks[1].exact) == (16, 21, True)
    assert chunks.dropped == [(4, 8, "rewritten"), (12, 16, "rewritten")]
    assert chunks.source is document


def test_prepare_source_of_several_plugins_in_the_order_of_their_names() -> None:
    document = MDocument.from_text("[to Ana] Ana came. [Ana] Ana went.")
    chunks = document.chunk(Plain(99), plugins=Registry({"b": Redacts(), "a": Cleans()}))
    assert chunks.texts == ["NAME came. NAME went."]
    assert "".join(document.text[s:e] for s, e in chunks[0].spans or ()) == " came.  went."
    assert [document.text[s:e] for s, e, _ in chunks.dropped] == ["[to Ana] Ana", "[Ana] Ana"]
    assert document.text == "[to Ana] Ana came. [Ana] Ana went."


def test_prepare_source_that_leaves_a_source_alone() -> None:
    assert DOC.chunk(Whole, plugins=Registry({"cleans": Cleans()}))[0].exact


def test_finish_chunks_tags_and_replaces() -> None:
    class Tags:
        @hookimpl
        def finish_chunks(self, document: MDocument, chunks: Chunks) -> None:
            for chunk in chunks:
                chunk.metadata["of"] = document.source

    class Filters:
        @hookimpl
        def finish_chunks(self, chunks: Chunks) -> Chunks:
            return Chunks(chunks.source, [c for c in chunks if "e" in c.content])

    chunks = DOC.chunk(Plain(4), plugins=Registry({"tags": Tags(), "filters": Filters()}))
    assert [(c.content, c.index, c.metadata) for c in chunks] == [
        ("one ", 0, {"of": "d"}),
        ("thre", 1, {"of": "d"}),
        ("e", 2, {"of": "d"}),
    ]


def test_finish_chunks_may_leave_nothing() -> None:
    class Empties:
        @hookimpl
        def finish_chunks(self, document: MDocument) -> Chunks:
            return Chunks(document)

    assert len(DOC.chunk(Whole, plugins=Registry({"p": Empties()}))) == 0


def test_load_document_of_the_first_plugin_that_answers(tmp_path: Path) -> None:
    class Loads:
        def __init__(self, suffix: str, kind: str) -> None:
            self.suffix, self.kind = suffix, kind

        @hookimpl
        def load_document(self, data: Any, name: str) -> MDocument | None:
            if not name.endswith(self.suffix):
                return None
            return MDocument(data.read_text().upper(), self.kind)

    host = Registry({"b": Loads(".x", "second"), "a": Loads(".x", "first"), "c": Loads(".y", "third")})
    (tmp_path / "file.x").write_text("text")
    (tmp_path / "file.y").write_text("text")
    first = host.load_document(tmp_path / "file.x", "file.x")
    third = host.load_document(tmp_path / "file.y", "file.y", "text/y")
    assert first is not None
    assert third is not None
    assert (first.text, first.kind, third.kind) == ("TEXT", "first", "third")
    assert host.load_document(tmp_path / "file.z", "file.z") is None


@pytest.mark.parametrize(
    ("hook", "message"),
    [
        ("prepare_source", "prepare_source() of plugin 'acme' failed: ZeroDivisionError: division by zero"),
        ("finish_chunks", "finish_chunks() of plugin 'acme' failed: ZeroDivisionError: division by zero"),
    ],
)
def test_a_hook_that_raises_names_its_plugin(hook: str, message: str) -> None:
    def fails(self: Any) -> None:
        raise ZeroDivisionError("division by zero")

    fails.__name__ = hook
    plugin = type("Fails", (), {hook: hookimpl(fails)})()
    with pytest.raises(PluginError) as caught:
        DOC.chunk(Whole, plugins=Registry({"acme": plugin}))
    assert str(caught.value) == message


def test_a_cantle_error_of_a_hook_passes() -> None:
    class Refuses:
        @hookimpl
        def prepare_source(self, source: Source) -> None:
            raise DocumentError("too secret")

    with pytest.raises(DocumentError, match="too secret"):
        DOC.chunk(Whole, plugins=Registry({"acme": Refuses()}))


def test_hooks_that_return_something_else() -> None:
    class Returns:
        def __init__(self, prepared: Any = None, finished: Any = None) -> None:
            self.prepared, self.finished = prepared, finished

        @hookimpl
        def prepare_source(self, source: Source) -> Any:
            return self.prepared

        @hookimpl
        def finish_chunks(self, chunks: Chunks) -> Any:
            return self.finished

        @hookimpl
        def load_document(self, name: str) -> Any:
            return name

    with pytest.raises(PluginError) as caught:
        DOC.chunk(Whole, plugins=Registry({"acme": Returns("text")}))
    assert str(caught.value) == (
        "prepare_source() of plugin 'acme' must return a pair (Source, OffsetMap) or None, got 'text'."
    )
    with pytest.raises(PluginError) as caught:
        DOC.chunk(Whole, plugins=Registry({"acme": Returns((Source("ab"), OffsetMap.identity(3)))}))
    assert str(caught.value) == (
        "prepare_source() of plugin 'acme' made 2 characters of 13, but its OffsetMap makes 3 of 3."
    )
    with pytest.raises(PluginError) as caught:
        DOC.chunk(Whole, plugins=Registry({"acme": Returns(None, ["a"])}))
    assert str(caught.value) == "finish_chunks() of plugin 'acme' must return Chunks or None, got ['a']."
    with pytest.raises(PluginError) as caught:
        Registry({"acme": Returns()}).load_document(Path("a.x"), "a.x")
    assert str(caught.value) == "load_document() of plugin 'acme' must return an MDocument or None, got 'a.x'."


def test_length_functions() -> None:
    class Lengths:
        @hookimpl
        def register_length_functions(self) -> Mapping[str, Any]:
            return {"vowels": lambda: CallLength(lambda text: sum(c in "aeiou" for c in text))}

    host = Registry({"acme": Lengths()})
    assert host.length_functions() == ["vowels"]
    length = host.length("vowels")
    assert length is not None
    assert length("one two") == 3
    assert host.length("consonants") is None
    both = Registry({"acme": Lengths(), "other": Lengths()})
    with pytest.raises(PluginError, match="Length function 'vowels' is provided twice: by plugin 'acme'"):
        both.length("vowels")
    with pytest.raises(UnknownLengthError) as caught:
        DOC.chunk(Whole, length_function="charcters")
    assert str(caught.value).startswith(
        "No length function is named 'charcters'. Did you mean 'characters'? Available: "
    )


def test_extractors() -> None:
    class Extracts:
        @hookimpl
        def register_extractors(self) -> Mapping[str, Any]:
            return {"size": lambda document, chunks, options: [{"size": len(c.content)} for c in chunks]}

    host = Registry({"acme": Extracts()})
    assert host.fields() == ["size"]
    assert list(host.extractors("size")) == ["acme"]
    assert DOC.chunk(Plain(9), plugins=host, extract={"size": True}).metadata == [{"size": 9}, {"size": 4}]


def test_commands() -> None:
    class Commands:
        @hookimpl
        def register_commands(self) -> Mapping[str, str]:
            return {"view": "acme_view:command"}

    assert Registry({"acme": Commands()}).commands() == {"view": "acme_view:command"}
    with pytest.raises(PluginError, match="Command 'view' is provided twice: by plugin 'acme'"):
        Registry({"acme": Commands(), "other": Commands()}).commands()


def test_a_hook_under_another_name() -> None:
    class Other:
        @hookimpl(specname="register_strategies")
        def my_strategies(self) -> list[Any]:
            return [Whole]

    assert list(Registry({"acme": Other()}).strategies()) == ["whole"]


# -- installed plugins ------------------------------------------------------------------------------


def install(site: Path, name: str, code: str, version: str = "1.2") -> None:
    """A distribution as an installer leaves it: a module, and metadata with an entry point."""
    module = f"cantle_{name}"
    (site / f"{module}.py").write_text(textwrap.dedent(code))
    info = site / f"{module}-{version}.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: cantle-{name}\nVersion: {version}\n")
    (info / "entry_points.txt").write_text(f"[cantle]\n{name} = {module}\n")


GOOD = """
    from dataclasses import dataclass
    from typing import ClassVar
    from cantle import Chunk, hookimpl

    @dataclass(frozen=True)
    class Shout:
        name: ClassVar[str] = "shout"
        def split(self, source):
            yield Chunk(source.text, 0, len(source.text))

    @hookimpl
    def register_strategies():
        return [Shout]
"""

PROBE = """
import sys, warnings
warnings.simplefilter("always")
from cantle import MDocument, registry
host = registry()
print(sorted(host.strategies()))
for name in ("good", "broken"):
    plugin = host.plugins.get(name)
    print(name, plugin and (plugin.module, plugin.version, plugin.strategies, plugin.error))
if "shout" in host.strategies():
    print(MDocument.from_text("loud").chunk("shout").texts)
"""


@pytest.fixture
def site(tmp_path: Path) -> Path:
    site = tmp_path / "site"
    site.mkdir()
    install(site, "good", GOOD)
    install(site, "broken", "import no_such_module\n", version="0.1")
    return site


def probe(site: Path, code: str = PROBE, **environ: str) -> tuple[list[str], str]:
    """What a process with these plugins installed (and those of this environment switched off) prints."""
    path = os.pathsep.join([str(site), *filter(None, [os.environ.get("PYTHONPATH")])])
    env = {**os.environ, "PYTHONPATH": path, "CANTLE_PLUGINS": "good,broken", **environ}
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines(), done.stderr


OURS = sorted(name.rpartition(".")[2] for name in BUILTIN)


def test_installed_plugins_are_found(site: Path) -> None:
    lines, errors = probe(site)
    assert "'shout'" in lines[0]
    assert lines[1] == "good ('cantle_good', '1.2', ['shout'], '')"
    assert lines[2] == "broken ('cantle_broken', '0.1', [], \"ModuleNotFoundError: No module named 'no_such_module'\")"
    assert lines[3] == "['loud']"
    assert errors.count("PluginWarning") == 1
    assert "Plugin 'broken' is left out: ModuleNotFoundError: No module named 'no_such_module'" in errors


def test_length_functions_of_plugins_are_found_before_anything_else_was_imported(site: Path) -> None:
    code = (
        "from cantle import hookimpl\n@hookimpl\ndef register_length_functions():\n    return {'mine': lambda: len}\n"
    )
    install(site, "lengths", code)
    for first in ("from cantle.lengths import names; assert 'mine' in names()", "pass"):
        probe(site, f"{first}; from cantle.lengths import resolve; resolve('mine')", CANTLE_PLUGINS="lengths")


def test_cantle_plugins_off(site: Path) -> None:
    lines, errors = probe(site, CANTLE_PLUGINS="off")
    assert "'shout'" not in lines[0]
    assert lines[1:] == ["good None", "broken None"]
    assert errors == ""


def test_cantle_plugins_limits_loading(site: Path) -> None:
    lines, errors = probe(site, CANTLE_PLUGINS=" good ")
    assert lines[1:] == ["good ('cantle_good', '1.2', ['shout'], '')", "broken None", "['loud']"]
    assert errors == ""


def test_cantle_plugins_names_one_that_is_not_installed(site: Path) -> None:
    lines, errors = probe(site, CANTLE_PLUGINS="good,godo")
    assert lines[1] == "good ('cantle_good', '1.2', ['shout'], '')"
    assert "PluginWarning: CANTLE_PLUGINS names plugins that are not installed: godo." in errors


def test_two_plugins_of_one_name(site: Path) -> None:
    other = site / "cantle_other-1.0.dist-info"
    other.mkdir()
    (other / "METADATA").write_text("Metadata-Version: 2.1\nName: cantle-other\nVersion: 1.0\n")
    (other / "entry_points.txt").write_text("[cantle]\ngood = cantle_other\n")
    lines, errors = probe(site, CANTLE_PLUGINS="good")
    assert lines[1] == "good ('cantle_good', '1.2', ['shout'], '')"
    assert "Plugin 'good' is left out: another plugin is named 'good' too, from cantle_good" in errors


def test_a_plugin_that_takes_a_name_of_ours(site: Path) -> None:
    install(site, "thief", GOOD.replace("shout", "recursive"))
    code = "try: cantle.MDocument.from_text('a').chunk('recursive')\nexcept cantle.CantleError as e: print(e)"
    lines, _ = probe(site, f"import cantle\n{code}", CANTLE_PLUGINS="thief")
    assert lines == [
        "Strategy 'recursive' is provided twice: by plugin 'recursive' (cantle.strategies.recursive) and by "
        "plugin 'thief' (cantle_thief). Uninstall one, limit loading with CANTLE_PLUGINS, or pass the object "
        "itself instead of its name."
    ]


def test_importing_cantle_scans_no_entry_points(site: Path) -> None:
    loaded = "[m for m in sys.modules if 'cantle_' in m or m == 'importlib.metadata']"
    code = f"import sys, cantle, cantle.chunk; print({loaded})"
    assert probe(site, code)[0] == ["[]"]


def test_our_own_plugins_load_without_a_warning() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        host = Registry({name.rpartition(".")[2]: name for name in BUILTIN})
    assert set(host.plugins) == set(OURS)
    assert all(not plugin.error for plugin in host.plugins.values())
    assert issubclass(PluginError, CantleError)
