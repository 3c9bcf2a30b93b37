"""Others that do the same or less, for comparison. Each is installed into `.bench` when it is first asked for."""
