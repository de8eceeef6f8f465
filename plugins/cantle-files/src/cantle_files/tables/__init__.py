"""CSV with its strategy; XLSX, XLS and ODS."""
