"""Command line (later HTTP, MCP and pages): words for people and machines over `flows.Workspace`."""
