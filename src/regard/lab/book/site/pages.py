"""All pages of the book, and the files that stand beside them."""

from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path

from regard.lab.book.docs.contracts import contracts
from regard.lab.book.docs.guides import guides
from regard.lab.book.docs.reference import reference
from regard.lab.book.site.claims import claims_page
from regard.lab.book.site.contents import BookContents, path
from regard.lab.book.site.courses import course_page, course_path
from regard.lab.book.site.cover import cover
from regard.lab.book.site.experiments import experiment_page
from regard.lab.book.site.layout import Site
from regard.lab.book.site.page import Page
from regard.lab.book.site.search import SCRIPT, index
from regard.lab.book.site.terms import terms_page
from regard.lab.book.sources import SOURCES

FONTS = Path(__file__).parents[1] / "fonts"
ASSETS = {
    "assets/search.js": SCRIPT,
    "assets/math.woff": FONTS / "math.woff",
    "assets/math-licence.txt": FONTS / "LICENSE.txt",
}
INDEX = "assets/index.js"


def pages(contents: BookContents) -> list[Page]:
    """Every page, in the order of reading."""
    experiments = [experiment_page(run, contents) for _, group in contents.chapters for run in group]
    courses = [course_page(source, contents) for source in SOURCES]
    return [
        cover(contents),
        claims_page(contents),
        terms_page(contents),
        *experiments,
        *courses,
        *documentation(),
    ]


@cache
def documentation() -> tuple[Page, ...]:
    """Guides, reference and the pages of the checker: the same in every book."""
    return (*guides(), *reference(), *contracts())


def paths(names: Iterable[str]) -> list[str]:
    """Where everything will stand in a book of these experiments: known before any of them is run."""
    courses = [course_path(source) for source in SOURCES]
    docs = [page.path for page in documentation()]
    return ["index.html", "claims.html", "terms.html", *map(path, names), *courses, *docs, *ASSETS, INDEX]


def files(made: Sequence[Page]) -> dict[str, bytes]:
    """The content of every file of the site."""
    site = Site(made)
    written = {page.path: site.page(page).encode() for page in made}
    return {
        **written,
        INDEX: index(made).encode(),
        **{name: file.read_bytes() for name, file in ASSETS.items()},
    }


def single(made: Sequence[Page]) -> dict[str, bytes]:
    """The book as one file that needs nothing beside it."""
    book = [page for page in made if not page.path.startswith("docs/")]
    return {"index.html": Site(book).single((FONTS / "math.woff").read_bytes()).encode()}
