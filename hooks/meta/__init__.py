"""Kubernetes' own words, as small frozen values: no I/O, no clock, no opinion of ours."""
