"""`compare`: what several strategies make of one document, as figures and side by side."""
