"""The one import of the HTTP library, so that the whole house uses one class family and one line undoes the choice.

Everything that sends a request takes its names from here (docs/decisions/0002-httpx2.md).
"""

from httpx2 import (
    URL,
    AsyncBaseTransport,
    AsyncByteStream,
    AsyncClient,
    AsyncHTTPTransport,
    ConnectError,
    ConnectTimeout,
    HTTPError,
    InvalidURL,
    Limits,
    PoolTimeout,
    ReadError,
    ReadTimeout,
    RemoteProtocolError,
    Request,
    Response,
    StreamError,
    Timeout,
    TimeoutException,
    TransportError,
    WriteError,
)

__all__ = [
    "URL",
    "AsyncBaseTransport",
    "AsyncByteStream",
    "AsyncClient",
    "AsyncHTTPTransport",
    "ConnectError",
    "ConnectTimeout",
    "HTTPError",
    "InvalidURL",
    "Limits",
    "PoolTimeout",
    "ReadError",
    "ReadTimeout",
    "RemoteProtocolError",
    "Request",
    "Response",
    "StreamError",
    "Timeout",
    "TimeoutException",
    "TransportError",
    "WriteError",
]
