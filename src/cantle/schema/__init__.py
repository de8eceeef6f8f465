"""The options of strategies as JSON Schema, for forms, APIs and whoever checks configuration files.

```python
from cantle.schema import json_schema

json_schema("recursive")["properties"]["max_size"]["default"]  # 4000
```
"""

from .options import json_schema

__all__ = ["json_schema"]
