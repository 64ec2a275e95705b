"""The words that declarations are written in. No I/O, no clock; kinds, engine, cloud client and manifests read them."""
