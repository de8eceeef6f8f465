"""Our own strategies, one plugin a file; they reach the registry by the same hooks as a stranger's."""
