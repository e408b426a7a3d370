"""Models and layers on the operator: import each from its own file, or from `regard`."""
