import io
import zipfile
from collections import defaultdict

import pytest

from tournament.roster import RosterError, read_roster

_XLSX = "http://schemas.openxmlformats.org"
_SHEETS = {1: "Notes", 2: "Players"}
XLSX = {
    "[Content_Types].xml": (
        f'<Types xmlns="{_XLSX}/package/2006/content-types"><Override PartName="/xl/workbook.xml" '
        'ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/></Types>'
    ),
    "_rels/.rels": (
        f'<Relationships xmlns="{_XLSX}/package/2006/relationships"><Relationship Id="rId1" Target="xl/workbook.xml" '
        f'Type="{_XLSX}/officeDocument/2006/relationships/officeDocument"/></Relationships>'
    ),
    "xl/workbook.xml": (
        f'<workbook xmlns="{_XLSX}/spreadsheetml/2006/main" xmlns:r="{_XLSX}/officeDocument/2006/relationships">'
        + "<sheets>"
        + "".join(f'<sheet name="{name}" sheetId="{n}" r:id="rId{n}"/>' for n, name in _SHEETS.items())
        + "</sheets></workbook>"
    ),
    "xl/_rels/workbook.xml.rels": (
        f'<Relationships xmlns="{_XLSX}/package/2006/relationships">'
        + "".join(
            f'<Relationship Id="rId{n}" Type="{_XLSX}/officeDocument/2006/relationships/worksheet" '
            f'Target="worksheets/sheet{n}.xml"/>'
            for n in _SHEETS
        )
        + "</Relationships>"
    ),
}


def packed(parts):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in parts.items():
            archive.writestr(name, text)
    return file.getvalue()


def sheet(*cells):
    """A sheet of XLSX with these (reference, text or number), by row."""
    rows = defaultdict(list)
    for ref, value in cells:
        text = f' t="inlineStr"><is><t>{value}</t></is></c>'
        cell = f"><v>{value}</v></c>" if isinstance(value, int) else text
        rows[ref.lstrip("ABCDEFX")].append(f'<c r="{ref}"{cell}')
    data = "".join(f'<row r="{number}">{"".join(row)}</row>' for number, row in rows.items())
    return f'<worksheet xmlns="{_XLSX}/spreadsheetml/2006/main"><sheetData>{data}</sheetData></worksheet>'


def xlsx(*cells, doctype=""):
    sheets = {
        "xl/worksheets/sheet1.xml": sheet(("A1", "Welcome")),
        "xl/worksheets/sheet2.xml": doctype + sheet(*cells),
    }
    return packed({**XLSX, **sheets})


def ods(rows):
    names = {
        name: f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"'
        for name in ("office", "table", "text")
    }
    table = f"<office:spreadsheet><table:table table:name='P'>{rows}</table:table></office:spreadsheet>"
    body = f"<office:body>{table}</office:body>"
    content = f"<office:document-content {' '.join(names.values())}>{body}</office:document-content>"
    manifest = '<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"/>'
    kind = "application/vnd.oasis.opendocument.spreadsheet"
    return packed({"mimetype": kind, "META-INF/manifest.xml": manifest, "content.xml": content})


def ods_row(*texts, rows=1, columns=1):
    repeated = "table:number-rows-repeated", "table:number-columns-repeated"
    cells = "".join(
        f'<table:table-cell {repeated[1]}="{columns}"'
        + (f' office:value-type="string"><text:p>{text}</text:p></table:table-cell>' if text else "/>")
        for text in texts
    )
    return f'<table:table-row {repeated[0]}="{rows}">{cells}</table:table-row>'


def people(data):
    return [line.fields for line in read_roster(data).lines]


def test_a_workbook_is_read_from_the_sheet_with_the_names_in_a_known_encoding():
    cells = ("A1", "Name"), ("B1", "Rating"), ("A2", "Łukasz Ńu"), ("B2", 1500)
    roster = read_roster(xlsx(*cells))
    assert (roster.kind, roster.encoding) == ("XLSX: Players", "")
    assert [line.fields for line in roster.lines] == [{"name": "Łukasz Ńu", "rating": 1500}]
    empty = ods_row("", rows=1_048_570, columns=16_384)
    data = ods(ods_row("Name", "Elo") + ods_row("山田太郎", "1400") + empty)
    assert read_roster(data).kind == "ODS: P"
    assert people(data) == [{"name": "山田太郎", "rating": 1400, "rating_source": "Elo"}]
    declared = '<?xml version="1.0" encoding="SUTF-8"?>' + XLSX["xl/workbook.xml"]
    with pytest.raises(RosterError, match="damaged"):
        read_roster(packed({**XLSX, "xl/workbook.xml": declared}))


