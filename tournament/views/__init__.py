"""Pages of the facts: public ones in `public`, everything else for signed-in people."""
