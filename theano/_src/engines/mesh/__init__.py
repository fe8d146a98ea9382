"""Several devices and several processes: meshes, what processes agree on, checkpoints."""
