"""One answer judged: reference, verdict, known mistakes, hints, and the engine with a student's parts in it."""
