"""Functions of the language as text: LLVM, C for machines, C for people."""
