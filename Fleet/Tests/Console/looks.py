"""What every page must look like: nothing beyond its sides, and nothing too faint to read."""

# Compares each text with what is behind it, as WCAG 2.2 has it; bars and dots need 3.
CONTRAST = r"""
() => {
  const parse = (text) => {
    const numbers = text.match(/[\d.]+/g)?.map(Number) ?? [0, 0, 0, 0];
    return { rgb: numbers.slice(0, 3), alpha: numbers.length > 3 ? numbers[3] : 1 };
  };
  const linear = (c) => ((c /= 255), c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
  const light = ([r, g, b]) => 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
  const ratio = (a, b) => {
    const [x, y] = [light(a), light(b)].sort((p, q) => q - p);
    return (x + 0.05) / (y + 0.05);
  };
  const behind = (element) => {
    for (let e = element; e; e = e.parentElement) {
      const { rgb, alpha } = parse(getComputedStyle(e).backgroundColor);
      if (alpha > 0) return rgb;
    }
    return [255, 255, 255];
  };
  const faint = [];
  const look = (element, colour, base, least, what) => {
    const found = ratio(colour, base);
    const start = element.outerHTML.slice(0, 90);
    if (found < least) faint.push(`${what}: ${found.toFixed(2)} (${start})`);
  };
  for (const element of document.querySelectorAll("body *")) {
    if (!element.checkVisibility({ checkOpacity: true, checkVisibilityCSS: true })) continue;
    const style = getComputedStyle(element);
    const hasText = [...element.childNodes].some((n) => n.nodeType === 3 && n.data.trim());
    if (hasText && !(element instanceof SVGElement)) {
      look(element, parse(style.color).rgb, behind(element), 4.5, "text");
    }
    if (element.tagName === "rect") {
      look(element, parse(style.fill).rgb, behind(element.parentElement), 3, "bar");
    }
    if (element.tagName === "INPUT" || element.tagName === "SELECT") {
      look(element, parse(style.borderTopColor).rgb, behind(element.parentElement), 3, "border");
    }
  }
  return faint;
}
"""

# How far the page is wider than the window, and what sticks out.
OVERFLOW = r"""
() => {
  const width = document.documentElement.clientWidth;
  if (document.documentElement.scrollWidth <= width) return [];
  return [...document.querySelectorAll("body *")]
    .filter((e) => e.getBoundingClientRect().right > width + 1 && !e.closest(".table"))
    .map((e) => e.outerHTML.slice(0, 90));
}
"""

# Elements that somebody can reach without a name that is said aloud.
NAMELESS = r"""
() => [...document.querySelectorAll("a, button, input:not([type=hidden]), select, [role=img]")]
  .filter((e) => e.checkVisibility())
  .filter((e) => !(e.getAttribute("aria-label") || e.textContent.trim() || e.labels?.length))
  .map((e) => e.outerHTML.slice(0, 90))
"""


def problems(page):
    """What is wrong with the page as it is shown now."""
    found = [f"beyond the side: {text}" for text in page.evaluate(OVERFLOW)]
    found += page.evaluate(CONTRAST)
    found += [f"without a name: {text}" for text in page.evaluate(NAMELESS)]
    return found
