"""The client: calls of a model with recorded answers, counted usage, a spending limit, and a limit of calls at once."""
