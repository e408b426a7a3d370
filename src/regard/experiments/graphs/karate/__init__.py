"""A graph network on the karate club: gradients by hand, a leak and its repair."""
