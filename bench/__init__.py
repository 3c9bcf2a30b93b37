"""`make bench`: the service measured beside what PostgreSQL and others can do on the same machine in the same minute."""
