"""The lab book: reports, figures' style, coverage of the checklist."""
