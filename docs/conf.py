"""Sphinx configuration. Build with: sphinx-build -n -W docs docs/_build/html. No network is needed."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "_ext"))

import cantle

project = "cantle"
author = "The cantle developers"
copyright = f"%Y, {author}"
version = release = cantle.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "cantle_docs"]
exclude_patterns = ["_build", "_ext", "changelog.d", "examples"]
source_suffix = {".md": "markdown"}
html_theme = "furo"
html_title = f"cantle {release}"
html_copy_source = False

myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
autodoc_preserve_defaults = True
autodoc_default_options = {"members": True, "show-inheritance": True}

# Types of the standard library and of other packages have no page here, and nothing is fetched.
nitpick_ignore_regex = [("py:.*", r".*")]
# Two packages have a class of one name (`Client`); type hints in signatures name it without its package.
suppress_warnings = ["ref.python"]
