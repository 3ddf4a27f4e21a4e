"""What this terminal, this Python and this person's files allow: found out, and what to do where it is too little."""
