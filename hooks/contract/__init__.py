"""Metacontroller's hook contract, version v2 (mc §2): what it sends, what it takes, and what serves one parent kind."""
