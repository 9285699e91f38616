"""The commands of a learner."""
