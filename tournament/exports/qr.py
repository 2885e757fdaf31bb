import segno


def draw_qr_code(address: str, *, mask: int | None = None) -> str:
    """Return a `data:` URI of an SVG image, dark on white in both themes. `mask`: the QR mask; None: the best one."""
    return segno.make(address, error="m", micro=False, mask=mask).svg_data_uri(
        scale=6, border=4, light="#fff"
    )
