"""DebugMode: runs every node apart, and checks what it, and each rewrite, has promised."""
