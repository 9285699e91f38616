"""An engine in one file: the glue between a learner's parts, and the programs that it has to get right."""
