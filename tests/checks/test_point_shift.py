import torch

from gradviz.checks.random_tensors import nudge
from gradviz.checks.run.jacobian_check import check
from gradviz.checks.run.progress import DiscardingSink
from gradviz.model.check_settings import CheckSettings


def test_each_element_moves_by_once_to_twice_as_much_and_by_another_amount() -> None:
    one, two = torch.zeros(3, 4, dtype=torch.float64), torch.zeros((), dtype=torch.complex128)
    nudge([one, two], 0.01)
    moved = torch.cat([one.view(-1), two.real.view(1)])
    assert ((moved >= 0.01) & (moved <= 0.02)).all()
    assert moved.unique().numel() == 13


def test_a_kink_is_left_and_the_values_come_back() -> None:
    x = torch.zeros(2, 2, dtype=torch.float64, requires_grad=True)
    stays = check(torch.relu, [x], sink=DiscardingSink())
    assert stays.verdict == "mismatch"
    moved = check(torch.relu, [x], sink=DiscardingSink(), settings=CheckSettings(nudge=0.01))
    assert (moved.verdict, moved.nudge) == ("match", 0.01)
    assert not x.any()


def test_equal_elements_part() -> None:
    x = torch.ones(2, 3, dtype=torch.float64, requires_grad=True)
    report = check(
        lambda x: x.amax(dim=1), [x], sink=DiscardingSink(), settings=CheckSettings(nudge=0.01)
    )
    assert report.verdict == "match"
