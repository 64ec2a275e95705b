"""A real control plane from source: `build` makes the binaries, `cluster` runs them."""
