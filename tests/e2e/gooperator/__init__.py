"""The Go operator as a cluster has it: its two kinds of install, its looser kinds, objects and cloud as it leaves them.

The operator itself is played by an idle process: what matters is what stays when it has gone.
"""
