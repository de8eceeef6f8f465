"""Models: what one is to us, and the official `openai` SDK as one."""
