"""Sources -> documents with blocks, passages, sentences and metadata."""