RELS = "xl/_rels/workbook.xml.rels"
RENAMED = XLSX[RELS].replace("worksheets/sheet1.xml", "styles.xml")
FAR_APART = sheet(("A1", "Name"), ("XFD1048576", "Ada"))
HOSTILE = {
    "far apart": lambda: xlsx(("A1", "Name"), ("XFD1048576", "Ada")),
    "far to the right": lambda: xlsx(("A1", "Name"), ("XFD2", "Ada")),
    "an entity": lambda: xlsx(("A1", "Name"), ("A2", "&a;"), doctype='<!DOCTYPE x [<!ENTITY a "Ada">]>'),
    "a bomb": lambda: packed({**XLSX, "xl/worksheets/sheet1.xml": sheet(("A1", "x" * 40_000_000))}),
    "many parts": lambda: packed({**XLSX, **{f"xl/{n}.xml": "<a/>" for n in range(1001)}}),
    "repeated cells": lambda: ods(ods_row("Name", rows=100_000, columns=100)),
    "repeated far": lambda: ods(ods_row("Name") + ods_row("Ada", rows=1_000_000, columns=16_000)),
    "a sheet under another name": lambda: packed({**XLSX, RELS: RENAMED, "xl/styles.xml": FAR_APART}),
    "no workbook": lambda: packed({"readme.txt": "x"}),
    "cut off": lambda: xlsx(("A1", "Name"))[:-200],
    "a lie about its size": lambda: _with_size_of_one(
        packed({**XLSX, "xl/worksheets/sheet1.xml": sheet(("A1", "x" * 40_000_000))})
    ),
}


def _with_size_of_one(data):
    """The same archive, its parts said to unpack to 1 byte each."""
    data = bytearray(data)
    for start, offset in ((b"PK\x03\x04", 22), (b"PK\x01\x02", 24)):
        at = data.find(start)
        while at >= 0:
            data[at + offset : at + offset + 4] = (1).to_bytes(4, "little")
            at = data.find(start, at + 1)
    return bytes(data)


@pytest.mark.parametrize("make", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_workbook_is_refused_in_words(make):
    with pytest.raises(
        RosterError, match=r"far larger than a list|defines XML entities|damaged|without a workbook"
    ):
        read_roster(make())


@pytest.mark.parametrize("number", range(8))
def test_a_workbook_with_a_byte_changed_is_read_or_refused(number):
    whole = [xlsx(("A1", "Name"), ("A2", "Ada")), ods(ods_row("Name") + ods_row("Ada"))]
    for data in whole:
        for place in range(number, len(data), 8):
            changed = bytearray(data)
            changed[place] ^= 0xFF >> number
            try:
                read_roster(bytes(changed))
            except RosterError as error:
                assert str(error)


TDF = """<?xml version="1.0" encoding="UTF-8"?><tournament type="2"><data><name>X</name></data><players>
<player userid="11"><firstname>Ada</firstname><lastname>van Zyl</lastname><birthdate>02/27/2011</birthdate></player>
<player userid="12"><firstname>Bo</firstname><lastname>Lind</lastname></player></players></tournament>"""
TRF = """012 Some open
001    1 m  g Ash,Ada                           1994 ITA    847542   1993/01/01  1.0    1     2 w 1
001    2      Beech                                0 ITA                          0.0    2     1 b 0
"""


def test_files_of_tom_and_reports_for_fide_give_their_players():
    assert read_roster(TDF.encode()).kind == "TOM"
    assert people(TDF.encode()) == [
        {"name": "Ada van Zyl", "last_name": "van Zyl", "external_id": "11", "labels": ["born 2011"]},
        {"name": "Bo Lind", "last_name": "Lind", "external_id": "12"},
    ]
    same = read_roster(TDF.replace("\n", "").replace('"12"', '"11"').encode())
    assert [str(error) for error in same.refused] == ["Line 1 has the same membership number as line 1."]
    roster = read_roster(TRF.encode())
    assert roster.kind == "TRF" and roster.ignored == ["Sex", "Title", "Federation"]
    ada = {"name": "Ada Ash", "last_name": "Ash", "external_id": "847542", "labels": ["born 1993"]}
    assert people(TRF.encode()) == [
        {**ada, "rating": 1994, "rating_source": "FIDE rating"},
        {"name": "Beech"},
    ]
    assert people(b"001    1      Ash,Ada\n001    2      Beech") == [
        {"name": "Ada Ash", "last_name": "Ash"},
        {"name": "Beech"},
    ]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('<!DOCTYPE x [<!ENTITY a "aaaa">]><tournament><players/></tournament>', "XML entities"),
        (
            '<?xml version="1.0"?>\n<!DOCTYPE t [<!ENTITY a SYSTEM "file:///etc/passwd">]>\n' + TDF[38:],
            "XML entities",
        ),
        (TDF[:-20], "is not valid XML"),
        ("<tournament></tournament>", "There are no players"),
    ],
)
def test_a_hostile_or_broken_file_of_tom_is_refused_in_words(text, words):
    with pytest.raises(RosterError, match=words):
        read_roster(text.encode())
