import numpy as np
import torch
import torch.nn as nn

img = np.arange(5 * 4 * 3, dtype=np.uint8).reshape(5, 4, 3)    # H, W, C
conv = nn.Conv2d(3, 8, kernel_size=3, stride=2)
t = torch.from_numpy(img)
for x in (t, t.float() / 255, t.permute(2, 0, 1), (t.float() / 255).permute(2, 0, 1)):
    try:
        print(x.dtype, tuple(x.shape), "->", conv(x.unsqueeze(0)).shape)
    except RuntimeError as e:
        print(x.dtype, tuple(x.shape), "->", e)
