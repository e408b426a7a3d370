"""Makes what comes with the package to look at; `python -m regard.web.recording.record` makes it anew."""
