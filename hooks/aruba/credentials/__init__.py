"""Whose credentials: the API key that a tenant's calls are made with. The cloud room asks; the stack picks a source."""
