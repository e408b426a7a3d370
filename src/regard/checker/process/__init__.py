"""The isolated process that runs a person's code, and the line to it."""
