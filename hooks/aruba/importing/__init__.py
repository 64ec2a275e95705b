"""From what a live project holds to manifests that adopt it, by the kinds' declarations alone, for `import`.

`survey` walks the collections, `drafts` turns what is found into specs, `sieve` lets through only what the engine would
leave as it is. Nothing here touches wire, files or clock: how a collection is read is handed in.
"""

from hooks.aruba.importing.drafts import Place
from hooks.aruba.importing.found import Found
from hooks.aruba.importing.sieve import Adopted, Import, Left, sift
from hooks.aruba.importing.survey import Survey, survey

__all__ = ["Adopted", "Found", "Import", "Left", "Place", "Survey", "sift", "survey"]
