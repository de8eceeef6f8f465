"""Partition: a document as topical blocks, each a range of its source, by a model or by the words its lines share."""
