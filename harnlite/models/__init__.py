"""The catalogue of models: names, providers, prices, limits and capabilities, without the code that uses them."""
