"""An address as a QR code, for phones; beside it the page always types it out."""

import segno


def qr_of(address: str) -> str:
    """The code as the address of an image: a `data:` URI of an SVG, dark on white in both themes."""
    return segno.make(address, error="m", micro=False).svg_data_uri(scale=6, border=4, light="#fff")
