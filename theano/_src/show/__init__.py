"""Layer 5: graphs as text and pictures. It only reads graphs, so everything above may use it."""
