"""Where warnings point: at the first caller that is no part of cantle or of its plugins."""

from __future__ import annotations

import warnings
from types import ModuleType

import pytest

from cantle import MDocument
from cantle.errors import UnusedOptionWarning
from cantle.warn import warn

CODE = """
from cantle.warn import warn
def call(category):
    warn("careful", category)
"""


@pytest.mark.parametrize(("name", "is_ours"), [("cantle_acme.deep", True), ("acme.cantle_plugin", False)])
def test_frames_of_plugins_are_passed_over(name: str, is_ours: bool) -> None:
    module = ModuleType(name)
    exec(compile(CODE, f"{name}.py", "exec"), module.__dict__)
    with pytest.warns(UserWarning, match="careful") as caught:
        module.call(UserWarning)
    assert (caught[0].filename == __file__) == is_ours


def test_a_warning_of_a_strategy_points_at_the_call() -> None:
    with pytest.warns(UnusedOptionWarning) as caught:
        MDocument.from_text("a b").chunk("semantic-markdown", overlap=3)
    assert caught[0].filename == __file__


def test_it_ends_where_all_callers_are_ours() -> None:
    namespace = {"__name__": "cantle_acme", "warn": warn}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        exec(
            "import threading; t = threading.Thread(target=warn, args=('alone', UserWarning)); t.start(); t.join()",
            namespace,
        )
    assert [str(one.message) for one in caught] == ["alone"]


def test_a_thread_of_a_plugin_can_filter_by_its_module() -> None:
    outer, inner = ModuleType("cantle_acme.service"), ModuleType("cantle_other.deep")
    exec(compile(CODE, "other.py", "exec"), inner.__dict__)
    code = "import threading\nt = threading.Thread(target=lambda: call(UserWarning))\nt.start()\nt.join()"
    outer.__dict__["call"] = inner.__dict__["call"]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        exec(compile(code, "service.py", "exec"), outer.__dict__)
        warnings.filterwarnings("ignore", module=r"cantle_acme\.service\Z")
        exec(compile(code, "service.py", "exec"), outer.__dict__)
    assert [(str(one.message), one.filename) for one in caught] == [("careful", "service.py")]
