"""What a grading hands from room to room: work to judge, what it came to, and where a student stands. Plain data."""
