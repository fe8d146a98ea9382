"""Layer 5: graphs as text. It only reads graphs, so everything above may use it."""
