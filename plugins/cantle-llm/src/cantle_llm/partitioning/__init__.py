"""Partition: a document as topical blocks with labels, each of them ranges of the source."""
