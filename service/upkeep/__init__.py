"""What whoever runs the service does with a database: check it, examine it, carry matches out of it and into another."""
