"""Command line: words for people and machines over `flows.Workspace`."""
