"""Everything that touches the outside; found through entry points, imported by nobody."""
