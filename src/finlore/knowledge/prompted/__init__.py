"""Facts, events and links by a language model: it points at what passages say, code reads it there."""
