"""One tool call: from the decision whether it may run to the result that the model sees."""
