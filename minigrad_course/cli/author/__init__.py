"""The commands for whoever writes the course."""
