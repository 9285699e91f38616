"""The formulas in docstrings, as TeX: `1/√(1 - a²)` becomes a fraction with a root.

A formula is taken for one only if all of it follows the grammar below; anything else stays the text it is.
"""

from __future__ import annotations

import re

NAMES = ("arccosh", "arcsinh", "arctanh", "arccos", "arcsin", "arctan", "cosh", "sinh", "tanh", "cos", "sin", "tan")
NAMES += ("log", "max")
UNKNOWN = ("arccosh", "arcsinh", "arctanh")  # to TeX
RAISED, LOWERED = dict(zip("⁰¹²³ᵃᵖⁿᵀ", "0123apnT", strict=True)), dict(zip("₀₁ᵢⱼₙ", "01ijn", strict=True))
GREEK = {"π": r"\pi", "σ": r"\sigma", "α": r"\alpha", "β": r"\beta"}
SIGNS = "".join([*GREEK, *RAISED, *LOWERED])
TOKEN = re.compile(rf" *(\d+(?:\.\d+)?|dt\b|{'|'.join(NAMES)}|[A-Za-z](?![A-Za-z])|[-+·/^√∫()|,={SIGNS}])")
SLOPE = re.compile(r"(d|dL)/d([A-Za-z])([ᵢ]?) (=|is) ")
END = re.compile(r"$|[,.;:](?: |$)| [a-z]{2,}")


class NotOne(Exception):
    """This is no formula."""


def typeset(text: str) -> tuple[str, ...]:
    """A docstring's paragraph in pieces: text, TeX, text, …"""
    first = SLOPE.search(text)
    if not first:
        return (text,)
    pieces, at = [""], 0
    head = text[: first.start()].removesuffix(": ")
    found = Formula(head).read()
    if found and re.match(r"$|, | for | along ", head[found[1] :]):
        pieces, at = ["", found[0], ""], found[1]
    for slope in SLOPE.finditer(text):
        of, by, index, verb = slope.groups()
        found = ("", -4) if verb == "is" else Formula(text[slope.end() :]).read() if slope.start() >= at else None
        if found:
            above, below = ("d", f"d{by}") if of == "d" else ("dL", f"d{by}")
            left = rf"\frac{{{above}}}{{{below}{'_i' if index else ''}}}"
            pieces[-1] += text[at : slope.start()]
            pieces += [f"{left} = {found[0]}" if found[0] else left, ""]
            at = slope.end() + found[1]
    pieces[-1] += text[at:]
    return tuple(pieces)


class Formula:
    """A reader of the grammar: sums of products of quotients of powers."""

    def __init__(self, text: str):
        self.text, self.at = text, 0

    def read(self) -> tuple[str, int] | None:
        """The formula at the beginning as TeX, and where it ends."""
        try:
            tex = self.sum()
            while self.next("="):
                tex += " = " + self.sum()
        except NotOne:
            return None
        return (tex, self.at) if END.match(self.text, self.at) else None

    def peek(self) -> str:
        found = TOKEN.match(self.text, self.at)
        return found[1] if found else ""

    def next(self, *wanted: str) -> str:
        token = self.peek()
        if not token or (wanted and token not in wanted):
            return ""
        self.at = TOKEN.match(self.text, self.at).end()  # type: ignore[union-attr]
        return token

    def sum(self) -> str:
        tex = self.next("-") + self.product()
        while sign := self.next("+", "-"):
            tex += f" {sign} {self.product()}"
        return tex

    def product(self) -> str:
        tex = self.quotient()
        while True:
            if self.next("·"):
                tex += rf" \cdot {self.quotient()}"
            elif self.peek() and self.peek() not in "-+·/^)|,=" and not self.peek().isdigit():
                tex += rf" \, {self.quotient()}"
            else:
                return tex

    def quotient(self) -> str:
        above = self.power()
        while self.next("/"):
            above = rf"\frac{{{bare(above)}}}{{{bare(self.power())}}}"
        return above

    def power(self) -> str:
        tex = self.atom()
        while self.peek() and (self.peek() in RAISED or self.peek() in LOWERED or self.peek() == "^"):
            token = self.next()
            if token == "^":
                tex += f"^{{{self.next('-')}{bare(self.power())}}}"
            else:
                tex += f"^{{{RAISED[token]}}}" if token in RAISED else f"_{{{LOWERED[token]}}}"
        return tex

    def atom(self) -> str:
        token = self.next()
        if token == "(":
            inside = self.sum()
            while self.next(","):
                inside += f", {self.sum()}"
            return rf"\left({inside}\right)" if self.next(")") else self.fail()
        if token == "|":
            inside = self.sum()
            return rf"\left|{inside}\right|" if self.next("|") else self.fail()
        if token == "√":
            return rf"\sqrt{{{bare(self.atom())}}}"
        if token == "∫":
            low, high = self.next(*LOWERED), self.next(*RAISED)
            return rf"\int_{{{LOWERED[low]}}}^{{{RAISED[high]}}}" if low and high else self.fail()
        if token in NAMES:
            name = rf"\operatorname{{{token}}}" if token in UNKNOWN else rf"\{token}"
            raised = f"^{{{RAISED[self.next()]}}}" if self.peek() in RAISED and self.peek() else ""
            space = " " if self.peek() == "(" else r" \, "
            return f"{name}{raised}{space}{self.power()}"
        if token == "dt":
            return "dt"
        if token and (token in GREEK or token.isalnum()):
            return GREEK.get(token, token)
        return self.fail()

    def fail(self) -> str:
        raise NotOne


def bare(tex: str) -> str:
    """Without brackets around all of it, which a fraction, a root or an exponent makes needless."""
    inner = tex.removeprefix(r"\left(").removesuffix(r"\right)")
    whole = tex.startswith(r"\left(") and tex.endswith(r"\right)") and r"\right)" not in inner.split(r"\left(")[0]
    return inner if whole and inner.count(r"\left(") == inner.count(r"\right)") else tex
