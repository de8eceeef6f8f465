"""The command `cantle serve`."""
