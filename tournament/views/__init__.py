"""Public pages in `public`; everything else is for signed-in people."""
