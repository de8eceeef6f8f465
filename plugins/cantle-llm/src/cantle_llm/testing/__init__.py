"""A server on loopback that speaks OpenAI's wire format of chats and transcriptions, with scripted answers and faults.

For tests, of cantle and of what is built on it: the SDK is the real one, and so is the HTTP.

```python
from cantle_llm import Client
from cantle_llm.testing import ScriptedServer

with ScriptedServer(lambda asked: f"You said: {asked.prompt}") as server, Client("any", base_url=server.url) as client:
    print(client.complete([{"role": "user", "content": "hello"}]))
```
"""

from __future__ import annotations

from .faults import Fault
from .forms import Upload
from .server import Asked, ScriptedServer

__all__ = ["Asked", "Fault", "ScriptedServer", "Upload"]
