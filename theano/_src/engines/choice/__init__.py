"""The choice of the engine for each call, from the cost of calls and of compiling."""
