"""Who may see what: filters, roles, files of roles."""

from __future__ import annotations

import tracemalloc
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cantle.access import Access, read_roles
from cantle.errors import OptionError

HR = {"dept": "hr", "classification": "internal"}


@pytest.fixture
def roles(tmp_path: Path) -> Any:
    """Writes a file of roles and gives its path."""

    def write(text: str | bytes) -> Path:
        path = tmp_path / "roles.yaml"
        path.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8"))
        return path

    return write


# -- filters ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("where", "metadata", "allowed"),
    [
        ({}, {}, True),
        ({"dept": "hr"}, HR, True),
        ({"dept": "hr"}, {"dept": "HR"}, False),
        ({"dept": "hr"}, {"dept": "hr "}, False),
        ({"dept": "hr"}, {"dept": "hrx"}, False),
        ({"dept": "hr"}, {}, False),
        ({"dept": "hr"}, {"dept": None}, False),
        ({"dept": "None"}, {"dept": None}, False),
        ({"dept": ["hr", "sre"]}, {"dept": "sre"}, True),
        ({"dept": ["hr", "sre"]}, {"dept": "product"}, False),
        ({"dept": "hr", "classification": "internal"}, HR, True),
        ({"dept": "hr", "classification": "restricted"}, HR, False),
        ({"dept": "hr"}, {"dept": ["sre", "hr"]}, True),
        ({"dept": "hr"}, {"dept": ["sre", ["x", "hr"]]}, True),
        ({"dept": "hr"}, {"dept": []}, False),
        ({"dept": "['hr']"}, {"dept": ["hr"]}, False),
        ({"public": "true"}, {"public": True}, True),
        ({"public": True}, {"public": True}, True),
        ({"public": "True"}, {"public": True}, False),
        ({"public": "1"}, {"public": True}, False),
        ({"level": "1"}, {"level": 1}, True),
        ({"level": 1}, {"level": "1"}, True),
        ({"level": "1"}, {"level": 1.0}, False),
        ({"level": "0"}, {"level": 0}, True),
        ({"level": "1.5"}, {"level": 1.5}, True),
        ({"dept": "*"}, {"dept": "anything"}, True),
        ({"dept": "*"}, {"dept": False}, True),
        ({"dept": "*"}, {"dept": {"a": 1}}, True),
        ({"dept": "*"}, {"dept": ""}, False),
        ({"dept": "*"}, {"dept": []}, False),
        ({"dept": "*"}, {}, False),
        ({"dept": "{'a': 1}"}, {"dept": {"a": 1}}, False),
        ({"área": "gestão"}, {"a\u0301rea": "gesta\u0303o"}, True),
        ({"a\u0301rea": "gesta\u0303o"}, {"área": "gestão"}, True),
    ],
)
def test_filters(where: dict[str, Any], metadata: dict[str, Any], allowed: bool) -> None:
    assert Access.of(where).allows(metadata) is allowed


@pytest.mark.parametrize("value", ["", [], [""], None, ["a", None]])
def test_a_filter_without_a_value_is_an_error(value: Any) -> None:
    with pytest.raises(OptionError, match="'dept' has no value"):
        Access.of({"dept": value})


scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5)
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=2)
)


@given(
    st.dictionaries(st.text(max_size=3), values, max_size=4), st.dictionaries(st.text(max_size=3), st.text(min_size=1))
)
def test_any_metadata_is_taken_and_more_filters_never_allow_more(metadata: Any, where: Any) -> None:
    allowed = Access.of(where).allows(metadata)
    assert allowed == all(Access.of({key: value}).allows(metadata) for key, value in where.items())


# -- roles ------------------------------------------------------------------------------------------

ROLES = """
intern: {dept: [hr, product], classification: internal}
sre:
  - {dept: sre}
  - {classification: internal}
auditor: "*"
known: {dept: "*"}
number: {level: 3, public: true, since: 2024-05-01}
"""


@pytest.mark.parametrize(
    ("role", "metadata", "allowed"),
    [
        ("intern", HR, True),
        ("intern", {"dept": "hr", "classification": "restricted"}, False),
        ("intern", {"dept": "hr"}, False),
        ("sre", {"dept": "sre", "classification": "restricted"}, True),
        ("sre", HR, True),
        ("sre", {"dept": "hr", "classification": "restricted"}, False),
        ("sre", {}, False),
        ("auditor", {}, True),
        ("known", {"dept": "x"}, True),
        ("known", {}, False),
        ("number", {"level": 3, "public": True, "since": "2024-05-01"}, True),
        ("number", {"level": "3", "public": "true", "since": "2024-05-01"}, True),
        ("number", {"level": 3, "public": False, "since": "2024-05-01"}, False),
    ],
)
def test_roles(roles: Any, role: str, metadata: dict[str, Any], allowed: bool) -> None:
    path = roles(ROLES)
    assert Access.of(role=role, roles=path).allows(metadata) is allowed
    assert Access.of(role=role, roles=read_roles(path)).allows(metadata) is allowed


def test_a_role_and_a_filter_must_both_hold(roles: Any) -> None:
    access = Access.of({"dept": "hr"}, role="intern", roles=roles(ROLES))
    assert access.allows(HR)
    assert not access.allows({**HR, "dept": "product"})
    assert not access.allows({**HR, "classification": "restricted"})
    assert access.role == "intern"
    assert access.keys == ("dept", "classification")


