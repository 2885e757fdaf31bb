"""What a round has on paper: match slips with their codes, and lists in sheets that fit A4 and Letter."""
