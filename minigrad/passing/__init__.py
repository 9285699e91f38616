"""What makes the chapters' idea survive real programs: views, changes in place, passes, speed."""
