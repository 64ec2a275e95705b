"""The Aruba Cloud operator: nine kinds declared as data, one engine over all of them, one client for the cloud."""
