"""The documented linkers, and how thunks of users run."""
