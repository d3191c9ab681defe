"""Tool calls: the decision whether a call may run, its execution, and its result for the model."""
