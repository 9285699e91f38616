"""The processes that judge, here or on a cluster."""
