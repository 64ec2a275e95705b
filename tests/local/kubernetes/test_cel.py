"""CEL rules as the API server runs them: what they see, and when they run."""

from __future__ import annotations

import pytest

from hooks.local.kubernetes.schema import Schema


def spec(rule, **field):
    """A schema whose one field carries a rule."""
    return Schema(
        {
            "type": "object",
            "properties": {"f": {**field, "x-kubernetes-validations": [{"rule": rule, "message": "no"}]}},
        }
    )


def verdict(schema, new, old=None):
    return [str(fault) for fault in schema.validate({"f": new}, {"f": old} if old is not None else None)]


@pytest.mark.parametrize(
    ("rule", "field", "good", "bad"),
    [
        ("self > 1", {"type": "integer"}, 2, 1),
        ("self % 2 == 0", {"type": "integer"}, 2.0, 1),
        ("self * 2.0 > 3.0", {"type": "number"}, 2, 1),
        ("self.startsWith('a')", {"type": "string"}, "ab", "b"),
        ("self.matches('^a+$')", {"type": "string"}, "aa", "ab"),
        ("self.all(x, x > 0)", {"type": "array", "items": {"type": "integer"}}, [1, 2], [0]),
        ("self.exists_one(x, x == 'a')", {"type": "array", "items": {"type": "string"}}, ["a", "b"], ["a", "a"]),
        ("isIP(self)", {"type": "string"}, "10.0.0.1", "10.0.0"),
        ("isCIDR(self)", {"type": "string"}, "10.0.0.0/8", "x"),
        ("self.split(',').size() == 2", {"type": "string"}, "a,b", "a"),
        ("self.lowerAscii() == 'a'", {"type": "string"}, "A", "B"),
        (
            "self > timestamp('2026-01-01T00:00:00Z')",
            {"type": "string", "format": "date-time"},
            "2026-02-01T00:00:00Z",
            "2025-02-01T00:00:00Z",
        ),
        (
            "has(self.a__dash__b) && self.__in__ == 1",
            {"type": "object", "properties": {"a-b": {"type": "string"}, "in": {"type": "integer"}}},
            {"a-b": "x", "in": 1},
            {"in": 1},
        ),
        (
            "self['a-b'] == 'x'",
            {"type": "object", "additionalProperties": {"type": "string"}},
            {"a-b": "x"},
            {"a-b": "y"},
        ),
    ],
)
def test_a_rule_says_yes_or_no(rule, field, good, bad):
    schema = spec(rule, **field)
    assert verdict(schema, good) == []
    assert verdict(schema, bad) == [f'f: Invalid value: "{field["type"]}": no']


def test_a_transition_rule_needs_an_old_value():
    schema = spec("self == oldSelf", type="string")
    assert verdict(schema, "a") == []
    assert verdict(schema, "a", "a") == []
    assert verdict(schema, "a", "b") == ['f: Invalid value: "string": no']


def test_with_an_optional_old_self_it_runs_always():
    rule = {"rule": "oldSelf.hasValue() ? oldSelf.value() == self : self == 'new'", "optionalOldSelf": True}
    schema = Schema({"type": "object", "properties": {"f": {"type": "string", "x-kubernetes-validations": [rule]}}})
    assert verdict(schema, "new") == []
    assert len(verdict(schema, "old")) == 1
    assert verdict(schema, "old", "old") == []
    assert len(verdict(schema, "other", "old")) == 1


def test_items_of_a_keyed_list_have_their_own_old_self():
    item = {
        "type": "object",
        "properties": {"name": {"type": "string"}, "n": {"type": "integer"}},
        "x-kubernetes-validations": [{"rule": "self.n >= oldSelf.n", "message": "no"}],
    }
    keyed = {"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"]}
    schema = Schema({"type": "object", "properties": {"f": {"type": "array", "items": item, **keyed}}})
    old = [{"name": "a", "n": 5}, {"name": "b", "n": 1}]
    assert verdict(schema, [{"name": "b", "n": 2}, {"name": "c", "n": 0}, {"name": "a", "n": 5}], old) == []
    assert verdict(schema, [{"name": "b", "n": 0}], old) == ['f[0]: Invalid value: "object": no']


def test_a_rule_without_a_message_is_quoted():
    schema = Schema(
        {"type": "object", "properties": {"f": {"type": "integer", "x-kubernetes-validations": [{"rule": "self > 1"}]}}}
    )
    assert verdict(schema, 0) == ['f: Invalid value: "integer": failed rule: self > 1']


def test_rules_of_untouched_values_do_not_block():
    schema = Schema(
        {
            "type": "object",
            "properties": {
                "f": {"type": "integer", "x-kubernetes-validations": [{"rule": "self > 1"}]},
                "g": {"type": "integer"},
            },
        }
    )
    assert schema.validate({"f": 0, "g": 2}, {"f": 0, "g": 1}) == []
    assert len(schema.validate({"f": -1, "g": 2}, {"f": 0, "g": 1})) == 1
