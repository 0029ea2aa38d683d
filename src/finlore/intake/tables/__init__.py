"""What tables mean: headers, units, periods, measures and companies, read from the canonical text alone."""
