"""What lessons call, besides pictures and explorers: the spirals, the torches, an action that may fail."""
