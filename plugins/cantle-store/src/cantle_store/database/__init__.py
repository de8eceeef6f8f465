"""The database: engine, transactions, schema. What differs between SQLite and Postgres is in here."""
