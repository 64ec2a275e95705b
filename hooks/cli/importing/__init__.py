"""What the command `import` is made of: a patient reader of the cloud, and the text that is written."""
