"""Topical segmentation without a model: by headings, and by the words that neighbouring lines share."""
