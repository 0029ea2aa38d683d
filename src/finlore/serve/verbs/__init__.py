"""The verbs of the command line, one module per purpose. Everything heavy is imported by the verb that needs it."""
