"""How the API tells of itself: the OpenAPI document, read off the routes."""
