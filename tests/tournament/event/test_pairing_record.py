import pytest

from tournament.event.pairing_record import (
    CostChange,
    CriterionLine,
    Edit,
    PairingRecord,
    PairingRun,
    RepairMade,
)

WHOLE = {
    "attempt": 2,
    "certificate": [
        {"bound": [0, 4], "criterion": "score_difference", "optimal": True, "proof": "", "value": [0, 4]},
        {"bound": 0, "criterion": "repeats", "optimal": False, "proof": "not proved", "value": 1, "new": [1]},
    ],
    "digest": "d2",
    "edits": [
        {
            "cost": [["repeats", 0, 1], ["score_difference", [0, 0], [4, 0]]],
            "kind": "swap",
            "players": ["P1", "P3"],
            "reason": "sisters",
            "tables": [1, None],
            "unit": 2,
        },
        {"kind": "coin", "players": ["P1"], "reason": "", "tables": [1]},
    ],
    "engine": "swiss 4",
    "forbidden": [["P1", "P2"]],
    "locked": [["P5", "P6"], ["P7", None]],
    "reasons": {"P1": "Rematch.", "P2": {"code": "repeat"}},
    "repairs": [
        {
            "before": {"attempt": 1, "digest": "d1", "engine": "swiss 4"},
            "gone": [["P1", "P2"]],
            "in": ["P9"],
            "option": "keep",
            "out": [],
            "reason": "train",
            "revision": 31,
            "stood": [["P5", "P6"]],
            "tables": [1],
        }
    ],
    "revision": 12,
    "seed": "00",
    "unit": 2,
}
ODD = [
    {},
    {"attempt": 1},
    {"attempt": 1, "digest": "d", "engine": "swiss 4"},
    {"attempt": None, "certificate": None, "edits": [], "locked": [], "unit": 1, "seed": None},
    {"attempt": "2", "certificate": "none", "edits": [["swap"]], "forbidden": [["P1"]], "reasons": []},
    {
        "repairs": [{"option": "keep", "before": {}}],
        "edits": [{"kind": "swap", "by": "P1"}],
        "other": {"a": 1},
    },
]


@pytest.mark.parametrize("data", [WHOLE, *ODD])
def test_what_was_read_is_written_as_it_was(data):
    assert PairingRecord.from_json(data).to_json() == data


def test_a_change_leaves_the_rest_as_it_was_and_another_shape_reads_as_nothing():
    data = {**WHOLE, "other": 1}
    record = PairingRecord.from_json(data)
    edit = Edit("first", ("P4",), (2,), "asked for")
    output = record.replace(edits=(*record.edits, edit), locks=()).to_json()
    assert "locked" not in output
    assert output.pop("edits") == [
        *WHOLE["edits"],
        {"kind": "first", "players": ["P4"], "tables": [2], "reason": "asked for"},
    ]
    assert output == {key: value for key, value in data.items() if key not in ("edits", "locked")}
    record = PairingRecord.from_json(ODD[4])
    assert (record.run_number, record.certificate, record.edits, record.prohibited_pairs) == (1, (), (), None)
    assert PairingRecord.from_json(None) == PairingRecord()


def test_every_part_has_a_name_and_a_type_and_is_written_whole():
    record = PairingRecord.from_json(WHOLE)
    assert record.certificate[0] == CriterionLine("score_difference", (0, 4), (0, 4), True, "")
    assert record.edits[0].cost[1] == CostChange("score_difference", (0, 0), (4, 0))
    assert record.prohibited_pairs == (("P1", "P2"),) and record.locks == (("P5", "P6"), ("P7", None))
    [repair] = record.repairs
    assert repair == RepairMade(
        option="keep", tables=(1,), added=("P9",), removed=(), finished=(("P5", "P6"),), gone=(("P1", "P2"),),
        before=PairingRun(1, "swiss 4", "d1"), reason="train", revision=31,
    )  # fmt: skip
    assert record.kept_tables == repair.finished
    lines = [{key: line[key] for key in line if key != "new"} for line in WHOLE["certificate"]]
    assert record.replace(extra={}).to_json() == {**WHOLE, "certificate": lines}
    assert PairingRecord().to_json() == {}
