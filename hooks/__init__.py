"""The Aruba Cloud operator: stateless webhooks that Metacontroller calls, and what is needed to try them on a laptop."""
