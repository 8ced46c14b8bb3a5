"""The report in a real browser: at phone and desktop width, in light and dark."""

import os
import shutil
from itertools import product

import pandas as pd
import pytest

from certainty_cases import UNSURE, model_of
from ddsr.report import write_report

playwright = pytest.importorskip("playwright.sync_api", reason="needs the package playwright, of .[dev]")
CHROMIUM = os.environ.get("DDSR_CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
pytestmark = pytest.mark.skipif(
    CHROMIUM is None, reason="needs the browser chromium, or DDSR_CHROMIUM that names one"
)

WIDTHS = {"phone": (375, 812), "desktop": (1280, 900)}
SCHEMES = ("light", "dark")
LEAST_CONTRAST = 4.5  # for text to be read easily, by the accessibility guidelines of the web (AA)

# Contrast of every text with what is behind it; blended where a background lets shine through.
CONTRASTS = """() => {
  const channels = (colour) => {
    const [r, g, b, a = 1] = colour.match(/[\\d.]+/g).map(Number);
    return [r, g, b, a];
  };
  const light = ([r, g, b]) => {
    const [x, y, z] = [r, g, b].map((c) => (c /= 255) <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
    return 0.2126 * x + 0.7152 * y + 0.0722 * z;
  };
  const over = (top, below) => top.slice(0, 3).map((c, k) => c * top[3] + below[k] * (1 - top[3]));
  const behind = (element) => {
    const layers = [];
    for (let node = element; node; node = node.parentElement)
      layers.push(channels(getComputedStyle(node).backgroundColor));
    return layers.reverse().reduce((below, top) => over(top, below), [255, 255, 255]);
  };
  const found = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    if (!walker.currentNode.textContent.trim() || !element.getClientRects().length) continue;
    if (element.closest("script, style")) continue;
    const style = getComputedStyle(element);
    const ink = channels(element.closest("svg") ? style.fill : style.color);
    const ground = behind(element);
    const [a, b] = [light(over(ink, ground)), light(ground)].sort((x, y) => y - x);
    found.push([(a + 0.05) / (b + 0.05), walker.currentNode.textContent.trim().slice(0, 40)]);
  }
  return found;
}"""
OVERFLOWING = """() => [...document.querySelectorAll("body *")].filter((element) => {
  const inside = element.closest(".scroll, .typeset, pre, .formula, .hidden-text, svg");
  return !inside && element.getBoundingClientRect().right > innerWidth + 0.5;
}).map((element) => element.outerHTML.slice(0, 80))"""


@pytest.fixture(scope="module")
def browser():
    with playwright.sync_playwright() as driver:
        chromium = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield chromium
        chromium.close()


@pytest.fixture(scope="module")
def files(tmp_path_factory, model, data, hostile_model, hostile_data):
    folder = tmp_path_factory.mktemp("reports")
    return {
        "plain": write_report(model, folder / "plain.html", *data, target="energy"),
        "hostile": write_report(hostile_model, folder / "hostile.html", *hostile_data, target="<y>"),
        "unsure": write_report(
            model_of(UNSURE),
            folder / "unsure.html",
            pd.DataFrame({"S": [0.3, 1.0, 4.0, 9.0]}),
            [1.0, 2.4, 5.0, 6.1],
        ),
    }


@pytest.fixture
def open_page(browser, files):
    contexts, problems = [], []

    def opened(name="plain", width="desktop", scheme="light", **options):
        size = dict(zip(("width", "height"), WIDTHS[width], strict=True))
        context = browser.new_context(viewport=size, color_scheme=scheme, **options)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: problems.append(message.text))
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.on("dialog", lambda dialog: (problems.append(dialog.message), dialog.dismiss()))
        own = files[name].as_uri()
        page.on("request", lambda request: request.url == own or problems.append(request.url))
        page.goto(own)
        return page

    yield opened
    for context in contexts:
        context.close()
    assert problems == []


@pytest.mark.parametrize(
    ("name", "width", "scheme"),
    [
        ("hostile", "phone", "light"),
        ("plain", "desktop", "dark"),
        ("unsure", "phone", "dark"),
        *(
            pytest.param(*case, marks=pytest.mark.slow)
            for case in product(["plain", "hostile"], WIDTHS, SCHEMES)
            if case not in (("hostile", "phone", "light"), ("plain", "desktop", "dark"))
        ),
    ],
)
def test_page_fits_and_can_be_read(open_page, name, width, scheme):
    page = open_page(name, width, scheme)
    assert page.evaluate("document.documentElement.scrollWidth") <= WIDTHS[width][0]
    assert page.evaluate(OVERFLOWING) == []
    contrasts = page.evaluate(CONTRASTS)
    assert len(contrasts) > 50
    assert [text for contrast, text in contrasts if contrast < LEAST_CONTRAST] == []


