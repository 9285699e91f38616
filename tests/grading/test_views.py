"""The views of a grading: what they hold, and that nothing a stranger wrote breaks out of them."""

import csv
import dataclasses
import html
import html.parser
import io
import json
import re
import unicodedata
from xml.etree import ElementTree

import pytest
from submissions import CHAPTER

from minigrad_course.checks.reference import program_of
from minigrad_course.checks.verdicts import NOISE
from minigrad_course.cli.screen import Screen
from minigrad_course.grading.book.gradebook import Ruling
from minigrad_course.grading.lms.roster import Roster
from minigrad_course.grading.people.names import UNKNOWN
from minigrad_course.grading.people.people import Person
from minigrad_course.grading.records.alike import Alike, Pair, Ring, Same
from minigrad_course.grading.records.record import PRINTS, Course, PartRecord, Record, kept
from minigrad_course.grading.report import pages, printed, report, views
from minigrad_course.grading.report.histogram import MOST_COLUMNS, histogram
from minigrad_course.parts import chapter_named
from minigrad_course.texts import source

EVIL = "</pre></code><script>alert(1)</script><img src=x onerror=alert(1)>\"'&{{ 7*7 }}{% raw %}"
FORMULAS = ["=1+1", "+1", "-1", "@SUM(A1)", '=HYPERLINK("http://x")', "\t=1", "\r=1"]
FORMULAS += ["＝1+1", "＋1", "－1", "＠SUM(A1)", " =1", "\u3000=1", "\xa0=1"]


def parts(*words, text="1.", mistake=None):
    checks = CHAPTER.checks[: len(words)]
    return tuple(
        PartRecord(
            check,
            word,
            int(word == "passed"),
            1,
            "" if word == "passed" else f"because {text}",
            mistake,
            text=kept(text),
            reference="2.",
        )
        for check, word in zip(checks, words, strict=True)
    )


def record(student, *words, **fields):
    made = {"place": f"in/{student}.ipynb", "exercise": CHAPTER.name, "parts": parts(*words)} | fields
    return Record(student=student, **made)


def by_student(records):
    found = {}
    for each in records:
        found.setdefault(each.student, []).append(each)
    return found


def rows(records):
    return list(csv.DictReader(io.StringIO(views.as_csv(sorted(by_student(records).items())), newline="")))


# --- CSV -----------------------------------------------------------------------------------------


def test_one_row_per_student_with_the_best_of_several(tmp_path):
    found = rows(
        [
            record("bob", "passed", "wrong"),
            record("ada", "wrong", "wrong"),
            record("ada", "passed", "passed", place="in/again.ipynb"),
            Record("in/eve.ipynb", "eve", error="the file cannot be read."),
        ]
    )
    first = CHAPTER.checks[0]
    assert [row["student"] for row in found] == ["ada", "bob", "eve"]
    assert [row["points"] for row in found] == ["2", "1", "0"]
    assert [row[CHAPTER.name] for row in found] == ["2", "1", ""]
    assert [row[f"{CHAPTER.name}:{first}"] for row in found] == ["1", "1", ""]
    assert found[2]["notes"] == "in/eve.ipynb: the file cannot be read."


@pytest.mark.parametrize("name", FORMULAS)
def test_no_cell_is_a_formula(name):
    (row,) = rows([record(name, "passed", notices=(name,), place=name)])
    assert not any(unicodedata.normalize("NFKC", value).strip().startswith(views.FORMULA) for value in row.values())


