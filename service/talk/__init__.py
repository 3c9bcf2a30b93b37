"""What players say to each other at a match, in plain tables beside the log; the rules know nothing of it."""
