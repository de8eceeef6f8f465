"""What a document's words are, for methods that count them: words, stop words, languages, keywords, summaries.

```python
from cantle.words import fold, keywords, stop_words, words

stop = stop_words("en")
counted = [fold(word.text) for word in words(text) if fold(word.text) not in stop]
```

Positions are code points, ends exclusive. Any `str` is accepted; all functions take time that grows with the length
of the text, whatever is in it, and give the same answer on every machine.
"""

from __future__ import annotations

from .digest import summary
from .guess import language_of
from .phrases import keywords
from .stops import LANGUAGES, stop_words
from .tokens import Word, fold, words

__all__ = ["LANGUAGES", "Word", "fold", "keywords", "language_of", "stop_words", "summary", "words"]