def test_what_is_missing_counts():
    """The second exercise is missing where another handed it in."""
    people = Person("1", "Ada", "a@x.org", "Ada"), Person("2", "Bob", "=b", "Bob"), Person("3", "Eve", "", "Eve")
    other = record("Ada", exercise="02_upstream_gradients", parts=(PartRecord("sum", "passed", 2, 2),), place="in/2")
    found = by_student([record("Ada", "passed", "wrong"), other, record("Bob", "passed")]) | {"Eve": []}
    assigned = [CHAPTER.name, "02_upstream_gradients"]
    whole = {
        name: Ruling.on(Course(), name).records(each, [UNKNOWN] * len(each), assigned) for name, each in found.items()
    }
    text = views.as_csv(whole.items(), Roster(people), [("in/x", "it could be Eve or Ada."), ("in/y", "it is Zoe's.")])
    ada, bob, eve = csv.DictReader(io.StringIO(text, newline=""))
    assert (ada["id"], ada["email"], bob["email"]) == ("1", "a@x.org", "'=b")
    assert (ada["points"], ada["possible"]) == ("3", "4")
    second = chapter_named("02_upstream_gradients")
    assert (bob["points"], bob["possible"]) == ("1", str(1 + sum(map(second.points, second.checks))))
    assert bob["02_upstream_gradients"] == "0" and bob["notes"] == "02_upstream_gradients: not handed in."
    assert (eve["points"], eve[CHAPTER.name]) == ("0", "0")
    assert eve["notes"].endswith("02_upstream_gradients: not handed in.; in/x: it could be Eve or Ada.")


def test_a_name_cannot_make_rows_of_its_own():
    assert len(rows([record('a"\r\nb,c\n', "passed"), record("b", "passed")])) == 2


# --- JSON and JUnit ------------------------------------------------------------------------------


def test_json_holds_everything_and_can_be_read_back():
    data = json.loads("".join(views.as_json([record("ada", "passed", "open", seed=5)], ["not confined"])))
    assert data["files"][0]["seed"] == 5 and data["passed"] is False and data["unconfined"] == ["not confined"]
    assert [part["result"] for part in data["files"][0]["parts"]] == ["passed", "open"]


def test_junit_counts_and_stays_xml_whatever_stands_in_it():
    name = "a\x00\x1b<&\ud800\uffff]]>"
    fault = Record("f", "f", fault="lost")
    text = "".join(views.as_junit([record(name, "passed", "wrong", notices=(name,), place=name), fault]))
    suite, broken = ElementTree.fromstring(text)
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("3", "2", "0")
    assert [case.find("failure") is not None for case in suite] == [False, True, True]
    assert broken.get("errors") == "1" and broken[0].find("error").get("message") == "lost"


# --- HTML ----------------------------------------------------------------------------------------


