"""The preset `paper` with networks and batches that take no time."""

from ddsr import DDSRRegressor

SMALL = {"max_length": 6, "batch_size": 20, "updates_per_epoch": 1, "denoiser": {"feed_forward_width": 32}}


def make(method, seed, time, epochs, threads, device):
    return DDSRRegressor(
        method, max_epochs=epochs, n_jobs=threads, random_state=seed, device=device, config=SMALL
    )
