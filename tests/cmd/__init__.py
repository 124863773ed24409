"""The command: files that are read, requests from arguments, and what is printed."""
