"""The rules: five games and the life of a match around them. No clock, no randomness, no input or output."""
