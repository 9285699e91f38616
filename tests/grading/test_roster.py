"""Rosters as people and systems write them: every column, separator and encoding; and what is refused."""

import json

import pytest

from minigrad_course.grading.lms.roster import BadRoster, Roster, read
from minigrad_course.grading.people.names import Said, impersonal

PLAIN = "id,name,email\n1,Ada Lovelace,ada@example.edu\n2,Zoë,zoe@example.edu\n"
FILES = {
    "plain": PLAIN,
    "another order": "Email;Name;ID\nada@example.edu;Ada Lovelace;1\nzoe@example.edu;Zoë;2\n",
    "tabs and a column we do not know": "ID\tNotes\tE-Mail\tFull Name\n1\t\tada@example.edu\tAda Lovelace\n"
    "2\tx, y; z\tzoe@example.edu\tZoë\n",
    "Excel's mark": "sep=;\nid;name;email\n1;Ada Lovelace;ada@example.edu\n2;Zoë;zoe@example.edu\n",
    "empty lines": PLAIN.replace("\n", "\r\n\r\n"),
    "Moodle's participants": '"First name","Last name","ID number","Email address",Groups\n'
    "Ada,Lovelace,1,ada@example.edu,\n,Zoë,2,zoe@example.edu,\n",
    "Moodle's worksheet": 'Identifier,"Full name","ID number","Email address",Status,Grade\n'
    '"Participant 501","Ada Lovelace",1,ada@example.edu,,\n"Participant 502",Zoë,2,zoe@example.edu,,\n',
}
CANVAS = (
    'Student,ID,SIS User ID,SIS Login ID,Section,"Backward (77)"\n'
    ",,,,,Manual Posting\n"
    "    Points Possible,,,,,20\n"
    '"Lovelace, Ada",12345,u0815,ada1,CS101,\n'
    '"Student, Test",999,,abcdef,CS101,\n'
)
ENCODINGS = ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "cp1252"]


def roster(tmp_path, text, encoding="utf-8"):
    path = tmp_path / "class.csv"
    path.write_bytes(text.encode(encoding) if isinstance(text, str) else text)
    return read(path)


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("text", FILES.values(), ids=FILES)
def test_a_roster_is_read_however_it_was_saved(tmp_path, text, encoding):
    people = roster(tmp_path, text, encoding).people
    assert [(each.id, each.name, each.email, each.student) for each in people] == [
        ("1", "Ada Lovelace", "ada@example.edu", "Ada Lovelace"),
        ("2", "Zoë", "zoe@example.edu", "Zoë"),
    ]


def test_canvas_s_gradebook_has_more_rows_than_people(tmp_path):
    (ada,) = roster(tmp_path, CANVAS).people
    assert (ada.id, ada.name, ada.student) == ("12345", "Ada Lovelace", "Ada Lovelace")
    for name in ("12345", "u0815", "ada1", "ada lovelace", "Lovelace, Ada", "lovelaceada"):
        assert roster(tmp_path, CANVAS).whose(Said(name)) == [ada]
    assert roster(tmp_path, CANVAS).whose(Said("who", "12345", "Canvas")) == [ada]


def test_moodle_s_number_counts_only_for_moodle(tmp_path):
    found = roster(tmp_path, FILES["Moodle's worksheet"])
    assert [each.name for each in found.whose(Said("Participant 501", "501", "Moodle"))] == ["Ada Lovelace"]
    assert found.whose(Said("501")) == [] and found.whose(Said("x", "501", "Canvas")) == []
    assert len(found.whose(Said("Ada Lovelace", "502", "Moodle"))) == 2  # somebody is not who he says


def test_it_goes_through_plain_data_and_comes_back(tmp_path):
    for text in (*FILES.values(), CANVAS):
        found = roster(tmp_path, text)
        assert Roster.of(json.loads(json.dumps(found.data()))) == found


def test_the_text_that_stands_for_a_person_is_no_other_one_s(tmp_path):
    text = "id,name,email\n1,Ada,a@x.edu\n2,ada,b@x.edu\n,Bob,c@x.edu\n,Bob,d@x.edu\n5,,e@x.edu\n6,,\n"
    students = [each.student for each in roster(tmp_path, text).people]
    assert students == ["Ada (1)", "ada (2)", "Bob (c@x.edu)", "Bob (d@x.edu)", "e@x.edu", "6"]


