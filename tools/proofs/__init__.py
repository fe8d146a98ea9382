"""What is proved of the rules and tried on floats and graphs: commands, records and the page."""
