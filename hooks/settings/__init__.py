"""Every setting, typed, with one report of all that is wrong with them (interfaces, "Settings"; cases 103).

`cli` and `stack` read them and hand each room the few plain values that it needs.
"""

from hooks.settings.values import Loaded, Settings
from hooks.settings.watched import Watched

__all__ = ["Loaded", "Settings", "Watched"]
