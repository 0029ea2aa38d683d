"""Question + view at a date -> ranked passages and the paths that lead to them."""