class Reader(html.parser.HTMLParser):
    """Collects the tags, the attributes and the text of a page."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.attributes, self.text = [], [], ""
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.attributes += attributes

    def handle_data(self, data):
        self.text += data


def student_page(mine):
    return pages.file_name(mine.student), pages.student_page(mine.student, [mine])


def class_page(records, rings=(), same=(), unconfined=(), remarks=()):
    whole = pages.Class(sorted({each.exercise for each in records if each.exercise}))
    for student, mine in sorted(by_student(records).items()):
        whole.add(student, mine)
    return pages.class_page(whole, list(rings), list(same), list(unconfined), list(remarks))


def test_a_students_page_marks_what_differs_and_shows_what_was_run():
    first, second, third = CHAPTER.checks[:3]
    mine = parts("wrong", "passed", "open", text="1.\ntensor([2., 3.])")
    mine = (dataclasses.replace(mine[0], reference="1.\ntensor([2., 4.])"), *mine[1:])
    code = f"{source.BEGIN}\ndef f(): # <1>\n{source.END}\n"
    name, text = student_page(record("ada", parts=mine, answers={first: code}, seed=5, day="2026-11-02"))
    page = Reader(text)
    assert re.fullmatch(r"ada-[0-9a-f]{10}\.html", name)
    for wanted in (
        *("ada: 1 of 3", "1 of 3 parts passed, 1 wrong, 1 open.", "because 1.", "seed 5", "Graded on 2026-11-02"),
        *("both1.", "yourstensor([2., 3.])", "torchtensor([2., 4.])", "def f(): # <1>"),
        *(f"Hint: {CHAPTER.parts[0].hints[0].replace('`', '')}", program_of(CHAPTER, first).rstrip()),
    ):
        assert wanted in page.text
    assert "<mark>3.</mark>" in text and "<mark>4.</mark>" in text and "<b>def</b> f(): <i># &lt;1&gt;</i>" in text
    assert source.BEGIN not in text and page.tags.count("mark") == 2
    assert [f'{each}" open' in text for each in (first, second, third)] == [True, False, False]
    everything = student_page(record("ada_king", "passed", "passed"))[1]
    assert "<title>Ada King: exercise 1, 2 of 2 points</title>" in everything
    assert "<h1>Ada King: 2 of 2</h1>" in everything and "Everything passed." in everything
    assert "✓ All 2 parts passed" in everything and " open>" not in everything


def test_everything_on_a_page_is_escaped():
    mine = record(
        EVIL,
        parts=parts("wrong", text=EVIL),
        notices=(EVIL,),
        answers={CHAPTER.checks[0]: EVIL},
        place=EVIL,
    )
    unread = Record(EVIL, EVIL + "2", error=EVIL)
    pair = Pair(mine.student, unread.student, (Alike(EVIL, EVIL, 3, (EVIL, EVIL)),), 20.0)
    twins = [Ring((mine.student, unread.student), (pair,))]
    for text in (
        student_page(mine)[1],
        student_page(unread)[1],
        class_page([mine, unread], twins, [Same(EVIL, EVIL, (EVIL,))], [EVIL]),
    ):
        page = Reader(text)
        assert not {"iframe", "object", "form"} & set(page.tags)
        scripts = re.findall(r"<script.*?>(.*?)</script>", text, re.DOTALL)
        assert scripts == [pages.SORT] * text.count("script-src 'sha256-")  # one, on the page of the class
        assert not [name for name, value in page.attributes if name.startswith("on")]
        assert "alert(1)" in page.text and "{{ 7*7 }}" in page.text
        assert "default-src 'none'" in text
        assert not {"src", "srcset", "data"} & {name for name, _ in page.attributes}


def test_the_name_of_a_page_is_harmless_and_no_two_are_the_same():
    names = [
        "../../etc/passwd",
        "a/b",
        "a\\b",
        "",
        "CON",
        "é" * 300,
        "𐓸" * 300,
        "Zoë",
        "Zoe\u0308\u202e",
        "山田 太郎",
        "अमित/शर्मा",
        "a b",
        "a-b",
        "\x00",
        "..",
        "A B",
    ]
    files = [pages.file_name(name) for name in names]
    assert len({name.lower() for name in files}) == len(names)
    assert all(re.fullmatch(r"[\w\u0900-\u097f-]{1,60}\.html", name) and views.is_page(name) for name in files)
    assert all(len(name.encode()) < 255 and name == unicodedata.normalize("NFC", name) for name in files)
    shown = {name.rpartition("-")[0] for name in files}
    assert {"zoë", "山田-太郎", "अमित-शर्मा", "student"} <= shown
    assert views.is_page(unicodedata.normalize("NFD", files[names.index("Zoë")])) and not views.is_page("a.html")


def test_a_class_of_many_broken_files_has_a_bounded_list(monkeypatch):
    monkeypatch.setattr(pages, "MOST_REMARKS", 7)
    page = Reader(class_page([Record(f"x{count}", "eve", error="unread") for count in range(9)]))
    assert page.tags.count("li") == 10 and "9 of them could not be graded" in page.text and "… and 2 more" in page.text


ERRORS = {
    "It did not end within 9 seconds: it was still in `f`, line 2 of its cell, `return 1 / 0`.": (2, "return 1 / 0"),
    "The cell did not end within 0.5 seconds: it was still in line 2.": (2, "return 1 / 0"),
    "`f`, line 2 of its cell, `return 1 / 0`, stopped with ZeroDivisionError: division by zero.": (2, "return 1 / 0"),
    "The cell stopped in line 2 with NameError: name 'x' is not defined.": (2, "return 1 / 0"),
    "The cell is not Python: invalid syntax, line 3, `retrun 1, line 2`.": (3, "retrun 1, line 2\n       ^"),
}


@pytest.mark.parametrize(("error", "marked"), ERRORS.items(), ids=range(len(ERRORS)))
def test_a_students_page_marks_the_line_of_an_error(error, marked):
    first = CHAPTER.checks[0]
    wrong = dataclasses.replace(parts("wrong")[0], what=error, error=error)
    code = "def f():\n    return 1 / 0\n"
    code += "retrun 1, line 2" if marked[0] == 3 else ""
    _, text = student_page(record("ada", parts=(wrong,), answers={first: code}))
    (line,) = re.findall(r'<span class="no"><em>(\d)</em><span>(.*?)</span></span>', text, re.DOTALL)
    assert (int(line[0]), Reader(line[1]).text.strip()) == marked and "Hint" not in text
    mistaken = dataclasses.replace(wrong, mistake=CHAPTER.parts[0].mistakes[0].name)
    page = Reader(student_page(record("ada", parts=(mistaken,), answers={first: code}))[1])
    assert f"Yours stopped: {error.replace('`', '')}This is what you get when" in page.text


def test_a_hint_stands_only_where_no_mistake_is_named():
    wrong = parts("wrong")[0]
    named = dataclasses.replace(wrong, mistake=CHAPTER.parts[0].mistakes[0].name)
    prints = dataclasses.replace(
        wrong, mistake=PRINTS, what="Your answer prints.", text="1.\nhere\n2.", reference="1.\n2."
    )
    errors = ("Line 4 of the check, `x`, stopped with {}.", "Line 4 of the check, `x`, stopped with {}. return x, y?")
    ends = [dataclasses.replace(wrong, error=each) for each in (*errors, "It was stopped after 10 seconds.")]
    texts = [student_page(record("ada", parts=(each,)))[1] for each in (wrong, named, prints, *ends)]
    assert ["Hint:" in each for each in texts] == [True, False, False, True, False, False]
    assert "Your answer prints.both1.yourshereboth2." in Reader(texts[2]).text.replace("\n", "")
    also = dataclasses.replace(named, what=f"{NOISE} Swapped.")
    assert f"{NOISE} This is what you get when" in student_page(record("ada", parts=(also,)))[1]
    shown = class_page([record("ada", parts=(prints,)), record("bob", parts=(prints,))])
    assert "2 studentsthe answer prints" in Reader(shown).text
    look = Reader(shown).text.partition("For you to look at")[2]
    assert (
        "Right but for a forgotten print: a person may give the points" in look and f"ada.ipynb: {wrong.part}" in look
    )
    assert "Right but for" not in Reader(class_page([record("ada", parts=(named,))])).text


def test_all_views_begin_with_the_first_part_that_is_wrong_else_open(capsys):
    """The last check needs all parts: it is never the first while another is left."""
    words = dict.fromkeys(CHAPTER.checks, "passed")
    first, second, *_, last = CHAPTER.checks
    for left, wanted in (
        ({first: "open", second: "wrong", last: "wrong"}, second),
        ({first: "open", last: "wrong"}, first),
        ({last: "wrong"}, last),
    ):
        mine = record("ada", *(words | left).values())
        (page,) = (Reader(text).text for _, text in [student_page(mine)])
        mark = pages.MARKS[(words | left)[wanted]][0]
        assert f"Begin with {wanted}." in page and f"{mark} 1: {wanted}" in Reader(class_page([mine])).text
        assert (f"For a hint: minigrad hint {wanted}" in page) == (wanted != last)
        do = "mend" if wanted == second else "finish"
        assert (f"All parts run together here: first {do} {wanted}." in page) == (wanted != last)
        assert page.count("because") == len(left) - (wanted != last)  # nothing more of the last one
    report.show_class([record("ada", *(words | {first: "open", second: "wrong"}).values())], Screen(width=80))
    *_, wrong, unfinished, _ = capsys.readouterr().out.splitlines()
    assert f" ✗ {second} " in wrong and f" … {first} " in unfinished


def test_a_forged_line_marks_nothing():
    wrong = dataclasses.replace(parts("wrong")[0], error="`f`, line 999999 of its cell, `x`, stopped with E.")
    _, text = student_page(record("ada", parts=(wrong,), answers={CHAPTER.checks[0]: "x = 1"}))
    assert 'class="no"><em>9' not in text and ">x = 1</pre>" in text


def test_the_class_page_says_who_is_stuck_and_where_problems_first():
    first, second = CHAPTER.checks[:2]
    mistake = CHAPTER.parts[0].mistakes[0]
    wrong = dataclasses.replace(parts("wrong")[0], mistake=mistake.name)
    people = [record(f"ada{count}", "passed", "passed") for count in range(8)]
    people += [record("bob", parts=(wrong, parts("passed", "open")[1])), Record("x", "eve", error="unread")]
    people += [record("zoe", parts=parts("open", "passed"))]
    layout = "sub: the students are those named in it, bob and eve. If that is wrong, say who they are with --roster."
    doubt = "sub/bob: taken as the work of one student, bob; settle it with --roster."
    remarks = [layout, doubt, layout.replace(" eve.", " eve, where equal names mean the same student.")]
    text = class_page(people, remarks=remarks)
    page = Reader(text)
    (alt,) = (value for _, value in page.attributes if (value or "").startswith("Histogram"))
    columns = "0 points: 2 students; 1 point: 1 student; 2 points: 8 students."
    assert alt.endswith(f"the points of 11 students, out of 2; mean 1.5, median 2.0, from 0 to 2. {columns}")
    assert f"{first} 8 of 10 · 1 wrong, 1 open" in page.text and f"{second} 9 of 10 · 1 open" in page.text
    assert (
        all(f'"{word}">{html.escape(said)}</span>' in text for word, said in pages.SHARES.items())
        and f"1: {first}" in page.text
    )
    assert page.text.count(mistake.explanation.replace("`", "")) == 1 and "zoe" not in page.text.split("Common mis")[-1]
    order = ["unread", "Students", "Parts", "Common mistakes", "Points", layout]
    assert sorted(order, key=page.text.index) == order and page.text.index(doubt) < page.text.index("Students")
    assert page.text.index("where equal names mean") < page.text.index("Students")
    assert "8 of 11" in page.text and "not gradable" in page.text and "Histogram" not in class_page(people[:9])
    assert text == class_page(people, remarks=remarks)
    assert "All 2 parts" in Reader(class_page(people[:2])).text
    assert (
        "<title>Exercise 1: 11 students</title>" in text
        and "Exercise 1, 2 points; not handed in counts as 0." in page.text
    )


def test_the_class_page_says_what_else_is_left_and_how_far_somebody_is():
    missing = {"place": "", "exercise": "02_upstream_gradients", "parts": (PartRecord("sum", "open", 0, 2),)}
    more = {"exercise": "02_upstream_gradients", "parts": (PartRecord("sum", "wrong", 0, 2),)}
    people = [record("ada", "open", "wrong", "open"), record("ada", **more), record("bob", "wrong", "passed")]
    text = class_page([*people, record("bob", **missing), record("eve", **missing)])
    first, second, third = CHAPTER.checks[:3]
    shown = Reader(text).text
    assert f"✗ 1: {second} · also {first}, {third}, 2: sum" in shown and "nothing handed in" in shown
    assert re.findall(r'data-key="(\d+)"', text) == ["101", "100", "0"]
    assert "<h1>Exercises 1 and 2: 3 students</h1>" in text


@pytest.mark.parametrize(
    ("ours", "theirs", "marked"),
    [
        ("t(0.5000) t(0.0625)", "t(-0.5000) t(0.1250)", ["0.5000", "0.0625", "-0.5000", "0.1250"]),
        ("t(0.1234, 2., 3.)", "t(0.1235, 2., 4.)", ["3.", "4."]),
        ("t([1., 2.])", "t([[1., 2.]])", ["[", "]"]),
        ("t([1., 1.])", "t([1., 1., 1.])", ["1.", ","]),
        ("None", "t(1.)", ["None", "t(1.)"]),
    ],
)
def test_what_is_equal_in_a_line_is_not_marked(ours, theirs, marked):
    both = printed.marked(ours, theirs)
    assert ["".join(text for text, _ in pieces) for pieces in both] == [ours, theirs]
    assert sorted(text for pieces in both for text, differs in pieces if differs) == sorted(marked)


@pytest.mark.parametrize(
    ("points", "possible", "names"),
    [
        ([0, 7, 42], 42, ["0 to 4", "5 to 9", "40 to 42"]),
        ([3, 4.5, 50], 50, ["0 to <5", "5 to <10", "50"]),
        ([0, 0.25, 0.5], 0.5, ["0 to 0.5", "0 to 0.5", "0 to 0.5"]),
        ([12, 160, 161], 160, ["0 to 19", "20 to 39", "160"]),
    ],
)
def test_each_column_of_the_points_has_its_name(points, possible, names):
    columns = histogram(points, possible).columns
    found = [columns[0], columns[min(1, len(columns) - 1)], columns[-1]]
    assert [each.name.partition(" points: ")[0] for each in found] == names
    assert sum(each.count for each in columns) == 3 and len(columns) <= MOST_COLUMNS
    assert max(each.percent for each in columns) == 100


def test_common_mistakes_are_those_of_two_students_or_more():
    shared, single = ((CHAPTER.name, CHAPTER.checks[0], each.name) for each in CHAPTER.parts[0].mistakes[:2])
    (found,) = pages.explained({single: ["cy"], shared: ["ada", "bob"]}, {})
    assert found["students"] == ["ada", "bob"]
    assert len(pages.explained({single: ["cy"], shared: ["ada"]}, {})) == 2


@pytest.mark.parametrize(
    ("error", "words"),
    [
        ("The cell is not Python: invalid syntax, line 1, `def f(:`.", "the cell is not Python"),
        ("It did not end within 9 seconds: it was still in `f`, line 2 of its cell, `while True:`.", "it does not end"),
        ("It was stopped after 10 seconds.", "it does not end"),
        ("The cell stopped in line 2 with NameError: name 'x' is not defined.", "it stops with NameError"),
    ],
)
def test_how_answers_stop_is_counted_like_a_mistake(error, words):
    wrong = dataclasses.replace(parts("wrong")[0], error=error)
    shown = Reader(class_page([record("ada", parts=(wrong,)), record("bob", parts=(wrong,))])).text
    assert f"2 students{words}" in shown


def test_what_is_counted_has_its_plural_and_what_is_said_has_no_second_heading():
    one = class_page([Record("x", "eve", error="unread")])
    assert ">The class: 1 student<" in one and ">1 submission, " in one and "settles" not in one
    assert ">2 submissions, " in class_page([Record(each, "eve", error="unread") for each in "xy"])


def test_what_is_nobody_s_is_said_once_and_first(capsys):
    records = [Record("b", "bob", skipped="lessons"), Record("a", "", skipped="it is nobody's.")]
    report.show_class(records, Screen(width=80))
    lines = capsys.readouterr().out.splitlines()
    assert lines[-2:] == ["a: it is nobody's.", "b: lessons"]
    report.show(records[1], Screen(width=80))
    assert capsys.readouterr().out == "a: it is nobody's.\n"


def test_each_section_can_be_jumped_to():
    rings = [Ring(("ada", "bob"), (Pair("ada", "bob", (Alike(CHAPTER.name, "mul", 3, ("x", "x")),), 20.0),))]
    text = class_page([record("ada", "passed")], rings, [Same("ada", CHAPTER.name, ("mul",))])
    for name in ("shared", "ours"):
        assert f'<li><a href="#{name}">' in text.partition('class="jump"')[2] and f'id="{name}"' in text


def test_a_class_of_nothing_but_broken_files_has_a_page():
    assert "could not be graded" in class_page([Record("x", "eve", error="unread")])


def test_a_file_of_no_exercise_is_not_gradable_and_nothing_else_is_said():
    eve, assigned = Record("eve/notes.txt", "eve", error="this is a text."), [CHAPTER.name, "02_upstream_gradients"]
    found = Ruling.on(Course(), "eve").records([eve], [UNKNOWN], assigned)
    shown = Reader(class_page([record("ada", "passed"), *found])).text
    assert "not gradable" in shown and "nothing handed in" not in shown
    page = Reader(pages.student_page("eve", found)).text
    assert "1 file could not be graded." in page and "What you handed in could not be graded: this is a text." in page
    assert "not handed in" not in page and "Nothing that" not in page and "Exercise" not in page
