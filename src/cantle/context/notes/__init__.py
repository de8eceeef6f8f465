"""What `contextualize` is made of: options, the messages to the model, runs, and where the notes go."""
