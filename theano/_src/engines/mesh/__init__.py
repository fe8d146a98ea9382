"""Several devices and several processes: meshes, agreement of processes, checkpoints."""
