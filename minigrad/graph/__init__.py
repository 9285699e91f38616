"""What a graph is made of: nodes, hooks on them, the engine's state, and how a graph is freed without recursion."""
