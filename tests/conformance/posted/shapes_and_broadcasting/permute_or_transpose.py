import torch

img = torch.arange(24).reshape(2, 3, 4)      # H, W, C
chw = img.permute(2, 0, 1)
print(chw.shape)
print(chw[0])
print(img.transpose(0, 2).shape)
wrong = img.view(4, 2, 3)                    # not the same thing!
print(torch.equal(chw, wrong))
print(img.movedim(-1, 0).shape, img.mT.shape)
