"""Random programs about the form of tensors print on minigrad what they print on torch.

Each topic has a file of its own, so that the workers of a parallel run share them.
"""

from writer import campaign, shapes


def test_random_programs_print_what_torch_prints() -> None:
    campaign.run(shapes)
