"""Run a program on torch and watch it: what it asks torch to do, from where, and what became of each tensor."""
