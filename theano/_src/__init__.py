"""What the faces show is written here, in layers: each imports only itself and those below."""
