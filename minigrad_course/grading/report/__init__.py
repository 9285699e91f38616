"""A grading as people and programs read it: pages, tables, views."""
