"""Pure functions on text: normalising, folding, sentences, words. Knows no store, no document format, no names."""