@pytest.mark.parametrize("key", ["ada", "ADA", " Ada "])
def test_a_key_of_two_people_names_both(tmp_path, key):
    found = roster(tmp_path, "id,name,email\n1,Ada Li,ada@a.edu\n2,Ada Wu,ada@b.edu\n")
    assert [each.id for each in found.whose(Said(key))] == ["1", "2"]
    assert [each.id for each in found.whose(Said("Ada Wu"))] == ["2"]


@pytest.mark.parametrize("taken", ["ada", "ada@example.edu", "alove", "Ada@Example.edu "])
def test_whoever_is_called_like_a_key_of_another_does_not_take_it(tmp_path, taken):
    text = f"id,name,email,login\nmallory,{taken},m@x.edu,m\nada,Ada Lovelace,ada@example.edu,alove\n"
    found = roster(tmp_path, text)
    assert [each.id for each in found.whose(Said(taken))] == ["ada"]
    assert [each.id for each in found.whose(Said("Ada Lovelace", taken, "Canvas"))] == ["ada"]
    local = roster(tmp_path, "id,name,email\nada,Ada Lovelace,a@x.edu\n7,Mallory,ada@y.edu\n")
    assert [each.id for each in local.whose(Said("ada"))] == ["ada"]


def test_a_name_that_is_another_s_key_still_goes_with_its_own_number(tmp_path):
    text = "id,name,identifier\nada,Ada Lovelace,Participant 11\nmallory,ada,Participant 13\n"
    found = roster(tmp_path, text)
    assert [each.id for each in found.whose(Said("ada", "13", "Moodle"))] == ["mallory"]


@pytest.mark.parametrize("end", ["\u2028", "\u2029", "\x85", "\v", "\f", "\x1c", "\x1d", "\x1e"])
def test_only_the_ends_of_lines_end_a_row(tmp_path, end):
    found = roster(tmp_path, f"name,id\nM{end}bob,evil\r\nAda,1\r")
    assert [each.id for each in found.people] == ["evil", "1"]
    with pytest.raises(BadRoster, match="lines 2 and 3"):
        roster(tmp_path, f"name,id\nM{end}bob,1\nAda,1\n")


def test_accents_case_and_punctuation_make_no_difference(tmp_path):
    found = roster(tmp_path, "name\nZoe\u0308 O'Neil-Smith\n")
    for name in (
        "Zo\u00eb O'Neil-Smith",
        "zoe\u0308_o_neil_smith",
        "ZO\u00cb  O\u2019NEIL SMITH",
        "O'Neil-Smith, Zo\u00eb",
    ):
        assert len(found.whose(Said(name))) == 1
    assert found.whose(Said("Zoe O'Neil-Smith")) == []  # another name


BAD = {
    "empty": ("", "is empty"),
    "blank": ("\n \n", "is empty"),
    "no heading": ("Ada,Lovelace\nBob,B\n", "no column in line 1"),
    "nobody": ("id,name\n", "names nobody"),
    "a doubled id": ("id,name\n7,Ada\n8,Bob\n7,Cyd\n", "lines 2 and 4 have the same id, 7"),
    "a doubled email": ("name,email\nAda,x@y\nBob,X@Y\n", "lines 2 and 3 have the same email"),
    "a row of nothing": ("id,name,notes\n1,Ada,\n,,x\n", "line 3 has neither"),
    "two alike": ("name\nAda\nAda\n", "lines 2 and 3"),
    "two columns": ("id,name,ID\n1,Ada,2\n", "two columns"),
    "not text": (b"\xff\xfe\x00\xd8x", "not readable text"),
    "an endless cell": ('id,name\n1,"' + "x" * 200_000, "cannot be read as CSV"),
}


@pytest.mark.parametrize(("text", "sentence"), BAD.values(), ids=BAD)
def test_what_is_no_roster_is_refused_in_a_sentence(tmp_path, text, sentence):
    with pytest.raises(BadRoster, match=sentence) as refused:
        roster(tmp_path, text)
    assert "class.csv" in str(refused.value) and "\n" not in str(refused.value)


def test_a_file_that_is_not_there_is_refused(tmp_path):
    for path in (tmp_path / "gone.csv", tmp_path):
        with pytest.raises(BadRoster, match=r"cannot be read|There is no file .*gone\.csv\.$"):
            read(path)


@pytest.mark.parametrize("name", ["week1", "hw 2", "assignment-3", "ex01", "section-A", "submissions", "b-submissions"])
def test_names_that_no_person_has(name):
    assert impersonal(name)


@pytest.mark.parametrize("name", ["ada", "Ada Lovelace", "u1234", "77001", "hw-ada", "s1", "a", "Wu, Mei", "Zoë"])
def test_names_that_a_person_may_have(name):
    assert not impersonal(name)
