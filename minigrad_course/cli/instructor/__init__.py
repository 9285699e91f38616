"""The commands of an instructor."""
