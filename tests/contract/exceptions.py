"""Where the simulated cloud departs from the published files, and why. An entry that nothing needs fails the test.

The files are generated and leave things out (api §12); where a client was seen to meet the real cloud's answer, the
simulator gives that answer.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from tests.contract.oracle import Violation


@dataclass(frozen=True)
class Departure:
    """`operation` and `what` are regular expressions over a violation's."""

    operation: str
    status: int
    what: str
    reason: str

    def covers(self, violation: Violation) -> bool:
        return (
            violation.status == self.status
            and re.fullmatch(self.operation, violation.operation) is not None
            and re.fullmatch(self.what, violation.what) is not None
        )


UNDECLARED = "undeclared status"

DEPARTURES = (
    Departure(".*", 401, UNDECLARED, "any call may answer 401; the files list it for a few (api §8, §12 point 8)"),
    Departure(".*", 403, UNDECLARED, "a project of another client; listed for three deletes only (api §12 point 8)"),
    Departure(
        "(POST|GET) .*", 404, UNDECLARED, "the parent in the path does not exist; §5.4 knows it, the files do not"
    ),
    Departure(
        "GET .*/(elasticIps|securityGroups|securityRules|cloudServers)",
        400,
        UNDECLARED,
        "an unreadable offset, limit or filter; declared for the other lists",
    ),
    Departure("POST .*/associateDisassociateElasticIPs", 400, UNDECLARED, "the one action without a 400 (api §8.9)"),
    Departure(
        "GET .*/keyPairs", 200, ": additionalProperties", "the list is declared as one key pair (api §12 point 6)"
    ),
    Departure("PUT .*/keyPairs/.*", 405, "undeclared call", "a key pair has no PUT (api §8.6)"),
    Departure("PUT .*/cloudServers/.*", 400, "undeclared call", "a PUT that reaches the cloud is refused (cases F9)"),
    Departure("PUT .*/cloudServers/.*", 404, "undeclared call", "as for any server that does not exist"),
    Departure("PUT .*/elasticIps/.*", 200, "undeclared body", "the answer is declared without a body (api §8.7)"),
    Departure(
        ".*/securityRules.*", 200, r"(values/)?properties/target/kind: enum", "`Ip` comes back as `IP` (api §12.1, F15)"
    ),
    Departure("POST .*/securityRules", 201, "properties/target/kind: enum", "likewise"),
    Departure("PUT .*/securityRules/.*", 200, "properties/port: type", "the PUT's port is an object (api §8.5)"),
)


def excuse(violation: Violation) -> Departure | None:
    return next((one for one in DEPARTURES if one.covers(violation)), None)
