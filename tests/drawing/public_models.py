"""Ten public architectures as their authors wrote them; the widths are small by default."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import cast

import torch
from torch import Tensor, nn
from torch.nn import functional


class CausalSelfAttention(nn.Module):
    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.c_attn = nn.Linear(width, 3 * width)
        self.c_proj = nn.Linear(width, width)
        self.heads = heads

    def forward(self, x: Tensor) -> Tensor:
        batch, length, width = x.shape
        parts = self.c_attn(x).split(width, dim=2)
        shape = (batch, length, self.heads, width // self.heads)
        q, k, v = (part.view(shape).transpose(1, 2) for part in parts)
        y = functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        out: Tensor = self.c_proj(y.transpose(1, 2).reshape(batch, length, width))
        return out


class GPTMLP(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.c_fc = nn.Linear(width, 4 * width)
        self.gelu = nn.GELU(approximate="tanh")
        self.c_proj = nn.Linear(4 * width, width)

    def forward(self, x: Tensor) -> Tensor:
        out: Tensor = self.c_proj(self.gelu(self.c_fc(x)))
        return out


class Block(nn.Module):
    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.ln_1 = nn.LayerNorm(width)
        self.attn = CausalSelfAttention(width, heads)
        self.ln_2 = nn.LayerNorm(width)
        self.mlp = GPTMLP(width)

    def forward(self, x: Tensor) -> Tensor:
        x = x + self.attn(self.ln_1(x))
        x = x + self.mlp(self.ln_2(x))
        return x


class GPT(nn.Module):
    def __init__(self, width: int, heads: int, blocks: int, words: int, length: int) -> None:
        super().__init__()
        wte = nn.Embedding(words, width)
        self.transformer = nn.ModuleDict(
            {
                "wte": wte,
                "wpe": nn.Embedding(length, width),
                "h": nn.ModuleList([Block(width, heads) for _ in range(blocks)]),
                "ln_f": nn.LayerNorm(width),
            }
        )
        self.lm_head = nn.Linear(width, words, bias=False)
        self.lm_head.weight = wte.weight

    def forward(self, words: Tensor) -> Tensor:
        wte, wpe, blocks, ln_f = self.transformer.values()
        x: Tensor = wte(words) + wpe(torch.arange(words.shape[1]))
        for block in cast("nn.Sequential", blocks):
            x = block(x)
        logits: Tensor = self.lm_head(ln_f(x))
        return logits.flatten(0, 1)


class Bottleneck(nn.Module):
    def __init__(self, inside: int, width: int, stride: int, downsample: nn.Module | None) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(inside, width, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(width)
        self.conv2 = nn.Conv2d(width, width, 3, stride, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(width)
        self.conv3 = nn.Conv2d(width, 4 * width, 1, bias=False)
        self.bn3 = nn.BatchNorm2d(4 * width)
        self.relu = nn.ReLU(inplace=True)
        self.downsample = downsample

    def forward(self, x: Tensor) -> Tensor:
        out = self.relu(self.bn1(self.conv1(x)))
        out = self.relu(self.bn2(self.conv2(out)))
        out = self.bn3(self.conv3(out))
        out += x if self.downsample is None else self.downsample(x)
        last: Tensor = self.relu(out)
        return last


class ResNet(nn.Module):
    def __init__(self, width: int, blocks: tuple[int, ...] = (3, 4, 6, 3)) -> None:
        super().__init__()
        self.inside = width
        self.conv1 = nn.Conv2d(3, width, 7, 2, 3, bias=False)
        self.bn1 = nn.BatchNorm2d(width)
        self.relu = nn.ReLU(inplace=True)
        self.maxpool = nn.MaxPool2d(3, 2, 1)
        self.layer1 = self._layer(width, blocks[0], 1)
        self.layer2 = self._layer(2 * width, blocks[1], 2)
        self.layer3 = self._layer(4 * width, blocks[2], 2)
        self.layer4 = self._layer(8 * width, blocks[3], 2)
        self.avgpool = nn.AdaptiveAvgPool2d((1, 1))
        self.fc = nn.Linear(32 * width, 10)

    def _layer(self, width: int, blocks: int, stride: int) -> nn.Sequential:
        downsample = nn.Sequential(
            nn.Conv2d(self.inside, 4 * width, 1, stride, bias=False), nn.BatchNorm2d(4 * width)
        )
        first = Bottleneck(self.inside, width, stride, downsample)
        self.inside = 4 * width
        more = [Bottleneck(self.inside, width, 1, None) for _ in range(blocks - 1)]
        return nn.Sequential(first, *more)

    def forward(self, x: Tensor) -> Tensor:
        x = self.maxpool(self.relu(self.bn1(self.conv1(x))))
        x = self.layer4(self.layer3(self.layer2(self.layer1(x))))
        out: Tensor = self.fc(torch.flatten(self.avgpool(x), 1))
        return out


class UnrolledLSTM(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.cell = nn.LSTMCell(width, width)
        self.head = nn.Linear(width, 10)

    def forward(self, x: Tensor) -> Tensor:
        h = c = x.new_zeros(x.shape[0], x.shape[2])
        for at in range(x.shape[1]):
            h, c = self.cell(x[:, at], (h, c))
        out: Tensor = self.head(h)
        return out


class EncoderClassifier(nn.Module):
    def __init__(self, width: int, layers: int, words: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(words, width)
        layer = nn.TransformerEncoderLayer(width, 4, 4 * width, dropout=0.0, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, layers)
        self.head = nn.Linear(width, 10)

    def forward(self, words: Tensor) -> Tensor:
        out: Tensor = self.head(self.encoder(self.embedding(words)).mean(1))
        return out


class DoubleConv(nn.Module):
    def __init__(self, inside: int, outside: int) -> None:
        super().__init__()
        self.double_conv = nn.Sequential(
            nn.Conv2d(inside, outside, 3, padding=1, bias=False),
            nn.BatchNorm2d(outside),
            nn.ReLU(inplace=True),
            nn.Conv2d(outside, outside, 3, padding=1, bias=False),
            nn.BatchNorm2d(outside),
            nn.ReLU(inplace=True),
        )

    def forward(self, x: Tensor) -> Tensor:
        out: Tensor = self.double_conv(x)
        return out


class Up(nn.Module):
    def __init__(self, inside: int, outside: int) -> None:
        super().__init__()
        self.up = nn.ConvTranspose2d(inside, outside, 2, 2)
        self.conv = DoubleConv(inside, outside)

    def forward(self, x: Tensor, skipped: Tensor) -> Tensor:
        out: Tensor = self.conv(torch.cat([skipped, self.up(x)], dim=1))
        return out


class UNet(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.inc = DoubleConv(3, width)
        self.down1 = nn.Sequential(nn.MaxPool2d(2), DoubleConv(width, 2 * width))
        self.down2 = nn.Sequential(nn.MaxPool2d(2), DoubleConv(2 * width, 4 * width))
        self.down3 = nn.Sequential(nn.MaxPool2d(2), DoubleConv(4 * width, 8 * width))
        self.down4 = nn.Sequential(nn.MaxPool2d(2), DoubleConv(8 * width, 16 * width))
        self.up1 = Up(16 * width, 8 * width)
        self.up2 = Up(8 * width, 4 * width)
        self.up3 = Up(4 * width, 2 * width)
        self.up4 = Up(2 * width, width)
        self.outc = nn.Conv2d(width, 10, 1)

    def forward(self, x: Tensor) -> Tensor:
        x1 = self.inc(x)
        x2 = self.down1(x1)
        x3 = self.down2(x2)
        x4 = self.down3(x3)
        x = self.up4(self.up3(self.up2(self.up1(self.down4(x4), x4), x3), x2), x1)
        out: Tensor = self.outc(x)
        return out.flatten(2).mean(2)


class EncoderBlock(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.ln_1 = nn.LayerNorm(width)
        self.self_attention = nn.MultiheadAttention(width, 4, batch_first=True)
        self.ln_2 = nn.LayerNorm(width)
        self.mlp = nn.Sequential(
            nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width)
        )

    def forward(self, x: Tensor) -> Tensor:
        y = self.ln_1(x)
        x = x + self.self_attention(y, y, y, need_weights=False)[0]
        x = x + self.mlp(self.ln_2(x))
        return x


class VisionTransformer(nn.Module):
    def __init__(self, width: int, layers: int, patch: int, patches: int) -> None:
        super().__init__()
        self.conv_proj = nn.Conv2d(3, width, patch, patch)
        self.class_token = nn.Parameter(torch.zeros(1, 1, width))
        self.pos_embedding = nn.Parameter(torch.randn(1, patches + 1, width) / 50)
        self.encoder = nn.Sequential(*(EncoderBlock(width) for _ in range(layers)))
        self.ln = nn.LayerNorm(width)
        self.heads = nn.Linear(width, 10)

    def forward(self, x: Tensor) -> Tensor:
        x = self.conv_proj(x).flatten(2).transpose(1, 2)
        x = torch.cat([self.class_token.expand(len(x), -1, -1), x], dim=1) + self.pos_embedding
        out: Tensor = self.heads(self.ln(self.encoder(x))[:, 0])
        return out


class VGG(nn.Module):
    def __init__(self, width: int, side: int) -> None:
        super().__init__()
        parts: list[nn.Module] = []
        inside = 3
        for outside, times in ((1, 2), (2, 2), (4, 3), (8, 3), (8, 3)):
            for _ in range(times):
                parts += [nn.Conv2d(inside, outside * width, 3, padding=1), nn.ReLU(inplace=True)]
                inside = outside * width
            parts.append(nn.MaxPool2d(2, 2))
        self.features = nn.Sequential(*parts)
        last = side // 32
        self.classifier = nn.Sequential(
            nn.Linear(8 * width * last * last, 64 * width),
            nn.ReLU(inplace=True),
            nn.Dropout(),
            nn.Linear(64 * width, 64 * width),
            nn.ReLU(inplace=True),
            nn.Dropout(),
            nn.Linear(64 * width, 10),
        )

    def forward(self, x: Tensor) -> Tensor:
        out: Tensor = self.classifier(torch.flatten(self.features(x), 1))
        return out


def generator(noise: int, width: int) -> nn.Sequential:
    """The generator of DCGAN."""
    sizes = (noise, 8 * width, 4 * width, 2 * width, width)
    parts: list[nn.Module] = []
    for at, (inside, outside) in enumerate(itertools.pairwise(sizes)):
        stride, padding = (1, 0) if at == 0 else (2, 1)
        parts += [
            nn.ConvTranspose2d(inside, outside, 4, stride, padding, bias=False),
            nn.BatchNorm2d(outside),
            nn.ReLU(True),
        ]
    return nn.Sequential(*parts, nn.ConvTranspose2d(width, 3, 4, 2, 1, bias=False), nn.Tanh())


def discriminator(width: int) -> nn.Sequential:
    """The discriminator of DCGAN."""
    parts: list[nn.Module] = [nn.Conv2d(3, width, 4, 2, 1, bias=False), nn.LeakyReLU(0.2, True)]
    for at in range(3):
        inside = width * 2**at
        parts += [
            nn.Conv2d(inside, 2 * inside, 4, 2, 1, bias=False),
            nn.BatchNorm2d(2 * inside),
            nn.LeakyReLU(0.2, True),
        ]
    return nn.Sequential(*parts, nn.Conv2d(8 * width, 1, 4, 1, 0, bias=False), nn.Sigmoid())


class MixerBlock(nn.Module):
    def __init__(self, width: int, tokens: int) -> None:
        super().__init__()
        self.norm1 = nn.LayerNorm(width)
        self.mlp_tokens = nn.Sequential(
            nn.Linear(tokens, 2 * tokens), nn.GELU(), nn.Linear(2 * tokens, tokens)
        )
        self.norm2 = nn.LayerNorm(width)
        self.mlp_channels = nn.Sequential(
            nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width)
        )

    def forward(self, x: Tensor) -> Tensor:
        x = x + self.mlp_tokens(self.norm1(x).transpose(1, 2)).transpose(1, 2)
        x = x + self.mlp_channels(self.norm2(x))
        return x


class MLPMixer(nn.Module):
    def __init__(self, width: int, blocks: int, patch: int, tokens: int) -> None:
        super().__init__()
        self.stem = nn.Conv2d(3, width, patch, patch)
        self.blocks = nn.Sequential(*(MixerBlock(width, tokens) for _ in range(blocks)))
        self.norm = nn.LayerNorm(width)
        self.head = nn.Linear(width, 10)

    def forward(self, x: Tensor) -> Tensor:
        x = self.stem(x).flatten(2).transpose(1, 2)
        out: Tensor = self.head(self.norm(self.blocks(x)).mean(1))
        return out


class Seq2Seq(nn.Module):
    def __init__(self, width: int, words: int) -> None:
        super().__init__()
        self.encoder_embedding = nn.Embedding(words, width)
        self.encoder = nn.GRU(width, width, num_layers=2, batch_first=True)
        self.decoder_embedding = nn.Embedding(words, width)
        self.decoder = nn.GRU(2 * width, width, batch_first=True)
        self.attention = nn.Linear(2 * width, 1)
        self.out = nn.Linear(width, words)

    def forward(self, source: Tensor, target: Tensor) -> Tensor:
        seen, hidden = self.encoder(self.encoder_embedding(source))
        state = hidden[-1:]
        found = []
        for at in range(target.shape[1]):
            query = state[-1].unsqueeze(1).expand_as(seen)
            weights = self.attention(torch.cat([seen, query], dim=2)).softmax(dim=1)
            context = (weights * seen).sum(1, keepdim=True)
            word = self.decoder_embedding(target[:, at : at + 1])
            step, state = self.decoder(torch.cat([word, context], dim=2), state)
            found.append(self.out(step))
        return torch.cat(found, dim=1).flatten(0, 1)


Iteration = Callable[[], None]
"""One iteration of a training."""


def _classifies(model: nn.Module, inputs: tuple[Tensor, ...], targets: Tensor) -> Iteration:
    """Train a model on classes, one for each row of its output."""
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)

    def iterate() -> None:
        optimizer.zero_grad()
        loss = functional.cross_entropy(model(*inputs), targets)
        loss.backward()
        optimizer.step()

    return iterate


def _of_pictures(model: nn.Module, side: int) -> Iteration:
    return _classifies(model, (torch.randn(2, 3, side, side),), torch.arange(2))


def _gpt2(full: bool) -> Iteration:
    width, heads, length, words = (768, 12, 128, 50257) if full else (8, 2, 4, 16)
    text = torch.randint(0, words, (1, length + 1))
    model = GPT(width, heads, 12, words, 1024 if full else length)
    return _classifies(model, (text[:, :-1],), text[0, 1:])


def _encoder(full: bool) -> Iteration:
    width, words, length = (512, 10000, 64) if full else (8, 16, 4)
    text = torch.randint(0, words, (2, length))
    return _classifies(EncoderClassifier(width, 12, words), (text,), torch.arange(2))


def _lstm(full: bool) -> Iteration:
    width, steps = (128, 1000) if full else (4, 200)
    return _classifies(UnrolledLSTM(width), (torch.randn(2, steps, width),), torch.arange(2))


def _seq2seq(full: bool) -> Iteration:
    width, words, length = (256, 5000, 12) if full else (4, 16, 6)
    source, target = torch.randint(0, words, (2, 2, length))
    return _classifies(Seq2Seq(width, words), (source, target), target.flatten())


def _dcgan(full: bool) -> Iteration:
    width = 64 if full else 2
    net_g, net_d = generator(100, width), discriminator(width)
    steps = [torch.optim.Adam(net.parameters()) for net in (net_d, net_g)]

    def error(pictures: Tensor, label: float) -> Tensor:
        found = net_d(pictures).flatten()
        return functional.binary_cross_entropy(found, torch.full_like(found, label))

    def iterate() -> None:
        net_d.zero_grad()
        fake = net_g(torch.randn(2, 100, 1, 1))
        error_d = error(torch.randn(2, 3, 64, 64), 1.0) + error(fake.detach(), 0.0)
        error_d.backward()
        steps[0].step()
        net_g.zero_grad()
        error_g = error(fake, 1.0)
        error_g.backward()
        steps[1].step()

    return iterate


def _vit(full: bool) -> Iteration:
    width, patch, side = (768, 16, 224) if full else (8, 4, 8)
    return _of_pictures(VisionTransformer(width, 12, patch, (side // patch) ** 2), side)


def _mixer(full: bool) -> Iteration:
    width, patch, side = (512, 16, 224) if full else (8, 4, 8)
    return _of_pictures(MLPMixer(width, 8, patch, (side // patch) ** 2), side)


TRAININGS: dict[str, Callable[[bool], Iteration]] = {
    "gpt2": _gpt2,
    "resnet50": lambda full: _of_pictures(ResNet(64 if full else 2), 224 if full else 32),
    "lstm": _lstm,
    "encoder": _encoder,
    "unet": lambda full: _of_pictures(UNet(64 if full else 2), 128 if full else 32),
    "vit": _vit,
    "vgg16": lambda full: _of_pictures(
        VGG(64 if full else 2, 224 if full else 32), 224 if full else 32
    ),
    "dcgan": _dcgan,
    "mixer": _mixer,
    "seq2seq": _seq2seq,
}
"""Builders by name; with true, of the published sizes."""
