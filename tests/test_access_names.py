"""Several roles at once, roles from mappings and back, and the facts that rules look at."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any
from unicodedata import normalize

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cantle.access import ANY, Access, Roles, Rule, facts, item, listed, read_roles, spelled
from cantle.errors import OptionError

GIVEN = {
    "intern": {"dept": ["hr", "product"], "classification": "internal"},
    "sre": [{"dept": "sre"}, {"level": 3}],
    "auditor": "*",
}
ROLES = Roles.of(GIVEN)


# -- several roles ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("names", "metadata", "allowed"),
    [
        ([], {"dept": "hr", "classification": "internal"}, False),
        ([], {}, False),
        (["intern"], {"dept": "hr", "classification": "internal"}, True),
        (["intern"], {"dept": "sre"}, False),
        (["intern", "sre"], {"dept": "sre"}, True),
        (["intern", "sre"], {"dept": "hr", "classification": "internal"}, True),
        (["intern", "sre"], {"dept": "hr", "classification": "restricted"}, False),  # no mixing of two roles' keys
        (["sre", "auditor"], {}, True),
        (("sre", "sre"), {"level": 3}, True),
    ],
)
def test_several_roles_see_what_any_of_them_sees(names: Any, metadata: dict[str, Any], allowed: bool) -> None:
    assert Access.of(names=names, roles=ROLES).allows(metadata) is allowed


def test_a_filter_holds_beside_several_roles() -> None:
    access = Access.of({"dept": "sre"}, names=["auditor", "sre"], roles=GIVEN)
    assert access.allows({"dept": "sre"})
    assert not access.allows({"dept": "hr"})
    assert access.of_role.allows({"dept": "hr"})
    assert (access.names, access.role, access.of_role.names) == (("auditor", "sre"), None, ("auditor", "sre"))


def test_no_role_and_no_roles_are_not_the_same() -> None:
    assert Access.of(names=None, roles=ROLES).allows({})
    assert not Access.of(names=[]).allows({})
    assert Access.of(names=[]).rules == ()


def test_names_may_come_from_any_iterable(tmp_path: Path) -> None:
    path = tmp_path / "roles.yaml"
    path.write_text("a: {x: 1}\nb: {x: 2}\n", "utf-8")
    assert Access.of(names=(name for name in "ab"), roles=path).rules == ({"x": ("1",)}, {"x": ("2",)})


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({"names": "sre"}, r"names must be a list of names of roles, got 'sre'. For a single one write \['sre'\]"),
        ({"names": {"sre": 1}}, "names must be a list of names of roles, got {'sre': 1}"),
        ({"names": 3}, "names must be a list of names of roles, got 3"),
        ({"names": [3]}, "names must be a list of names of roles, and 3 is none"),
        ({"names": [["sre"]]}, r"and \['sre'\] is none"),
        ({"names": ["sre"], "role": "sre"}, "role='sre' and names are both given"),
        ({"names": ["sre", "boss"]}, "There is no role 'boss'. Known: intern, sre, auditor."),
    ],
)
def test_wrong_names(how: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        Access.of(roles=ROLES, **how)


def test_names_need_roles() -> None:
    with pytest.raises(OptionError, match="Nothing says what the role 'sre' may see"):
        Access.of(names=["sre"])


metadata_of_any_kind = st.dictionaries(
    st.sampled_from(["dept", "level", "area", "\u00e1rea", "a\u0301rea"]),
    st.recursive(
        st.sampled_from([None, "", "hr", "sre", "*", "true", True, 0, 3, 3.0, {}, {"a": 1}]),
        lambda inner: st.lists(inner, max_size=3),
        max_leaves=4,
    ),
    max_size=4,
)
rules = st.dictionaries(
    st.sampled_from(["dept", "level", "area", "\u00e1rea"]),
    st.lists(st.sampled_from(["hr", "sre", "*", "true", "0", "3", "3.0"]), min_size=1, max_size=3).map(tuple),
    max_size=3,
)


@given(st.lists(st.lists(rules, min_size=1, max_size=2), max_size=3), metadata_of_any_kind)
def test_several_roles_are_their_union(each: list[list[Rule]], metadata: dict[str, Any]) -> None:
    roles = Roles({f"r{i}": tuple(found) for i, found in enumerate(each)})
    one_by_one = [Access.of(role=name, roles=roles).allows(metadata) for name in roles]
    assert Access.of(names=list(roles), roles=roles).allows(metadata) is any(one_by_one)


# -- roles as plain values --------------------------------------------------------------------------


def test_roles_of_a_mapping_are_those_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "roles.yaml"
    path.write_text(json.dumps(GIVEN), "utf-8")
    assert read_roles(path) == ROLES
    assert (read_roles(path).file, ROLES.file) == (path.as_posix(), "")


def test_the_plain_form() -> None:
    assert ROLES.to_dict() == {
        "intern": [{"dept": ["hr", "product"], "classification": ["internal"]}],
        "sre": [{"dept": ["sre"]}, {"level": ["3"]}],
        "auditor": ["*"],
    }
    assert Roles.of(json.loads(json.dumps(ROLES.to_dict()))) == ROLES
    assert Roles.of(ROLES) == ROLES
    assert Roles.of(Roles(ROLES, "a.yaml")).file == "a.yaml"


@given(st.dictionaries(st.text(min_size=1).map(lambda s: normalize("NFC", s)), st.lists(rules, min_size=1)))
def test_the_plain_form_goes_both_ways(given_roles: dict[str, list[Rule]]) -> None:
    roles = Roles({name: tuple(found) for name, found in given_roles.items()})
    if roles:
        assert Roles.of(json.loads(json.dumps(roles.to_dict()))) == roles


def test_any_mapping_and_tuples_are_taken() -> None:
    given_roles = MappingProxyType({"a": (MappingProxyType({"dept": ("hr", "sre")}), "*")})
    assert Roles.of(given_roles) == {"a": ({"dept": ("hr", "sre")}, {})}


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (None, "is empty. It must map names of roles"),
        ({}, "is an empty mapping"),
        ([], "is a list"),
        ("*", "is a text"),
        ({"a": {}}, "role 'a' has an empty rule"),
        ({"a": None}, "role 'a' has an empty rule"),
        ({"a": []}, "role 'a' has an empty list of rules"),
        ({"a": ()}, "role 'a' has an empty list of rules"),
        ({"a": [[]]}, "a rule of role 'a' is a list"),
        ({"a": {"dept": None}}, "has an empty value"),
        ({"a": {"dept": {"x": 1}}}, "holds a mapping"),
        ({"a": {"dept": [("hr",)]}}, "holds a tuple"),
        ({"a": {"dept": {"hr"}}}, "holds a set"),
        ({"a": {1: "hr"}}, "must be text, got 1"),
        ({1: {"dept": "hr"}}, "must be text, got 1"),
        ({"\u00e1": "*", "a\u0301": {"dept": "hr"}}, "role 'á' is there twice. Keep one."),
        ({"a": {"\u00e1": "hr", "a\u0301": "*"}}, "'á' in the rule of role 'a' is there twice. Keep one."),
        ({"a": [{"dept": ["x"] * 60_000}] * 2}, "stands for more than 100000 rules and values"),
    ],
)
def test_mistakes_in_a_mapping_say_where(wrong: Any, message: str) -> None:
    for file, where in (("", "roles: "), ("settings.json", "settings.json: ")):
        with pytest.raises(OptionError) as error:
            Roles.of(wrong, file)
        assert str(error.value).startswith(where)
        assert message in normalize("NFC", str(error.value))


def test_a_number_that_python_does_not_write_is_spelled(tmp_path: Path) -> None:
    path = tmp_path / "roles.yaml"
    path.write_text(f"a: {{level: 0x{'f' * 5000}}}\n", "utf-8")
    access = Access.of(role="a", roles=path)
    assert access.allows({"level": int("f" * 5000, 16)})
    assert not access.allows({"level": 1})


# -- filters ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("where", "message"),
    [
        ({"dept": {"not": "hr"}}, "The filter 'dept' has the value {'not': 'hr'}. It takes a text, a number, true"),
        ({"dept": ["hr", ["sre"]]}, r"The filter 'dept' has the value \['sre'\]"),
        ({"dept": b"hr"}, "The filter 'dept' has the value b'hr'"),
        ({1: "hr"}, "A key of where must be text, got 1"),
        ({"\u00e1": "x", "a\u0301": "y"}, "is there twice, composed and decomposed"),
    ],
)
def test_filters_that_nothing_could_mean(where: Any, message: str) -> None:
    with pytest.raises(OptionError, match=message):
        Access.of(where)


# -- what rules look at -----------------------------------------------------------------------------


def test_facts() -> None:
    metadata = {
        "dept": ["hr", ["sre", "hr"]],
        "public": True,
        "level": 3,
        "note": None,
        "tags": [],
        "a\u0301": "e\u0301",
    }
    assert facts({**metadata, "nested": {"dept": "x"}}) == {
        "dept": (ANY, "hr", "sre"),
        "public": (ANY, "true"),
        "level": (ANY, "3"),
        "\u00e1": (ANY, "\u00e9"),
        "nested": (ANY,),
    }


@given(rules, metadata_of_any_kind)
def test_facts_decide_as_allows_does(rule: Rule, metadata: dict[str, Any]) -> None:
    known: Mapping[str, tuple[str, ...]] = facts(metadata)
    by_facts = all(any(value in known.get(key, ()) for value in values) for key, values in rule.items())
    assert Access(rule).allows(metadata) is by_facts


def test_lists_nested_as_deep_as_one_likes() -> None:
    deep: Any = "hr"
    for _ in range(100_000):
        deep = [deep]
    assert facts({"dept": deep}) == {"dept": (ANY, "hr")}
    assert Access.of({"dept": "hr"}).allows({"dept": deep})
    while isinstance(deep, list):  # taken apart by hand: Python's own way recurses
        deep = deep.pop()


def test_a_key_that_composes_to_another_letter() -> None:
    assert item({"\u212a": 1}, "K") == 1  # the sign of kelvin
    assert item({"K": 2, "\u212a": 1}, "K") == 2
    assert item({3: 1}, "K") is None  # type: ignore[dict-item]
    assert (spelled(False), spelled(None), listed(["a", None, ["b"], 1])) == ("false", "", ["a", "1"])
