"""All code, in layers: each imports only itself and those below. Public modules name its parts."""
