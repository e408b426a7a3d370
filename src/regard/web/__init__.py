"""The lab in the browser: the verbs of `regard` over HTTP, on this machine alone."""
