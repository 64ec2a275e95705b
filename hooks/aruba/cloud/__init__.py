"""The Aruba Cloud REST API on the wire; `client.Cloud` is the port that the engine is given."""
