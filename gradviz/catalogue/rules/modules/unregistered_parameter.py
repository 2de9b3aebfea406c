"""A module uses a Parameter that no module has registered."""

from __future__ import annotations

from gradviz.catalogue.rules.declaration import DoctorRule

UNREGISTERED_PARAMETER = DoctorRule(
    id="GV701",
    code="unregistered_parameter",
    title="Unregistered parameter",
    severity="warning",
    evidence=("run",),
    summary="A module uses a Parameter that no module has registered.",
    why=(
        "Parameters and buffers belong in a Module that registers them. parameters(), to() "
        "and state_dict() miss an unregistered one, so it is not trained, moved or saved."
    ),
    remedy=("Make it an attribute of the module, or use ParameterList or register_buffer."),
    messages={
        "finding.unregistered_parameter": (
            "{module} uses a Parameter that none of the called modules has registered: "
            "parameters() and to() miss it, and so does the optimizer. Make it an attribute "
            "of a module, or put it in a ParameterList."
        ),
    },
    bad="""\
class Scale(nn.Module):
    def __init__(self):
        super().__init__()
        self.factors = [nn.Parameter(torch.ones(2, dtype=torch.float64))]

    def forward(self, x):
        return x * self.factors[0]


Scale()(x).sum().backward()
""",
    good="""\
class Scale(nn.Module):
    def __init__(self):
        super().__init__()
        self.factors = nn.ParameterList([nn.Parameter(torch.ones(2, dtype=torch.float64))])

    def forward(self, x):
        return x * self.factors[0]


Scale()(x).sum().backward()
""",
)
