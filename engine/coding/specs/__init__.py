"""The specifications, one file each."""
