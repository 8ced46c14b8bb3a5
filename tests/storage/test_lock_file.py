"""Lock files, on systems with flock and on those without."""

import errno
import os
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from ddsr.storage.file_locks import LOCKED_BYTE
from ddsr.storage.lock_file import HeldError, holding, is_signed


class LockedBytes(SimpleNamespace):
    """Stands in for the module msvcrt: one lock per file, held until the test ends."""

    LK_NBLCK = 2

    def __init__(self) -> None:
        super().__init__(held=set(), reason=errno.EACCES)

    def locking(self, descriptor: int, mode: int, n_bytes: int) -> None:
        position = os.lseek(descriptor, 0, os.SEEK_CUR)
        assert (mode, n_bytes, position) == (self.LK_NBLCK, 1, LOCKED_BYTE)
        inode = os.fstat(descriptor).st_ino
        if inode in self.held:
            raise OSError(self.reason, "locked")
        self.held.add(inode)


@pytest.fixture(params=["flock", "msvcrt"])
def system(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """A system that locks files in this way."""
    if request.param == "msvcrt":
        monkeypatch.setitem(sys.modules, "fcntl", None)  # its import fails
        monkeypatch.setitem(sys.modules, "msvcrt", LockedBytes())
        for name in ("O_NOFOLLOW", "O_NONBLOCK", "O_CLOEXEC"):
            monkeypatch.delattr(os, name, raising=False)
    else:
        pytest.importorskip("fcntl")
    return request.param


def test_a_held_lock_names_its_holder(system: str, tmp_path: Path) -> None:
    path = tmp_path / "lock"
    with holding(path), pytest.raises(HeldError, match=f"process {os.getpid()} on "), holding(path):
        pass
    assert is_signed(path)


def test_the_content_of_a_file_that_ddsr_did_not_sign_is_kept(system: str, tmp_path: Path) -> None:
    path = tmp_path / "lock"
    path.write_text("mine")
    with holding(path):
        assert path.read_text() == "mine"
    assert path.stat().st_size == len("mine")


def test_a_symbolic_link_is_refused(system: str, tmp_path: Path) -> None:
    (tmp_path / "target").touch()
    (tmp_path / "lock").symlink_to(tmp_path / "target")
    with pytest.raises(OSError, match="lock is a symbolic link"), holding(tmp_path / "lock"):
        pass


def test_another_failure_is_not_taken_for_a_held_lock(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    failing = LockedBytes()
    failing.reason = errno.ENOLCK
    monkeypatch.setitem(sys.modules, "fcntl", None)
    monkeypatch.setitem(sys.modules, "msvcrt", failing)
    with (
        holding(tmp_path / "lock"),
        pytest.raises(OSError, match="locked") as raised,
        holding(tmp_path / "lock"),
    ):
        pass
    assert not isinstance(raised.value, HeldError)
