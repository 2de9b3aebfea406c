"""Guesses the inputs of a callable from its signature."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Sequence
from typing import Any

import torch
from msgspec.structs import replace

from gradviz.checks.names import parameters_of
from gradviz.model.inputs import InputSpec
from gradviz.recorder.patching.signals import calls_user_code
from gradviz.worker.signature import CallTarget
from gradviz.worker.user_errors import CaughtError


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split(","))


_TENSORS = _words(
    "x,y,z,a,b,c,h,q,k,v,u,w,t,input,inputs,tensor,tensors,other,query,key,value,"
    "weight,weights,bias,mat,mat1,mat2,vec,matrix,vector,left,right,lhs,rhs,hidden,"
    "state,gamma,beta,logits"
)
_INDICES = _words("index,indices,idx,target,targets,label,labels,token,tokens,ids")
_SHAPES = _words("shape,size,sizes,output_size,normalized_shape,repeats,dims,axes")
_FRACTIONS = _words(
    "eps,alpha,slope,negative_slope,momentum,p,scale,factor,lambd,lam,temperature,tau,"
    "rate,exponent,power,threshold,coefficient,lower,upper,low,high,minimum,maximum"
)
_SWITCHES = _words("training,train,inplace,keepdim,transpose,reverse,causal,use_bias")
_DIMS = _words("dim,dim0,dim1,axis")
_INTEGERS = _words(
    "n,m,num,count,groups,stride,padding,dilation,kernel_size,heads,num_heads,order,"
    "steps,times,start,length"
)
_WHOLE_TEXTS = ("2", "1", "0", "3", "-1")
_DIM_TEXTS = ("1", "0", "-1")
_SHAPE_TEXTS = ("(3, 2)", "(6,)", "(2, 3)", "(0, 1)", "(1, 0)", "(3,)", "(0,)", "(2, 2)")
_TEXTS = {
    "bool": ("False", "True"),
    "int": _WHOLE_TEXTS,
    "float": ("0.5", "2.0"),
    "str": ("'mean'", "'sum'", "'none'"),
    "shape": _SHAPE_TEXTS,
    "any": ("2.0", "1", "0", "True"),
}


def input_options(target: CallTarget) -> tuple[tuple[InputSpec, ...], ...]:
    """For each argument the kinds of values to try, the most likely one first.

    Tensors have the shape ``[2, 3]`` and, except for indices and masks, require a gradient.
    Arguments from the first default on that is not a Python literal are left out.
    """
    found: list[tuple[InputSpec, ...]] = []
    dtype = _dtype_of(target.thing)
    parameters = parameters_of(target.thing)
    for parameter in parameters:
        if parameter.kind is parameter.VAR_KEYWORD:
            continue
        if parameter.kind is parameter.VAR_POSITIONAL:
            # A default before them has to be passed by position, which a reader would not expect.
            if all(each.default is each.empty for each in parameters):
                names = (f"{parameter.name}[{at}]" for at in range(2))
                found += [(_tensor(name, dtype),) for name in names]
            continue
        options = _options(parameter, dtype)
        if not options:
            break
        found.append(options)
    return tuple(found)


def guessed_inputs(target: CallTarget) -> tuple[InputSpec, ...]:
    """The most likely kind of value for each argument, in the order of the parameters."""
    return tuple(options[0] for options in input_options(target))


def _dtype_of(thing: Any) -> str:
    """Dtype of a module's parameters; float64 for other callables, as checks need it."""
    if isinstance(thing, torch.nn.Module):
        for parameter in thing.parameters():
            if parameter.dtype.is_floating_point:
                return str(parameter.dtype).removeprefix("torch.")
    return "float64"


def _tensor(name: str, dtype: str) -> InputSpec:
    return InputSpec(name=name, shape=(2, 3), dtype=dtype, requires_grad=True)


def _literals(name: str, texts: Sequence[str]) -> tuple[InputSpec, ...]:
    return tuple(InputSpec(name=name, kind="object", text=text) for text in texts)


@calls_user_code
def _options(parameter: inspect.Parameter, dtype: str) -> tuple[InputSpec, ...]:
    name, word = parameter.name, parameter.name.lower().strip("_")
    tensor, nothing = _tensor(name, dtype), InputSpec(name=name, kind="none")
    hint = _hint(parameter.annotation)
    if parameter.default is None:
        is_tensor = "Tensor" in hint if hint else word in _TENSORS
        return (tensor, nothing) if is_tensor else (nothing, tensor)
    if parameter.default is not parameter.empty:
        text = ""
        with CaughtError():
            text = repr(parameter.default)
        return _literals(name, (text,)) if _is_literal(text) else ()
    if "Tensor" in hint:
        tensors = _named_tensors(word, tensor)
        return (*tensors, nothing) if "None" in hint or "Optional" in hint else tensors
    for kind, words in (("shape", ("tuple", "list", "Sequence", "Size")), *_SCALAR_HINTS):
        if hint.startswith(words):
            is_dim = kind == "int" and word in _DIMS
            return _literals(name, _DIM_TEXTS if is_dim else _TEXTS[kind])
    return _by_name(word, tensor, nothing)


_SCALAR_HINTS = tuple((kind, (kind,)) for kind in ("bool", "int", "float", "str"))


def _by_name(word: str, tensor: InputSpec, nothing: InputSpec) -> tuple[InputSpec, ...]:
    name = tensor.name
    if word in _INDICES or "mask" in word:
        return (*_named_tensors(word, tensor), *_literals(name, _WHOLE_TEXTS))
    if word in _TENSORS:
        return (tensor,)
    if word in _SHAPES:
        return (*_literals(name, (*_SHAPE_TEXTS, *_WHOLE_TEXTS)), tensor)
    if word in _FRACTIONS:
        return (*_literals(name, _TEXTS["float"]), tensor)
    if word in _SWITCHES or word.startswith(("is_", "use_", "needs_")):
        return (*_literals(name, _TEXTS["bool"]), tensor)
    if word in _DIMS:
        return (*_literals(name, _DIM_TEXTS), tensor)
    if word in _INTEGERS or word.startswith(("num_", "n_")) or word.endswith(("_size", "_dim")):
        return (*_literals(name, _WHOLE_TEXTS), tensor)
    return (tensor, *_literals(name, _TEXTS["any"]), nothing)


def _named_tensors(word: str, tensor: InputSpec) -> tuple[InputSpec, ...]:
    """Tensors of the dtypes that an index or a mask can have; or the tensor itself."""
    whole = replace(tensor, dtype="int64", fill="randint", parameters=(0, 2), requires_grad=False)
    plain = replace(tensor, requires_grad=False)
    if "mask" in word:
        return (replace(whole, dtype="bool"), plain)
    return (whole, plain) if word in _INDICES else (tensor,)


@calls_user_code
def _hint(annotation: Any) -> str:
    """The annotation as it could be written in the source; empty if there is none."""
    if annotation is inspect.Parameter.empty:
        return ""
    if isinstance(annotation, type) and not hasattr(annotation, "__args__"):
        return annotation.__name__
    text = ""
    with CaughtError():
        text = str(annotation).replace("typing.", "").replace("torch.", "")
    return text


def _is_literal(text: str) -> bool:
    try:
        ast.literal_eval(text)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return False
    return True
