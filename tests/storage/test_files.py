"""Files are complete or absent."""

import os

import pytest

from ddsr.errors import RunError
from ddsr.storage.files import clear_leftovers, parse_json, read_whole, write_whole


def test_a_file_is_replaced_in_one_step(tmp_path, monkeypatch):
    path = tmp_path / "file"
    write_whole(path, b"old")
    seen = []
    replace = os.replace

    def watched(source, target):
        seen.append((path.read_bytes(), source.read_bytes()))
        replace(source, target)

    monkeypatch.setattr(os, "replace", watched)
    write_whole(path, b"new and longer")
    assert seen == [(b"old", b"new and longer")]
    assert path.read_bytes() == b"new and longer"
    assert os.listdir(tmp_path) == ["file"]


@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_a_failed_write_keeps_the_old_file(tmp_path, monkeypatch, error):
    path = tmp_path / "file"
    write_whole(path, b"old")

    def failing(descriptor):
        raise error

    monkeypatch.setattr(os, "fsync", failing)
    with pytest.raises((RunError, KeyboardInterrupt)) as raised:
        write_whole(path, b"new")
    if isinstance(error, OSError):
        assert str(raised.value) == f"cannot write {path}: No space left on device"
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["file"]


def test_files_that_cannot_be_read(tmp_path):
    with pytest.raises(RunError, match=f"there is no thing at {tmp_path / 'none'}"):
        read_whole(tmp_path / "none", "thing")
    with pytest.raises(RunError, match="cannot read"):
        read_whole(tmp_path, "thing")


def test_leftovers(tmp_path):
    (tmp_path / ".state.npz.17.being-written").write_bytes(b"half")
    (tmp_path / ".hidden").write_bytes(b"mine")
    clear_leftovers(tmp_path)
    assert os.listdir(tmp_path) == [".hidden"]


@pytest.mark.parametrize("text", ['{"a": "\\ud800"}', b'["\\uDFFF x"]', '{"\\ud83d": 1}'])
def test_unencodable_text_is_not_json(text):
    with pytest.raises(ValueError, match="lone surrogate"):
        parse_json(text)


def test_escaped_characters_are_read():
    assert parse_json('["\\ud83d\\ude00", "\\u00e9"]') == ["\U0001f600", "é"]
