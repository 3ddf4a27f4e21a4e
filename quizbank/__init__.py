"""What is asked, and what the person did. Knows no screen."""
