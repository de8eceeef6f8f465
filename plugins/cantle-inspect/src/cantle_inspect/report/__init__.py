"""`view`: a page that shows the chunks of a document, and what other pages share with it."""
