"""The ``vmap`` rule of a custom Function gives other results than separate calls."""

from __future__ import annotations

from gradviz.catalogue.diagnoses.declaration import DiagnosisInfo

WRONG_VMAP_RULE = DiagnosisInfo(
    code="wrong_vmap_rule",
    title="vmap rule is wrong",
    is_observation=True,
    guide="`torch.vmap` over the Function raises, or gives other values or gradients than separate "
    "calls",
    messages={
        "wrong_vmap_rule.raises": (
            "torch.vmap over {function} raises an exception, although separate calls do not. Check "
            "its vmap rule."
        ),
        "wrong_vmap_rule.values": (
            "torch.vmap over {function} gives other results than separate calls. Check its vmap "
            "rule."
        ),
        "wrong_vmap_rule.gradients": (
            "torch.vmap over {function} gives the same values as separate calls, but other "
            "gradients. Check whether autograd can differentiate what its vmap rule computes."
        ),
        "wrong_vmap_rule.generated": (
            "Torch generates the rule from forward and backward (generate_vmap_rule = True)."
        ),
        "wrong_vmap_rule.raised": "With in_dims={dims}, vmap raised {error}",
        "wrong_vmap_rule.count": (
            "With in_dims={dims}, vmap returns {found} outputs instead of {expected}."
        ),
        "wrong_vmap_rule.shape": (
            "With in_dims={dims}, the shape of {name} is {found} instead of {expected}."
        ),
        "wrong_vmap_rule.differs": (
            "With in_dims={dims}, {name} differs by up to {distance:.3g} from that of separate "
            "calls."
        ),
        "wrong_vmap_rule.gradient_differs": (
            "With in_dims={dims}, the gradient of {name} differs by up to {distance:.3g} from that "
            "of separate calls."
        ),
    },
)
