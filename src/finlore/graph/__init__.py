"""Documents -> names: mentions, aliases, and the rows of the context graph."""
