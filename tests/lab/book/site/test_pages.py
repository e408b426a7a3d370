"""The site as a whole: its list of pages, its links and pictures, its colours; and how a browser shows it."""

import re
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

import pytest
from fontTools.ttLib import TTFont

from browsing import axe_script, chromium, troubles
from regard.lab.book.report import prose
from regard.lab.book.site import cover
from regard.lab.book.site.cover import FINDINGS
from regard.lab.book.site.output import write_book
from regard.lab.book.site.pages import FONTS, files, pages, paths, single
from regard.lab.registry import everything, names

TOKENS = Path(__file__).parents[4] / "src/regard/lab/book/templates/tokens.css"
NARROW, WIDE = {"width": 390, "height": 844}, {"width": 1280, "height": 800}


@pytest.fixture(scope="module")
def place(contents, tmp_path_factory) -> Path:
    place = tmp_path_factory.mktemp("book")
    write_book(place, files(pages(contents)))
    return place


class Elements(HTMLParser):
    """Every element of a page with its attributes, and the ids."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)
        self.ids = [one["id"] for _, one in self.found if "id" in one]

    def handle_starttag(self, tag, attrs) -> None:
        self.found.append((tag, dict(attrs)))

    handle_startendtag = handle_starttag


def html(place: Path) -> dict[Path, Elements]:
    return {file: Elements(file.read_text()) for file in sorted(place.rglob("*.html"))}


@pytest.mark.slow
def test_the_list_of_pages_is_known_before_anything_runs(contents, place) -> None:
    there = {file.relative_to(place).as_posix() for file in place.rglob("*") if file.is_file()}
    assert there - {"book.json"} == set(paths(contents.by_name))


def test_the_list_of_pages() -> None:
    """A link that someone has kept must not die: a page that moves is a change to this list."""
    listed = [one for one in paths(names()) if not one.startswith("docs/")]
    assert [one for one in listed if not one.startswith("experiments/")] == [
        "index.html", "claims.html", "terms.html", "courses/duke.html", "courses/berkeley.html", "courses/jerusalem.html",
        "courses/amsterdam.html", "courses/toronto.html", "assets/search.js", "assets/math.woff", "assets/math-licence.txt", "assets/index.js",
    ]  # fmt: skip
    assert [one for one in listed if one.startswith("experiments/")] == [
        f"experiments/{name}.html" for name in names()
    ]
    assert {"experiments/cora.html", "experiments/theory-dot-product.html"} <= set(listed)
    docs = [one for one in paths(names()) if one.startswith("docs/") and "/check/" not in one]
    assert docs == [
        *(f"docs/{name}.html" for name in ("tour", "build", "look", "check", "own", "add", "cluster", "scale", "scale-training", "checker-in-the-wild")),
        *(f"docs/api/{name}.html" for name in ("operator", "graphs", "models", "generation", "looking", "data", "estimators", "lab", "training")),
    ]  # fmt: skip
    assert "docs/check/causal-attention/scale-width.html" in paths(names())


@pytest.mark.slow
def test_every_link_leads_to_a_page_and_an_id_that_are_there(place) -> None:
    read, links = html(place), 0
    for file, elements in read.items():
        for tag, attributes in elements.found:
            target = attributes.get("href") or attributes.get("src") or ""
            if tag == "use" or not target or target.startswith("data:"):
                continue
            assert not re.match(r"[a-z]+:|/", target), f"{file.name} leads out of the site: {target}"
            path, _, anchor = unquote(target).partition("#")
            there = (file.parent / path).resolve() if path else file
            assert there.is_file(), f"{file.name} leads to {target}"
            assert not anchor or anchor in read[there].ids, f"{file.name} leads to {target}"
            links += 1
    assert links > 200


@pytest.mark.slow
def test_ids_are_unique_on_every_page_and_in_one_file(contents, place) -> None:
    one_file = Elements(single(pages(contents))["index.html"].decode())
    for elements in (*html(place).values(), one_file):
        assert len(elements.ids) == len(set(elements.ids))
    links = [one["href"] for tag, one in one_file.found if tag == "a" and one.get("href")]
    assert links and all(link and link.startswith("#") and link[1:] in one_file.ids for link in links)


@pytest.mark.slow
def test_every_picture_has_a_description_and_every_page_a_title(place) -> None:
    pictures = 0
    for file, elements in html(place).items():
        for tag, attributes in elements.found:
            if tag == "img":
                assert attributes.get("alt"), file
            if attributes.get("role") == "img":
                pictures += 1
                assert attributes.get("aria-label"), file
        drawings = file.read_text().count("<svg")
        assert drawings == sum(attributes.get("role") == "img" for _, attributes in elements.found), file
        assert sum(tag == "h1" for tag, _ in elements.found) == 1
    assert pictures >= 4


@pytest.mark.slow
def test_no_page_is_heavy(place) -> None:
    assert all(file.stat().st_size < 500_000 for file in place.rglob("*.html"))


def tokens(css: str) -> list[dict[str, str]]:
    """The colours of each block of the tokens: light, dark by preference, dark by choice."""
    blocks = [
        dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6});", block)) for block in css.split(" color-scheme: ")[1:]
    ]
    assert len(blocks) == 3
    return blocks


def contrast(first: str, second: str) -> float:
    """The ratio of WCAG 2, 1.4.3."""

    def light(colour: str) -> float:
        parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
        linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    high, low = sorted((light(first), light(second)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def faint(block: dict[str, str]) -> list[str]:
    """The colours of a theme that are too near to their ground for WCAG AA."""
    words = ("ink", "faint", "accent", "held", "failed", "open")
    found = [
        f"{one} on {ground}"
        for one in words
        for ground in ("paper", "tint")
        if contrast(block[one], block[ground]) < 4.5
    ]
    return found + [
        one for one in block if one.startswith("series") and contrast(block[one], block["paper"]) < 3
    ]


def test_every_theme_has_the_contrast_of_wcag_aa() -> None:
    light, preferred, chosen = tokens(TOKENS.read_text())
    assert preferred == chosen and light.keys() == preferred.keys()
    assert sum(one.startswith("series-") for one in light) == 6
    assert faint(light) == [] == faint(chosen)
    assert contrast("#ffffff", "#000000") == pytest.approx(21)
    assert faint(light | {"faint": "#999999"}) == ["faint on paper", "faint on tint"], (
        "a planted fault is not seen"
    )


@pytest.mark.slow
def test_the_font_has_a_table_for_mathematics_and_every_sign_of_the_formulas() -> None:
    font = TTFont(FONTS / "math.woff")
    there = set(font.getBestCmap())
    texts = [text for one in everything() for text in (one.method, one.see, one.correction)]
    formulas = "".join(re.findall(r"<math.*?</math>", "".join(map(prose, texts)), re.DOTALL))
    signs = {sign for text in re.findall(r">([^<]+)<", formulas) for sign in unescape(text)}
    # A letter that stands alone is set in italics, which Unicode has apart.
    letters = {unescape(one) for one in re.findall(r"<mi>(&?\w;?)</mi>", formulas)}
    italics = {chr(0x1D44E + ord(one) - ord("a")) for one in letters if "a" <= one <= "z" and one != "h"}
    assert "MATH" in font and len(signs) > 80 and len(italics) > 15
    assert not {sign for sign in signs | italics if ord(sign) not in there and not sign.isspace()}
    assert "SIL OPEN FONT LICENSE Version 1.1" in (FONTS / "LICENSE.txt").read_text()


@pytest.fixture(scope="module")
def browser():
    with chromium() as running:
        yield running


def opened(browser, file: Path, size: dict[str, int], **how):
    """A page in a fresh window, and every address that it asked for."""
    asked: list[str] = []
    page = browser.new_context(viewport=size, **how).new_page()
    page.on("request", lambda request: asked.append(request.url))
    page.goto(file.as_uri())
    return page, asked


THEOREM = "theory-beam-search"
FOUND = ("heights", THEOREM, "others", "heights", "others", "heights", THEOREM)
SHOWN = (
    "index.html",
    "claims.html",
    "terms.html",
    "experiments/heights.html",
    "experiments/theory-beam-search.html",
    "courses/duke.html",
    "docs/tour.html",
    "docs/scale-training.html",
    "docs/api/operator.html",
    "docs/check/rotary.html",
    "docs/check/rotary/cos-sin-swapped.html",
)


@pytest.mark.slow
@pytest.mark.parametrize("path", SHOWN)
def test_nothing_is_asked_for_outside_the_folder_and_nothing_goes_wrong(browser, place, path) -> None:
    said: list[str] = []
    page, asked = opened(browser, place / path, WIDE)
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.reload()
    assert len(asked) >= 6 and all(one.startswith((place.as_uri(), "data:")) for one in asked), asked
    assert said == []


SIDEWAYS = """() => [...document.querySelectorAll("body *")].filter(one => {
    const box = one.getBoundingClientRect();
    return box.width && box.right > innerWidth + 1 && !one.closest(".canvas.wide, .scroll, .formula, .unseen, .skip");
}).map(one => one.tagName + "." + one.className)"""


@pytest.mark.slow
@pytest.mark.parametrize("path", SHOWN)
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_phone_scrolls_no_page_sideways_but_what_says_so(browser, place, path, theme) -> None:
    page, _ = opened(browser, place / path, NARROW, color_scheme=theme)
    page.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
    assert page.evaluate("document.documentElement.scrollWidth") <= NARROW["width"]
    assert page.evaluate(SIDEWAYS) == []
    rows = page.locator(".top > *").evaluate_all("all => all.map(one => one.getBoundingClientRect().bottom)")
    assert max(rows[:2]) < min(rows[2:]) and max(rows[2:]) - min(rows[2:]) < 10, "the header has two rows"
    for wide in page.query_selector_all("figure .canvas.wide"):
        needed = wide.evaluate("one => parseFloat(getComputedStyle(one).getPropertyValue('--least') || 0)")
        across = wide.evaluate("one => one.querySelector('svg').getBoundingClientRect().width")
        assert across >= needed, "letters too small to be read"
        note = wide.evaluate("one => one.closest('figure').querySelector('.swipe').offsetWidth")
        assert note > 0, "a figure scrolls sideways and does not say so"


@pytest.mark.slow
@pytest.mark.parametrize("path", SHOWN)
def test_text_at_twice_its_size_stays_in_the_page(browser, place, path) -> None:
    page, _ = opened(browser, place / path, WIDE)
    before = page.evaluate("document.querySelector('main p').getBoundingClientRect().height")
    page.add_style_tag(content="html { font-size: 200%; }")
    assert page.evaluate("parseFloat(getComputedStyle(document.querySelector('main p')).fontSize)") >= 32
    assert page.evaluate("document.querySelector('main p').getBoundingClientRect().height") > before
    assert page.evaluate("document.documentElement.scrollWidth") <= WIDE["width"]
    assert page.evaluate(SIDEWAYS) == []


@pytest.mark.slow
def test_figures_follow_the_theme_and_formulas_have_the_font(browser, place) -> None:
    colours = set()
    for theme in ("light", "dark"):
        page, _ = opened(browser, place / "experiments/theory-beam-search.html", WIDE, color_scheme=theme)
        colours.add(page.evaluate("getComputedStyle(document.querySelector('.canvas:not(.fixed) svg')).fill"))
        page.evaluate("document.fonts.ready")
        assert page.evaluate("[...document.fonts].map(one => one.status)") == ["loaded"]
    assert len(colours) == 2


@pytest.mark.slow
def test_search_finds_claims_and_terms_from_a_file(browser, place) -> None:
    page, _ = opened(browser, place / "courses/duke.html", WIDE)
    page.fill("#search-words", "only deep")
    link = page.query_selector("#search-found a")
    assert (
        link.text_content().startswith("✗ failed It is only 0.1 m deep.")
        or "It is only 0.1 m deep." in link.text_content()
    )
    link.click()
    page.wait_for_url("**/experiments/heights.html#heights-claim-depth-m")
    page.fill("#search-words", "softmax")
    cut = [one for one in page.locator("#search-found small").all_text_contents() if one.startswith("… ")]
    words = set((place / "assets/index.js").read_text().replace('"', " ").split())
    assert cut and all(one.split()[1] in words for one in cut), "an excerpt begins with a whole word"
    page.fill("#search-words", "zzzz")
    assert page.text_content("#search-found") == "Nothing speaks of that."


@pytest.mark.slow
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing_in_any_page_of_the_book(browser, place, theme) -> None:
    script, found = axe_script(), []
    for path in SHOWN:
        page, _ = opened(browser, place / path, WIDE, color_scheme=theme)
        page.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
        page.evaluate(script)
        found += [
            f"{path}: {one}" for one in troubles(page, impacts=("minor", "moderate", "serious", "critical"))
        ]
        page.context.close()
    assert not found, "\n".join(found)


INKS = """() => {
    const probe = document.body.appendChild(document.createElement("i"));
    return ["ink", "paper", "tint", "faint", "held", "series-1", "grey-1"].map(name => {
        probe.style.color = `var(--${name})`;
        return getComputedStyle(probe).color;
    });
}"""


@pytest.mark.slow
@pytest.mark.parametrize("chosen", ["", "dark"])
def test_a_page_is_printed_in_light_colours_whatever_the_theme(browser, place, chosen) -> None:
    page, _ = opened(browser, place / "experiments/heights.html", WIDE, color_scheme="light")
    light = page.evaluate(INKS)
    page.emulate_media(color_scheme="light" if chosen else "dark")
    page.evaluate("theme => { document.documentElement.dataset.theme = theme }", chosen)
    assert not set(page.evaluate(INKS)) & set(light), "the theme is dark on the screen"
    page.emulate_media(media="print", color_scheme="light" if chosen else "dark")
    assert page.evaluate(INKS) == light
    assert page.evaluate("getComputedStyle(document.querySelector('.canvas svg')).fill") == light[0]


@pytest.fixture(scope="module")
def cover_page(contents, tmp_path_factory) -> Path:
    """The book with as many findings on its cover as it has in full."""
    folder = tmp_path_factory.mktemp("cover")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cover, "FINDINGS", FOUND)
        write_book(folder, files(pages(contents)))
    return folder / "index.html"


@pytest.mark.slow
@pytest.mark.parametrize("size", [WIDE, {"width": 1366, "height": 768}])
def test_the_cover_tells_in_one_screen_what_was_found_in_letters_that_can_be_read(
    browser, cover_page, size
) -> None:
    page, _ = opened(browser, cover_page, size)
    for part in ("#cover-chapters", "#cover-courses", "#cover-findings", ".card", ".more", "tr"):
        bottoms = page.locator(part).evaluate_all("all => all.map(one => one.getBoundingClientRect().bottom)")
        assert bottoms and max(bottoms) <= size["height"], part
    assert page.locator(".card").count() == len(FINDINGS)
    assert page.locator(".card .chart svg").count() == len(FINDINGS)
    assert page.locator(".card [href^='#glyph']").count() == 0, "no letters that are scaled down"
    sizes = page.locator(".card p, .card h3, .card li").evaluate_all(
        "all => all.map(one => parseFloat(getComputedStyle(one).fontSize))"
    )
    assert min(sizes) >= 11
    assert page.locator(".axis").filter(has_text="height, m").count() == sum(one != THEOREM for one in FOUND)
