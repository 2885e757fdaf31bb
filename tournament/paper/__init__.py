"""Printed paper: match slips with codes, and lists that fit A4 and Letter."""
