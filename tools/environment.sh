#!/bin/sh
# Creates the virtual environment .venv with gradviz (editable) and its developer tools.
#
# PYTHON is the interpreter to create it with. PIP_ARGS is passed to pip, for example to install torch
# from another index.
set -eu
cd "$(dirname "$0")/.."
python=${PYTHON:-python3}

tools/system.sh venv
if ! .venv/bin/python -c 'import pip, sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
    rm -rf .venv
    "$python" -m venv .venv
fi
echo "Installing gradviz and its developer tools into .venv (torch is large, so this can take a while)"
# shellcheck disable=SC2086 # PIP_ARGS may hold several arguments
.venv/bin/python -m pip install --quiet --disable-pip-version-check ${PIP_ARGS:-} \
    --constraint constraints.txt --editable '.[dev]'
touch .venv/made
