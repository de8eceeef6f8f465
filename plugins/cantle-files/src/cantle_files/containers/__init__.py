"""What several formats are packed in: ZIP archives, OLE files, the packages of Office, XML."""
