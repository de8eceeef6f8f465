"""Property tests make the same examples at every run; Haystack reports nothing to anybody."""

import os

os.environ["HAYSTACK_TELEMETRY_ENABLED"] = "False"

from hypothesis import settings

settings.register_profile("cantle", deadline=None, derandomize=True, database=None)
settings.load_profile("cantle")
