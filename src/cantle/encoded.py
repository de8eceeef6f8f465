"""The options of strategies that count tokens of one encoding, whatever `length_function` says."""

from __future__ import annotations

from dataclasses import dataclass

from . import checks
from .errors import OptionError
from .lengths import SpecialTokens, TokenLength
from .strategy import Sized, option
from .tokenizers.encodings import ENCODINGS, MODELS

__all__ = ["Encoded", "Specials"]

Specials = set[str] | frozenset[str] | list[str] | tuple[str, ...] | str


@dataclass(frozen=True, kw_only=True)
class Encoded(Sized):
    """An encoding, by its name or that of a model, and what special tokens in the text count."""

    encoding_name: str = option("cl100k_base", "The encoding.", choices=ENCODINGS)
    model_name: str | None = option(None, "Use the encoding of this OpenAI model instead.", choices=MODELS)
    allowed_special: Specials | None = option(
        None, "Special tokens to take as one token each where they stand in the text, or 'all'."
    )
    disallowed_special: Specials | None = option(
        None,
        "Special tokens that are an error in the text, or 'all'. With allowed_special alone: all others. "
        "With neither, special tokens are plain text.",
    )

    def __post_init__(self) -> None:
        checks.string("encoding_name", self.encoding_name)
        checks.string("model_name", self.model_name, none=True)
        if self.model_name is not None and self.model_name not in MODELS:
            raise OptionError(
                f"model_name {self.model_name!r} is not known. Known models: {', '.join(MODELS)}. "
                "For another one give its encoding_name."
            )
        if self.encoding_name not in ENCODINGS:
            raise OptionError(f"encoding_name must be one of {', '.join(ENCODINGS)}, got {self.encoding_name!r}.")
        for option_name in ("allowed_special", "disallowed_special"):
            value = getattr(self, option_name)
            if value is None or value == "all":
                continue
            if isinstance(value, str) or not isinstance(value, set | frozenset | list | tuple):
                raise OptionError(f"{option_name} must be a set of special tokens or 'all', got {value!r}.")
            checks.strings(option_name, list(value))
            if "" in value:
                raise OptionError(f"{option_name} must hold special tokens, got an empty string among {list(value)!r}.")
            object.__setattr__(self, option_name, frozenset(value))
        super().__post_init__()

    def _unused_now(self) -> dict[str, str]:
        found = super()._unused_now()
        if self.model_name is not None and self.encoding_name != "cl100k_base":
            found["encoding_name"] = f"with model_name={self.model_name!r}, which has its own"
        if self.allowed_special is not None and self.allowed_special != "all":
            strange = sorted(set(self.allowed_special) - set(ENCODINGS[self.encoding].special_tokens))
            if strange:
                found["allowed_special"] = f"for {', '.join(strange)}: no special token of {self.encoding}"
        return found

    @property
    def encoding(self) -> str:
        """The name of the encoding in force."""
        return MODELS[self.model_name] if self.model_name is not None else self.encoding_name

    @property
    def tokens(self) -> TokenLength:
        """Tokens of the encoding, special tokens as the options say."""
        return TokenLength(self.encoding, self._special())

    def _special(self) -> SpecialTokens:
        allowed, disallowed = self.allowed_special, self.disallowed_special
        if allowed is None and disallowed is None:
            return SpecialTokens()
        every = frozenset(ENCODINGS[self.encoding].special_tokens)
        allow = every if allowed == "all" else every & frozenset(allowed or ())
        refuse = every - allow if disallowed is None or disallowed == "all" else frozenset(disallowed)
        return SpecialTokens(allow, refuse)
