"""Reinforcement learning on the user's data: the pool of elites, the objective, the update."""
