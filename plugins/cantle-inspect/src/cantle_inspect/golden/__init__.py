"""Questions with known answers: what is found of them, and how settings compare."""
