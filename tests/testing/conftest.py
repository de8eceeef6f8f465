"""The tiny strategies here are imported by name: in tests, and in the processes that the kit starts."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
