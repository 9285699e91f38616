"""From a submission to its result: assembled, stripped, run in the sandbox, compared with torch."""
