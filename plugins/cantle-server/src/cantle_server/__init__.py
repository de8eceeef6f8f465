"""cantle as a service."""
