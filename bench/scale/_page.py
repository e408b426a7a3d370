"""Tables of a page: each stands between two marks, and is replaced by what a script computes."""

import re


def put(page: str, name: str, text: str) -> str:
    """A page with the text between the marks of that name."""
    pattern = re.compile(rf"(<!-- {name} -->\n).*?(<!-- end of {name} -->)", re.DOTALL)
    if not pattern.search(page):
        raise SystemExit(f"the page has no marks '{name}'")
    return pattern.sub(lambda found: found[1] + text + found[2], page)
