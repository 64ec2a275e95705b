"""The Aruba Cloud operator: stateless webhooks for Metacontroller, and what is needed to try them on a laptop."""
