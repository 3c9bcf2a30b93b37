"""Who plays and who runs the service: accounts, tokens and what is open by them, and whom else we believe. It knows nothing of matches."""
