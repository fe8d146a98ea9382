"""Plans: what a function needs on chips that this machine need not have (ADR 31)."""
