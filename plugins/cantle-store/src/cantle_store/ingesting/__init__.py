"""Files of directories into a dataset, again and again."""
