"""How an operation becomes a node: values in, result out, and what is kept for its backward."""
