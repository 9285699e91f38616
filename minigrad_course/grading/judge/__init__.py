"""From a submission to its result: its answers, an engine without their parts, a run in the sandbox, a comparison."""
