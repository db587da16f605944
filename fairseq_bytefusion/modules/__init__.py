"""Torch modules. They know nothing of tasks, files or fairseq configs."""
