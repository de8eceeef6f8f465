"""DOCX, PPTX, ODT, ODP and RTF: texts and slides."""
