"""Files of saved states: which are kept, which is read."""

import numpy as np

from ddsr.runs.states import State, forget_after, has_states, newest_state, write_state


def write(folder, n_epochs):
    write_state(folder, State({"values": np.full(3, n_epochs)}, n_epochs, 0.5 * n_epochs, None))


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_the_newest_two_are_kept(tmp_path):
    assert not has_states(tmp_path) and newest_state(tmp_path) is None
    for n_epochs in (1, 2, 9, 10, 100):
        write(tmp_path, n_epochs)
    assert names(tmp_path) == ["state-00000010.npz", "state-00000100.npz"]
    newest = newest_state(tmp_path)
    assert (newest.n_epochs, newest.seconds, newest.stopped_by) == (100, 50.0, None)
    assert newest.fit["values"].tolist() == [100, 100, 100]


def test_a_fit_that_went_back_forgets_what_came_later(tmp_path):
    write(tmp_path, 3)
    write(tmp_path, 7)
    forget_after(tmp_path, 3)
    assert names(tmp_path) == ["state-00000003.npz"]
    forget_after(tmp_path, 0)
    assert not has_states(tmp_path)
