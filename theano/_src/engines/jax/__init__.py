"""The parts of the package that use jax: devices, settings, compiling, programs on disk."""
