"""Subcommands of `cantle`, one a module."""