def test_a_role_that_is_not_there_names_the_others_and_the_file(roles: Any) -> None:
    path = roles(ROLES)
    with pytest.raises(OptionError) as error:
        Access.of(role="interns", roles=path)
    assert str(error.value) == (f"{path.as_posix()} has no role 'interns'. Known: intern, sre, auditor, known, number.")


def test_a_role_needs_roles() -> None:
    with pytest.raises(OptionError, match="Give a file of roles"):
        Access.of(role="intern")


def test_names_of_roles_and_keys_are_composed(roles: Any) -> None:
    path = roles("estagia\u0301rio: {a\u0301rea: gesta\u0303o}")
    assert list(read_roles(path)) == ["estagiário"]
    assert Access.of(role="estagia\u0301rio", roles=path).allows({"área": "gestão"})


@pytest.mark.parametrize(
    "text", ["\ufeffa: {dept: hr}", "a: &x {dept: hr}\nb: *x", '{"a": {"dept": ["hr"]}}', "a: [{dept: hr}]"]
)
def test_spellings_that_are_taken(roles: Any, text: str) -> None:
    assert read_roles(roles(text))["a"] == ({"dept": ("hr",)},)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is empty. It must map"),
        ("{}", "is an empty mapping"),
        ("- a", "is a list"),
        ("hello", "is a text"),
        ("a: {}", "role 'a' has an empty rule. To let it see everything, write \"*\"."),
        ("a:", "role 'a' has an empty rule"),
        ("a: ~", "role 'a' has an empty rule"),
        ("a: []", "role 'a' has an empty list of rules"),
        ("a: [{dept: hr}, {}]", "role 'a' has an empty rule"),
        ("a: [{dept: hr}, null]", "role 'a' has an empty rule"),
        ("a: hr", "a rule of role 'a' is a text"),
        ("a: true", "a rule of role 'a' is a bool"),
        ("a: 3", "a rule of role 'a' is a number"),
        ("a: [[{dept: hr}]]", "a rule of role 'a' is a list"),
        ("a: {dept: }", "'dept' in the rule of role 'a' has an empty value"),
        ("a: {dept: ''}", "has an empty value"),
        ("a: {dept: []}", "has an empty list of values"),
        ("a: {dept: [hr, ~]}", "has an empty value"),
        ("a: {dept: {x: y}}", "holds a mapping"),
        ("a: {dept: [[hr]]}", "holds a list"),
        ("a: {dept: !!binary aGk=}", "holds a bytes"),
        ("a: {1: hr}", "must be text, got 1. Put it in quotes"),
        ("on: {dept: hr}", "the name of a role must be text, got True"),
        ("'': {dept: hr}", "the name of a role must be text, got ''"),
        ("a: {dept: hr}\na: {dept: sre}", "line 2: the key 'a' is there twice"),
        ("a: {dept: hr, dept: sre}", "the key 'dept' is there twice"),
        ("x: &x {dept: hr}\na:\n  <<: *x\n  level: 1", "line 3: merge keys (<<) are not taken"),
        ("a: {dept: hr", "is no valid YAML: line 1"),
        ("? [a]\n: {dept: hr}", "a key must be text"),
        ("a: {dept: 2024-13-45}", "a value cannot be read"),
        ("a: !!python/object/apply:os.system ['true']", "is no valid YAML"),
        ("a: {dept: hr}\n---\nb: {dept: hr}", "is no valid YAML"),
        (b"a: {dept: \xff}", "is not UTF-8 (byte 10)"),
        ("a: " + "[" * 100_000, "is nested too deeply"),
        ("#" * 300_000, "has more than 262144 bytes"),
        ("a: {dept: hr\x00}", "is no valid YAML"),
    ],
)
def test_mistakes_open_nothing(roles: Any, text: str | bytes, message: str) -> None:
    path = roles(text)
    with pytest.raises(OptionError) as error:
        read_roles(path)
    assert str(error.value).startswith(f"{path.as_posix()}: ")
    assert message in str(error.value)


def test_aliases_that_stand_for_gigabytes_are_refused(roles: Any) -> None:
    many = ", ".join(f"v{i}" for i in range(5000))
    rules = ", ".join(f"k{i}: *values" for i in range(5000))
    copies = ", ".join(["*rule"] * 5000)
    text = f"first: &rule {{dept: &values [{many}], {rules}}}\nsecond: [{copies}]"
    with pytest.raises(OptionError, match="stands for more than 100000 rules and values"):
        read_roles(roles(text))


def test_rules_that_are_repeated_by_the_million_are_refused(roles: Any) -> None:
    """Two thousand roles with two thousand rules each, in a file of 30 kB."""
    text = "a: &a [" + ",".join(['"*"'] * 2000) + "]\n" + "".join(f"b{i}: *a\n" for i in range(2000))
    tracemalloc.start()
    try:
        with pytest.raises(OptionError, match="stands for more than 100000 rules and values"):
            read_roles(roles(text))
        assert tracemalloc.get_traced_memory()[1] < 50_000_000
    finally:
        tracemalloc.stop()


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    for path in (tmp_path / "none.yaml", tmp_path, "a\x00b"):
        with pytest.raises(OptionError, match="cannot be read"):
            read_roles(path)


@given(text=st.text(max_size=60))
def test_any_text_is_roles_or_an_error(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    path = tmp_path_factory.getbasetemp() / "any-roles.yaml"
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    try:
        found = read_roles(path)
    except OptionError:
        return
    assert all(rules for rules in found.values())
