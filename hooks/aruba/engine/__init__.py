"""One engine over all kinds: a pass reads the story top to bottom in `reconcile`, and every decision is pure."""
