"""The offline extractor: rules and word lists that read facts, events and links out of sentences."""
