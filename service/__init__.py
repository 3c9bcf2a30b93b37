"""The world around the rules: HTTP, storage, randomness and clocks."""
