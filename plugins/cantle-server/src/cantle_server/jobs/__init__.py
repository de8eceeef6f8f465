"""What worker processes do. Imports nothing of HTTP: it is loaded in each of them."""
