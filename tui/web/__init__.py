"""The app in a browser, through textual-serve (the ``[serve]`` extra)."""
