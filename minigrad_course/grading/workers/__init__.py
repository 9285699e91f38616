"""The processes that judge, here or on a cluster, and what they may not be interrupted in."""
