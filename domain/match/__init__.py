"""What every game shares: the contract (`game`), the loop (`play`), the draw (`fate`) and the life of a match (`lobby`)."""
