"""What is shown across matches: the lobby, read off the matches' own rows, and what projections make of the log."""
