"""Where notebooks come from and what is read back from them: sources, words, languages, what was submitted or saved."""
