"""The plugin host: collects what plugins offer and hands it out by name.

pluggy collects, dictionaries dispatch. Built-in strategies come through the same hooks as a
stranger's. Entry points are scanned at the first use that needs them, never at import.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, fields, is_dataclass
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

import pluggy

from . import hookspecs, lengths
from .chunks import Chunks
from .errors import CantleError, OptionError, PluginError, PluginWarning, UnknownStrategyError
from .hookspecs import Extractor
from .lengths import Length
from .offers import Hook, by_name, is_target, named, shown
from .source import OffsetMap, Source
from .strategy import Strategy, make
from .warn import warn

if TYPE_CHECKING:
    from .document import MDocument

__all__ = ["BUILTIN", "Plugin", "Registry", "host_of", "registry"]

BUILTIN = (
    "cantle.extractors.offline",
    "cantle.strategies.character",
    "cantle.strategies.html",
    "cantle.strategies.json",
    "cantle.strategies.latex",
    "cantle.strategies.markdown",
    "cantle.strategies.recursive",
    "cantle.strategies.semantic_markdown",
    "cantle.strategies.sentence",
    "cantle.strategies.structural_context",
    "cantle.strategies.token",
)
"""The modules of our own strategies and extractors, in the form a stranger's plugin has."""

GROUP = "cantle"


@dataclass
class Plugin:
    """A plugin and what it offers. `error` says why it was left out."""

    name: str
    module: str
    version: str = ""
    error: str = ""
    strategies: list[str] = field(default_factory=list)
    length_functions: list[str] = field(default_factory=list)
    extractors: list[str] = field(default_factory=list)
    commands: list[str] = field(default_factory=list)
    hooks: list[str] = field(default_factory=list)
    streams: bool = False
    """Whether its hooks leave plain text alone, by its own word (an attribute `streams`): then text can be streamed."""


