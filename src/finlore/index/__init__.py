"""The derived index: rows of counts -> arrays sorted by known time -> a view cut at a date. Knows no database."""
