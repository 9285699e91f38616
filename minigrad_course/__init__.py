"""What the course has for torch itself: it needs torch, and nothing of the engine."""
