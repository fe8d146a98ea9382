"""The engines that run graphs, the Linker contract in front of them, and run-time errors."""
