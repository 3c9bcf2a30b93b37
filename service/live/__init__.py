"""Who is listening to which match, and how they learn that it moved on."""
