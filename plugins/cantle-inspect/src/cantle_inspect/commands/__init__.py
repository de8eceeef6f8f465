"""The commands, one a module, each imported when it is run."""
