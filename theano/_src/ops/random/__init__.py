"""Random numbers: generators, distributions and streams."""
