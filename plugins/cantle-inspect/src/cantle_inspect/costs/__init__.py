"""What indexing costs, and indexing again after an edit."""
