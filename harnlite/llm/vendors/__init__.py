"""The vendors of models: the hosts of routes, their credentials, and the check whether they can be reached."""
