"""Reads HTML strictly: tags that close, text, and whatever a browser would load from elsewhere."""

from html.parser import HTMLParser

VOID = {"meta", "input", "br", "link", "img", "hr"}
LOADING = {"src", "href", "xlink:href", "data", "poster", "action", "background"}


class Page(HTMLParser):
    """The elements of a page; ``faults`` are tags that do not close, ``loaded`` addresses."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.open, self.faults, self.loaded, self.elements, self.words = [], [], [], [], []
        self.scripts = []
        self.feed(text)
        self.close()
        self.faults += [f"<{tag}> stays open" for tag in self.open]

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        self.elements.append((tag, given))
        self.loaded += [given[name] for name in LOADING if given.get(name)]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.faults.append(f"</{tag}> closes something else")

    def handle_data(self, data):
        in_script = self.open and self.open[-1] in ("script", "style")
        (self.scripts if in_script else self.words).append(data)

    def count(self, tag, **given):
        return sum(
            t == tag and all(a.get(k.strip("_")) == v for k, v in given.items())
            for t, a in self.elements
        )

    @property
    def text(self):
        return "".join(self.words)


def loads_nothing(text):
    """Whether a page names no address outside of itself, in tags, scripts or styles."""
    page = Page(text)
    beyond = [a for a in page.loaded if not a.startswith("#")]
    words = " ".join(page.scripts)
    calls = ("fetch(", "XMLHttpRequest", "import(", "@import", "url(", "WebSocket", "sendBeacon")
    addresses = words.replace("http://www.w3.org/2000/svg", "")
    return not beyond and not any(c in words for c in calls) and "//cdn" not in addresses
