"""The HTTP side of the service: routes by resource, and the rules that hold for all of them."""
