"""The command line: a parser, its commands, and no logic."""
