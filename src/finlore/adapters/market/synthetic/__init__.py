"""A market that nobody traded on: made from a seed, for tests and demonstrations in which the truth is known."""