def test_colours_follow_the_reader_s_choice(open_page):
    grounds = [
        open_page(scheme=scheme).evaluate("getComputedStyle(document.body).backgroundColor")
        for scheme in SCHEMES
    ]
    light, dark = (sum(map(int, ground[4:-1].split(","))) for ground in grounds)
    assert dark < 150 < 600 < light


@pytest.mark.parametrize("width", WIDTHS)
def test_pointing_at_a_point_shows_its_equation(open_page, model, width):
    page = open_page(width=width)
    tooltip = page.locator(".tooltip")
    assert not tooltip.is_visible()
    for index in (0, len(model.front_) - 1):
        page.locator(".point").nth(index).hover()
        assert model.front_.entries[index].equation.text(4) in tooltip.inner_text()
    page.mouse.move(2, 2)
    assert not tooltip.is_visible()


def test_tapping_a_point_shows_its_equation(open_page, model):
    page = open_page(width="phone", has_touch=True, is_mobile=True)
    page.locator(".point").first.tap()
    text = model.front_.entries[0].equation.text(4)
    assert text in page.locator(".tooltip").inner_text()
    assert text in page.locator("#selected-equation .equation").get_attribute("aria-label")


def test_selected_equation_is_typeset_and_can_be_left_again(open_page, model):
    page = open_page()
    chosen = page.locator("#selected-equation .equation").get_attribute("aria-label")
    page.locator(".point").first.click()
    first = model.front_.entries[0]
    assert first.equation.text(4) in page.locator("#selected-equation .equation").get_attribute("aria-label")
    assert page.locator("#selected-facts [data-fact=complexity]").inner_text() == str(first.size)
    assert page.locator("#selected-text").inner_text() == first.equation.text()
    page.locator("#back").click()
    assert page.locator("#selected-equation .equation").get_attribute("aria-label") == chosen
    assert not page.locator("#back").is_visible()


def test_keys_go_from_point_to_point(open_page, model):
    page = open_page()
    page.locator('.point[tabindex="0"]').focus()
    page.keyboard.press("Home")
    page.keyboard.press("ArrowRight")
    focused = page.evaluate("document.activeElement.dataset.index")
    assert focused == "1"
    assert model.front_.entries[1].equation.text(4) in page.locator(".tooltip").inner_text()
    assert page.locator('.point[aria-checked="true"]').get_attribute("data-index") == "1"
    assert page.locator('.point[tabindex="0"]').count() == 1
    page.keyboard.press("Escape")
    assert not page.locator(".tooltip").is_visible()


def test_row_of_the_table_selects_its_equation(open_page, model):
    page = open_page()
    page.locator("#equations tbody tr").first.click()
    shown = page.locator("#selected-equation .equation").get_attribute("aria-label")
    assert model.front_.entries[0].equation.text(4) in shown


def test_equations_and_recipes_are_copied(open_page, model):
    page = open_page(permissions=["clipboard-read", "clipboard-write"])
    page.locator(".hero [data-copy=LaTeX]").click()
    assert page.evaluate("navigator.clipboard.readText()") == model.latex()
    page.locator(".point").first.click()
    page.locator("#selected [data-copy=Python]").click()
    assert page.evaluate("navigator.clipboard.readText()") == model.front_.entries[0].equation.to_python()
    page.locator("[data-copy-code]").first.click()
    assert "DDSRRegressor" in page.evaluate("navigator.clipboard.readText()")
    assert "Copied" in page.locator(".code button").first.inner_text()


def test_page_says_everything_without_its_script(open_page, model):
    page = open_page(java_script_enabled=False)
    assert page.locator(".point[title]").count() == len(model.front_)
    assert page.locator("#equations .equation").count() == len(model.front_)


def test_print_leaves_out_what_can_only_be_pressed(open_page):
    page = open_page(scheme="dark")
    page.emulate_media(media="print", color_scheme="dark")
    assert page.locator("button:visible").count() == 0
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert page.evaluate("getComputedStyle(document.body).color") == "rgb(0, 0, 0)"
