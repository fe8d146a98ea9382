"""What the package knows of jax: devices, settings, compiling, programs on the disk."""
