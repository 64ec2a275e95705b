"""What the operator is shipped with and as: pinned lists, bill of materials, audit, image; and tests of them.

`python -m tests.supply sbom|audit|image` is what `make sbom`, `make audit` and `make image` run. None of it is part of
the operator, which is why it lives here.
"""
