"""One turn: the prompt, the request to the model, and the reply."""
