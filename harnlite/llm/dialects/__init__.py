"""The forms in which vendors accept requests to their models and return replies."""
