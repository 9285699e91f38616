"""Where the course lies on the net: everything follows from one setting, the name of its repository on GitHub.

`MINIGRAD_REPOSITORY=owner/name make site` (or its whole address) gives each page the addresses of its source, of Binder
and of Colab, and the site a map and a card. Without the setting no page mentions any of them. The workflow that
publishes the site sets it.
"""

from __future__ import annotations

import os
from urllib.parse import quote

REPOSITORY = os.environ.get("MINIGRAD_REPOSITORY", "").removeprefix("https://github.com/").strip("/")
BRANCH = os.environ.get("MINIGRAD_BRANCH", "main")


def site() -> str:
    """Where GitHub publishes the pages of a repository, with a slash at the end."""
    owner, _, name = REPOSITORY.partition("/")
    if not name:
        return ""
    host = f"https://{owner.lower()}.github.io/"
    return host if name.lower() == f"{owner.lower()}.github.io" else f"{host}{name}/"


def links(path: str) -> dict[str, str]:
    """What a page made from a file leads to: Binder and Colab for a notebook, the source for every file."""
    if not REPOSITORY:
        return {}
    notebook = path.endswith(".ipynb")
    found = {}
    if notebook:
        found["Run on Binder"] = (
            f"https://mybinder.org/v2/gh/{REPOSITORY}/{BRANCH}?urlpath={quote(f'lab/tree/{path}', safe='')}"
        )
        found["Open in Colab"] = f"https://colab.research.google.com/github/{REPOSITORY}/blob/{BRANCH}/{path}"
    folder, _, name = path.rpartition("/")
    shown = f"{folder}/source/{name.removesuffix('.ipynb')}.md" if notebook and folder != "exercises" else path
    return {**found, "Source": f"https://github.com/{REPOSITORY}/blob/{BRANCH}/{shown}"}


def source(path: str) -> str:
    """A file on GitHub, or nothing."""
    return f"https://github.com/{REPOSITORY}/blob/{BRANCH}/{path}" if REPOSITORY else ""


def install() -> str:
    """The line that a notebook in Colab needs first, or nothing."""
    return f"%pip install -q git+https://github.com/{REPOSITORY}" if REPOSITORY else ""


def sitemap(pages: list[str]) -> str:
    """sitemap.xml for these pages."""
    urls = "".join(f"<url><loc>{site()}{quote(name)}.html</loc></url>\n" for name in pages)
    head = '<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n'
    return f"{head}{urls}</urlset>\n"
