"""Rows of tables and graphs from outside -> dated facts of the schema, and the names that they teach."""
