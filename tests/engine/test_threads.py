"""The number of threads: a program sets it and reads it, and nothing else comes of it."""

from engines import assert_alike


def test_the_number_is_kept_and_checked() -> None:
    lines = ["torch.set_num_threads(1)", "torch.get_num_threads()"]
    refused = [f"torch.set_num_threads({each})" for each in ("'a'", "0", "-1", "1.5", "None", "True")]
    assert_alike([*lines, *refused, "torch.get_num_threads()"])
