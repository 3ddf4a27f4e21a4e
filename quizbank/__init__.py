"""What is asked, and what the person did. Knows no screen."""

__version__ = "0.1.0"
