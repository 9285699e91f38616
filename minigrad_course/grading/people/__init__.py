"""Who people are, and when they did something: names, times, and what an instructor gives."""
