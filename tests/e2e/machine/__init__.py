"""A machine for the Pods of a real control plane: each is a process on loopback, under the rules of a kubelet.

`node` runs Pods, `pod` is one of them, `files` are its volumes, `images` says which process stands for which image,
`network` lets Services and Pods be reached by their names and addresses. No container engine is needed.
"""
