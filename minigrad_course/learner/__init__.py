"""What a learner has: magics, progress, the first page, an engine of their own."""
