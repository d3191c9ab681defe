"""The vendors of models: the hosts of routes, their credentials, and the backends that call them over HTTP."""
