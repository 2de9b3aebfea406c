#!/bin/bash
# Builds what a release consists of in dist/ and tests it. It publishes nothing: it ends with the commands that do.
set -euo pipefail
cd "$(dirname "$0")/.."
version=$(sed -n 's/^version = "\(.*\)"$/\1/p' pyproject.toml)
fail() { echo "$1" >&2; exit 1; }

[ -z "$(git status --porcelain)" ] || fail "Commit or remove the changes first. A release is built from a commit."
grep -qx "__version__ = \"$version\"" gradviz/version.py || fail "gradviz/version.py and pyproject.toml differ."
tagged=$(git rev-parse --quiet --verify "refs/tags/v$version^{commit}" || git rev-parse HEAD)
[ "$tagged" = "$(git rev-parse HEAD)" ] || fail "v$version is another commit. Raise the version in both files."

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
new_environment() { .venv/bin/python -m venv --clear "$1"; }

rm -rf dist
# From a clone, so that nothing that git ignores gets into the archives.
git clone --quiet . "$work/clone"
.venv/bin/python -m build --no-isolation --outdir dist "$work/clone" >"$work/log" || { cat "$work/log" >&2; exit 1; }

new_environment "$work/twine"
# shellcheck disable=SC2086 # PIP_ARGS may hold several arguments
"$work/twine/bin/python" -m pip install --quiet --disable-pip-version-check ${PIP_ARGS:-} twine
"$work/twine/bin/python" -m twine check --strict dist/*

# The source archive must build the same wheel.
.venv/bin/python -m pip wheel --quiet --disable-pip-version-check --no-deps --no-build-isolation \
    --wheel-dir "$work/again" dist/*.tar.gz
names() { .venv/bin/python -m zipfile -l "$1" | awk '{print $1}' | sort; }
diff <(names dist/*.whl) <(names "$work"/again/*.whl) || fail "The wheel of the source archive differs."

for extra in core record view all; do
    echo "Trying the wheel with the extra '$extra'"
    new_environment "$work/venv"
    .ci/try-wheel "$work/venv" dist/*.whl "$extra"
done

echo "dist/ is ready. To publish it:"
echo "    git tag -a v$version -m 'gradviz $version' && git push origin v$version"
echo "    python -m twine upload dist/*"
