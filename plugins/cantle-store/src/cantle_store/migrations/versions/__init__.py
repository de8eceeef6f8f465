"""One migration a module, in order."""
