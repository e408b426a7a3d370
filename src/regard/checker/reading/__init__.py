"""Reading a person's code without running it: where it stands, what it defines, what its names mean."""
