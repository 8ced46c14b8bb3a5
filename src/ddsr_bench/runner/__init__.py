"""Many runs: tasks, the processes that do them, and the store of their results."""
