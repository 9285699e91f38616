"""What a program did, for `--story`: its passes, which leaf got which gradient, and where a graph ends."""

from __future__ import annotations

from minigrad_course.explain.observing.story import Story

MOST = 20  # leaves that are listed
WORDS = {"none": "None", "nan": "not finite", "zero": "all zeros", "ok": "filled"}


def account(story: Story, so_far: bool = False) -> list[str]:
    """Lines of what a program did, or has done so far."""
    passes, steps = len(story.seen.losses) - (story.seen.failed is not None), story.seen.steps.count
    begin = "So far" if so_far else "It ran to its end" if story.error is None else "Before the error"
    out = [f"{begin}: {counted(passes, 'backward pass', 'backward passes')}, {counted(steps, 'step')} of optimizers."]
    losses = [value for value in story.seen.losses if value is not None]
    if len(losses) > 1:
        out.append(f"  The passes started from {losses[0]:.4g} at first, from {losses[-1]:.4g} at the end.")
    leaves = [*story.leaves.values()]
    for one in leaves[:MOST]:
        grad = getattr(one.now, "grad", None)
        if grad is not None and grad.numel() <= 6 and grad.layout is not None and not grad.is_sparse:
            told = f".grad is {' '.join(str(grad).split())}"
        elif one.n in story.reached:
            told = (
                f".grad is {WORDS[story.gradient(one)]}"
                if grad is not None
                else ".grad is None again; a pass filled it"
            )
        else:
            told = ".grad is None; no pass has reached it"
        moved = ", and its numbers have changed" if story.moved(one) else ""
        out.append(f"  {story.say(one)}, shape {list(one.shape)}: {told}{moved}.")
    if len(leaves) > MOST:
        out.append(f"  … and {len(leaves) - MOST} more.")
    ends: dict[str, None] = {}
    for event in story.ok[:5]:
        for root in event.ins:
            for where, what in story.cuts(root):
                if where.place is not None:
                    ends[f"  A graph ends on {story.at(where)} (`{story.source(where)}`): {story.say(what)}."] = None
    return out + [*ends][:5]


def counted(many: int, one: str, more: str | None = None) -> str:
    """`1 step`, `2 steps`."""
    return f"{many} {one if many == 1 else more or one + 's'}"
