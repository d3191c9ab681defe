"""The A2A server: harnlite as a remote agent over HTTP."""
