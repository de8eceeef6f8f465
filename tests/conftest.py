"""Property tests make the same examples at every run, and take the time they need."""

from hypothesis import settings

settings.register_profile("cantle", deadline=None, derandomize=True, database=None)
settings.load_profile("cantle")
