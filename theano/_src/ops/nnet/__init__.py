"""Neural networks: softmax, losses, batch normalization, neighbourhoods."""
