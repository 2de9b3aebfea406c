"""Message templates for results that cannot be relied on: numerical errors, randomness, state."""

MESSAGES_RELIABILITY = {
    # The numerical Jacobian is wrong, or cannot be right.
    "numerical.float32_noise": (
        "The gradient of {name} is correct. The numerical Jacobian is inaccurate: forward computes"
        " in {dtype}, where a step of {eps:g} mostly measures rounding errors. Check everything in"
        " float64, or use a larger eps and larger tolerances."
    ),
    "numerical.float32_noise.eps": (
        "The gradient of {name} is correct. The numerical Jacobian is inaccurate: forward computes"
        " in {dtype}, where a step of {eps:g} mostly measures rounding errors. Compute everything"
        " in float64, or use eps {best:g}."
    ),
    "numerical.float32_noise.inside": (
        "The gradient of {name} is correct. The numerical Jacobian is inaccurate: a part of forward"
        " computes in float32 inside of float64 code, for example in a float32 buffer or in NumPy."
        " A step of {eps:g} mostly measures its rounding errors. Compute this part in float64, or"
        " use eps {best:g}."
    ),
    "numerical.float32_noise.half": (
        "The gradient of {name} cannot be judged precisely: forward computes in {dtype}, where a"
        " step of {eps:g} is lost in rounding errors. With a larger step, the difference is no"
        " larger than those. Let forward run in float64, and check it there."
    ),
    "numerical.eps_sensitive.large": (
        "The gradient of {name} is correct. The numerical Jacobian is inaccurate: eps {eps:g} is"
        " so large that the function is not nearly linear within a step. Use eps {best:g}."
    ),
    "numerical.eps_sensitive.small": (
        "The gradient of {name} is correct. The numerical Jacobian is inaccurate: eps {eps:g} is"
        " so small that its effect is lost in rounding. Use eps {best:g}."
    ),
    "numerical.eps_sensitive.drowned": (
        "The gradient of {name} cannot be judged at this step: the effect of eps {eps:g} is lost in"
        " the rounding of such a large output. Use eps {best:.1g}, or remove the large value from"
        " the output."
    ),
    "numerical.eps_sensitive.open": (
        "The gradient of {name} cannot be judged at this step: the effect of eps {eps:g} is lost in"
        " the rounding of such a large output. Remove the large value from the output and check"
        " again. Until then, the gradient is neither confirmed nor refuted."
    ),
    "numerical.kink": (
        "The function has a kink at this point and has no derivative there, so the gradient of"
        " {name} cannot be judged. Move the point a little."
    ),
    "numerical.kink.jump": (
        "The function jumps at this point and has no derivative there, so the gradient of {name}"
        " cannot be judged. Move the point a little."
    ),
    "numerical.kink.unseen": (
        "The function has no derivative at this point, for example because it picks one of several"
        " equal inputs, so the gradient of {name} cannot be judged. Move the point a little."
    ),
    # What was measured.
    "measured.float64": "With everything cast to float64, at eps {eps:g}, all elements agree.",
    "measured.unchanged": (
        "For steps up to about {step:g}, a part of the output does not change at all, as if its"
        " input were rounded to float32."
    ),
    "measured.moved": "With every input moved by {least:g} to {most:g}, all elements agree.",
    "measured.best": (
        "At {element}, the difference is {error:.3g} at eps {eps:g}, and {best_error:.3g} at eps"
        " {best:g}."
    ),
    "measured.within_rounding": (
        "At {element}, the difference is {error:.3g} at eps {step:g}, where rounding errors alone"
        " may reach {floor:.3g}."
    ),
    "measured.agree.one": "At eps {steps}, the only wrong element agrees.",
    "measured.agree.more": "At eps {steps}, all {count} wrong elements agree.",
    "measured.at_moved_point": (
        "This was measured with the inputs moved by {least:g} to {most:g}, away from a kink."
        " Indices and bounds hold for the moved values, not for the given ones."
    ),
    "measured.noise.one": (
        "The output is as large as {largest:.3g}. Its rounding alone puts errors of up to"
        " {noise:.3g} into the numerical Jacobian, and the only wrong element is off by no more"
        " than a few times that."
    ),
    "measured.noise.more": (
        "The output is as large as {largest:.3g}. Its rounding alone puts errors of up to"
        " {noise:.3g} into the numerical Jacobian, and none of the {count} wrong elements is off by"
        " more than a few times that."
    ),
    "measured.rounding": (
        "At eps {eps:.1g}, numerical and analytical values agree to within {share:.1%}, as far as"
        " rounding allows."
    ),
    "measured.unresolved.one": "For {count} element, no step gives a usable numerical value.",
    "measured.unresolved.more": "For {count} elements, no step gives a usable numerical value.",
    "measured.kink": (
        "At {element}, the one-sided differences are {gap:.3g} apart at eps {eps:g}. This gap does"
        " not shrink with eps, as happens only at a kink."
    ),
    "measured.jump": (
        "At {element}, the one-sided differences are {gap:.3g} apart at eps {eps:g}. This gap grows"
        " as 1/eps, as at a jump."
    ),
    "measured.not_the_step": (
        "eps is not the cause: at {element}, the difference is about {error:.3g} for {count} values"
        " of eps between {first:g} and {last:g}."
    ),
    "measured.element": "{input} / {output}",
    # Identical runs give different results.
    "random.nondeterministic": (
        "Identical calls of {stage} give different results, so no Jacobian can be measured. Draw"
        " random numbers outside and pass them in, or fix the seed inside."
    ),
    "random.seed": "With the same seed, the results are equal: the function draws random numbers.",
    "random.generator": "It draws from its own random generator.",
    "random.unseeded": "With the same seed, the results still differ.",
    "differ.backward": "Two backward passes from the same forward differ by up to {distance:.3g}.",
    "differ.both": ("The gradients of two identical forward calls differ by up to {distance:.3g}."),
    "differ.forward": (
        "Two identical forward calls differ by up to {distance:.3g}. Divided by 2 eps, this puts an"
        " error of {noise:.3g} into the numerical Jacobian."
    ),
    "state.depends": (
        "The result of {stage} depends on something that is not an argument: identical calls give"
        " different results."
    ),
    "state.depends.values": (
        "The result of {stage} depends on something that is not an argument: identical calls give"
        " different results, and the value of {names} changes from call to call."
    ),
    "state.depends.ctx": (
        "The result of {stage} depends on something that is not an argument: identical calls give"
        " different results, and the state of ctx changes from call to call."
    ),
    "state.first_backward": "The first backward after each forward always gives the same result.",
    "state.drifts": "Over {count} further calls, the results drift in one direction.",
    "state.after_others": "They differ only after calls with other values in between.",
    "state.stuck": (
        "Forward returns the same outputs whatever its inputs are: it returns what it stored in an"
        " earlier call. Do not keep values that depend on the arguments from one call to the next."
    ),
    "state.stuck.stored": "The output is stored in {names}.",
    "state.fails.second_backward": (
        "One forward and backward succeed, but a second backward from the same forward fails:"
        " something other than the arguments has changed in between."
    ),
    "state.fails.second_forward": (
        "One forward and backward succeed, but a second forward fails: something other than the"
        " arguments has changed in between."
    ),
    "state.fails.later_backward": (
        "One forward and backward succeed, but backward after another forward fails: something"
        " other than the arguments has changed in between."
    ),
    "state.fails.raised": "It raised {error}",
    "state.latest_forward": (
        "Backward uses values of the most recent forward instead of its own: after a forward with"
        " other values in between, the gradients are different. Usually a value is stored on the"
        " class, on self or in a global variable. Store it on ctx."
    ),
    "state.latest_forward.differ": "The gradients differ by up to {distance:.3g}.",
    "state.latest_forward.equal": "Without the forward in between, they are equal.",
    # Tensors changed in place.
    "damage.forward": (
        "Forward changes {names} in place, but neither calls ctx.mark_dirty nor returns it. Later"
        " uses, including the next evaluation of this check, see the changed values. Work on a copy"
        " (.clone()), or mark it as dirty and return it."
    ),
    "damage.backward": (
        "Backward changes {names} in place, so another backward from the same forward (with"
        " retain_graph=True, or element by element as in this check) computes with the changed"
        " values. Work on a copy (.clone())."
    ),
    "damage.besides": (
        "This was measured with a new forward for each backward, so that nothing was damaged."
    ),
    "damage.refused": (
        "A tensor saved for backward is changed in place before backward uses it, so torch raises"
        " an error. Work on a copy (.clone())."
    ),
    "damage.refused.raised": (
        "Backward raised an error: a saved tensor no longer has the version that was saved."
    ),
    "damage.stored": (
        "Forward changes {names} in place after storing it for backward, so backward computes with"
        " the wrong values. Work on a copy (.clone())."
    ),
    "damage.stored.agree": "With the values as they were when stored, all elements agree.",
    "damage.change.shape": "After one {stage}, {name} has shape {after} instead of {before}.",
    "damage.change.bits": (
        "After one {stage}, {name} has different bits for equal values, such as -0 for 0."
    ),
    "damage.change.number": "After one {stage}, {name} changed from {before} to {after}.",
    "damage.change.one": (
        "After one {stage}, {count} of {total} elements differs: {name}[{index}] changed from"
        " {before} to {after}."
    ),
    "damage.change.more": (
        "After one {stage}, {count} of {total} elements differ: {name}[{index}] changed from"
        " {before} to {after}."
    ),
}
