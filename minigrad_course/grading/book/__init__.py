"""What is kept of a grading, and what counts: records, the store, the rules of a course, who shares what."""