class Registry:
    """What a set of plugins offers, by name.

    `plugins` maps names to plugins (modules or objects with hook implementations, or the name of a
    module to import). `entry_points=True` adds the installed ones; `CANTLE_PLUGINS=off` or a comma
    list of names limits those.
    """

    def __init__(self, plugins: Mapping[str, Any] | None = None, *, entry_points: bool = False) -> None:
        if plugins is not None and not isinstance(plugins, Mapping):
            raise OptionError(f"plugins of a Registry must be a mapping of names to plugins, got {plugins!r}.")
        self.plugins: dict[str, Plugin] = {}
        self._made_of = (dict(plugins or {}), entry_points)
        self._manager = pluggy.PluginManager("cantle")
        self._manager.add_hookspecs(hookspecs)
        self._strategies: dict[str, tuple[type[Strategy], str]] = {}
        self._lengths: dict[str, tuple[Callable[[], Length], str]] = {}
        self._extractors: dict[str, dict[str, Extractor]] = {}
        self._commands: dict[str, tuple[str, str]] = {}
        self._clashes: dict[tuple[str, str], str] = {}
        for name, plugin in (plugins or {}).items():
            self._load(name, plugin, "")
        if entry_points:
            self._load_entry_points()

    def __reduce__(self) -> tuple[Any, tuple[dict[str, Any], bool]]:
        """Made anew from the same plugins in another process; modules go by name."""
        plugins, entry_points = self._made_of
        named = {name: p.__name__ if isinstance(p, ModuleType) else p for name, p in plugins.items()}
        return _remade, (named, entry_points)

    # -- loading --------------------------------------------------------------------------------

    def _load_entry_points(self) -> None:
        from importlib.metadata import entry_points

        wanted = os.environ.get("CANTLE_PLUGINS", "").strip()
        if wanted.lower() == "off":
            return
        names = {name.strip() for name in wanted.split(",") if name.strip()}
        missing = set(names)
        try:
            points = sorted(entry_points(group=GROUP), key=lambda p: (p.name, p.value))
        except Exception as error:  # some distribution's entry_points.txt cannot be read
            warn(f"Installed plugins cannot be listed, none is loaded: {shown(error)}", PluginWarning)
            return
        for point in points:
            if names and point.name not in names:
                continue
            version = point.dist.version if point.dist is not None else ""
            self._load(point.name, point.load, version, module=point.value)
            missing.discard(point.name)
        if missing:
            warn(f"CANTLE_PLUGINS names plugins that are not installed: {', '.join(sorted(missing))}.", PluginWarning)

    def _load(self, name: str, plugin: Any, version: str, module: str = "") -> None:
        """Load one plugin in its own `try`: a broken one costs a warning, not the host."""
        info = Plugin(name, module or _module_of(plugin), version)
        if name in self.plugins:
            self.plugins[f"{name} ({info.module})"] = info
            info.error = f"another plugin is named {name!r} too, from {self.plugins[name].module}"
            self._warn(info)
            return
        self.plugins[name] = info
        try:
            if isinstance(plugin, str):
                plugin = import_module(plugin)
            elif module:
                plugin = plugin()
            if self._manager.register(plugin, name) is None:
                raise PluginError(f"plugin {name!r} is blocked")
            self._check_hooks(plugin)
            info.streams = getattr(plugin, "streams", False) is True
            self._collect(info, plugin)
        except (Exception, SystemExit) as error:  # a stranger's code may raise anything
            if self._manager.get_plugin(name) is not None:
                self._manager.unregister(name=name)
            self._forget(name)
            info.error = shown(error)
            self._warn(info)

    def _check_hooks(self, plugin: Any) -> None:
        """A function marked as a hook that cantle does not have is a mistake, most often a misspelling."""
        known = [h for h in vars(hookspecs) if getattr(getattr(hookspecs, h), "cantle_spec", None)]
        for hook in self._manager.get_hookcallers(plugin) or []:
            if not hook.has_spec():
                from difflib import get_close_matches

                close = get_close_matches(hook.name, known, n=1)
                hint = f" Did you mean {close[0]!r}?" if close else ""
                raise PluginError(f"there is no hook {hook.name!r}.{hint} Hooks: {', '.join(known)}")

    def _collect(self, info: Plugin, plugin: Any) -> None:
        info.hooks = sorted(hook.name for hook in self._manager.get_hookcallers(plugin) or [])
        name = info.name
        strategies = by_name(self._ask(plugin, "register_strategies"))
        functions = named(self._ask(plugin, "register_length_functions"), "register_length_functions", callable)
        extractors = named(self._ask(plugin, "register_extractors"), "register_extractors", callable)
        commands = named(self._ask(plugin, "register_commands"), "register_commands", is_target)
        for key, cls in strategies.items():
            self._claim("Strategy", key, name, self._strategies.get(key, (None, ""))[1])
            self._strategies.setdefault(key, (cls, name))
        for key, factory in functions.items():
            self._claim("Length function", key, name, self._lengths.get(key, (None, ""))[1])
            self._lengths.setdefault(key, (factory, name))
        for key, extractor in extractors.items():
            self._extractors.setdefault(key, {})[name] = extractor
        for key, command in commands.items():
            self._claim("Command", key, name, self._commands.get(key, ("", ""))[1])
            self._commands.setdefault(key, (command, name))
        info.strategies, info.length_functions = list(strategies), list(functions)
        info.extractors, info.commands = list(extractors), list(commands)

    def _ask(self, plugin: Any, hook: str) -> Any:
        implementations = getattr(self._manager.hook, hook).get_hookimpls()
        found = next((i for i in implementations if i.plugin is plugin), None)
        return None if found is None else found.function()

    def _claim(self, kind: str, key: str, name: str, owner: str) -> None:
        if owner and owner != name:
            self._clashes[kind, key] = (
                f"{kind} {key!r} is provided twice: by {self._describe(owner)} and by {self._describe(name)}. "
                "Uninstall one, limit loading with CANTLE_PLUGINS, or pass the object itself instead of its name."
            )

    def _describe(self, name: str) -> str:
        module = self.plugins[name].module
        return f"plugin {name!r} ({module})" if module and module != name else f"plugin {name!r}"

    def _forget(self, name: str) -> None:
        for table in (self._strategies, self._lengths, self._commands):
            for key in [k for k, v in table.items() if v[1] == name]:
                del table[key]
        for providers in self._extractors.values():
            providers.pop(name, None)

    def _warn(self, info: Plugin) -> None:
        warn(f"Plugin {info.name!r} is left out: {info.error}", PluginWarning)

    # -- handing out ----------------------------------------------------------------------------

    def strategies(self) -> dict[str, type[Strategy]]:
        """All strategy classes by name, sorted."""
        return {name: cls for name, (cls, _) in sorted(self._strategies.items())}

    def kinds(self) -> list[str]:
        """The kinds of documents that have a strategy of their own name, sorted."""
        return [name for name, cls in self.strategies().items() if getattr(cls, "kind", None) == name]

    def provider(self, strategy: str) -> str:
        """The name of the plugin that provides a strategy."""
        return self._strategies[strategy][1]

    def strategy(self, name: str) -> type[Strategy]:
        """The strategy class of that name. Raises `UnknownStrategyError`, or `PluginError` on a clash."""
        self._refuse_clash("Strategy", name)
        try:
            return self._strategies[name][0]
        except (KeyError, TypeError):
            notes = [f"Plugin {p.name!r} is left out: {p.error}." for p in self.plugins.values() if p.error]
            raise UnknownStrategyError(str(name), self._strategies, notes) from None

    def make(self, strategy: str | type[Strategy] | Strategy, options: Mapping[str, Any]) -> Strategy:
        """A strategy instance from a name, a class or an instance. Options go with a name or class."""
        if isinstance(strategy, str):
            strategy = self.strategy(strategy)
        if not callable(getattr(strategy, "split", None)) or not isinstance(getattr(strategy, "name", None), str):
            raise OptionError(
                f"a strategy is a name, or a class or object with a name and split(source); got {strategy!r}. "
                f"Names: {', '.join(sorted(self._strategies))}."
            )
        if isinstance(strategy, type):
            return make(strategy, options)  # type: ignore[no-any-return]
        if not options:
            return strategy
        if not is_dataclass(strategy):
            raise OptionError(
                f"Options ({', '.join(options)}) go with a name or a class, not with an instance of "
                f"{type(strategy).__qualname__}, which is no dataclass. Give them when you make it."
            )
        own = {f.name: getattr(strategy, f.name) for f in fields(strategy) if f.init}
        return make(type(strategy), {**own, **options})

    def length(self, name: str) -> Length | None:
        """The length function that a plugin registered under that name, or None."""
        self._refuse_clash("Length function", name)
        found = self._lengths.get(name)
        if found is None:
            return None
        factory, plugin = found
        try:
            return lengths.resolve(factory())
        except CantleError:
            raise
        except Exception as error:
            raise PluginError(
                f"the length function {name!r} of plugin {plugin!r} cannot be made: {type(error).__name__}: {error}. "
                "register_length_functions() gives functions without arguments."
            ) from error

    @contextmanager
    def in_use(self) -> Iterator[None]:
        """While this lasts, length functions are looked up by name here, not in the default registry."""
        token = _in_use.set(self)
        try:
            yield
        finally:
            _in_use.reset(token)

    def length_functions(self) -> list[str]:
        """Names of the length functions that plugins registered."""
        return sorted(self._lengths)

    def extractors(self, field: str) -> dict[str, Extractor]:
        """The providers of a metadata field, by plugin name."""
        return dict(self._extractors.get(field, {}))

    def is_builtin(self, plugin: str) -> bool:
        """Whether the plugin of that name is one of cantle's own."""
        return plugin in self.plugins and self.plugins[plugin].module in BUILTIN

    def fields(self) -> list[str]:
        """The metadata fields that can be extracted."""
        return sorted(field for field, providers in self._extractors.items() if providers)

    def commands(self) -> dict[str, str]:
        """Subcommands of the command line: name -> `module:command`."""
        for kind, key in self._clashes:
            if kind == "Command":
                self._refuse_clash(kind, key)
        return {name: command for name, (command, _) in sorted(self._commands.items())}

    def load_document(self, data: Any, name: str, media_type: str | None = None) -> MDocument | None:
        """What the first plugin that knows the file makes of it, or None."""
        for hook in self._hooks("load_document"):
            document = hook.call(data=data, name=name, media_type=media_type)
            if document is not None:
                return hook.checked(document, Source, "an MDocument or None")  # type: ignore[no-any-return]
        return None

    def prepare_source(self, source: Source) -> tuple[Source, OffsetMap | None]:
        """The source after every plugin's rewriting, with the map back, or None when nothing changed."""
        total: OffsetMap | None = None
        for hook in self._hooks("prepare_source"):
            result = hook.call(source=source)
            if result is not None:
                wanted = "a pair (Source, OffsetMap) or None"
                pair = hook.checked(result, tuple, wanted)
                if len(pair) != 2 or not isinstance(pair[0], Source) or not isinstance(pair[1], OffsetMap):
                    raise PluginError(f"prepare_source() of plugin {hook.plugin!r} must return {wanted}, got {pair!r}.")
                before, (source, step) = source, pair
                if (step.old_length, step.new_length) != (len(before.text), len(source.text)):
                    raise PluginError(
                        f"prepare_source() of plugin {hook.plugin!r} made {len(source.text)} characters of "
                        f"{len(before.text)}, but its OffsetMap makes {step.new_length} of {step.old_length}."
                    )
                total = step if total is None else total.then(step)
        return source, total

    def finish_chunks(self, document: MDocument, chunks: Chunks) -> Chunks:
        """The chunks after every plugin's finishing."""
        for hook in self._hooks("finish_chunks"):
            result = hook.call(document=document, chunks=chunks)
            if result is not None:
                chunks = hook.checked(result, Chunks, "Chunks or None")
        return chunks

    def _hooks(self, name: str) -> list[Hook]:
        """The implementations of a hook, in the order of the plugins' names."""
        implementations = getattr(self._manager.hook, name).get_hookimpls()
        return [Hook(name, i) for i in sorted(implementations, key=lambda i: i.plugin_name)]

    def _refuse_clash(self, kind: str, key: str) -> None:
        message = self._clashes.get((kind, key)) if isinstance(key, str) else None
        if message:
            raise PluginError(message)


def _remade(plugins: dict[str, Any], entry_points: bool) -> Registry:
    return Registry(plugins, entry_points=entry_points)


def _module_of(plugin: Any) -> str:
    if isinstance(plugin, str):
        return plugin
    return str(getattr(plugin, "__name__", type(plugin).__qualname__))


@cache
def registry() -> Registry:
    """The registry of the built-in strategies and all installed plugins, made at the first call."""
    return Registry({name.rpartition(".")[2]: name for name in BUILTIN}, entry_points=True)


def host_of(plugins: Any) -> Registry:
    """The registry to use: the one that a caller gave, or, for None, that of the installed plugins."""
    if plugins is None:
        return registry()
    if not isinstance(plugins, Registry):
        raise OptionError(f"plugins must be a Registry or None, got {plugins!r}. Make one: Registry({{name: plugin}}).")
    return plugins


_in_use: ContextVar[Registry | None] = ContextVar("registry in use", default=None)


def _host() -> Registry:
    return _in_use.get() or registry()


lengths.add_provider(lambda name: _host().length(name), lambda: _host().length_functions())
