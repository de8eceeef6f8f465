"""Who may see what: filters over the metadata of documents, and roles that stand for filters.

```python
from cantle.access import Access, Roles

roles = Roles.of({"intern": {"dept": ["hr", "product"]}, "auditor": "*"})
Access.of(role="intern", roles=roles).allows({"dept": "hr"})  # True
```
"""

from .access import Access
from .roles import Roles, read_roles
from .rules import ANY, Rule, facts, item, listed, spelled

__all__ = ["ANY", "Access", "Roles", "Rule", "facts", "item", "listed", "read_roles", "spelled"]
