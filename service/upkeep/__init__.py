"""What whoever runs the service does with a database: examine it, check it, make what is shown anew, carry matches from one to another."""
