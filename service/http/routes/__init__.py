"""The operations of the API, a file for each thing that they are about, each with its `ROUTES`."""
