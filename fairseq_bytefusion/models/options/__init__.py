"""The options of models: a file a family, each with its checks."""
