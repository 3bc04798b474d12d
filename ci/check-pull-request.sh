#!/usr/bin/env bash
# Checks what a pull request changes: validates the catalogs that it touches, says what that means for users, and does the
# static checks of the operators that it touches. Runs at the top of the checkout, with the commits of the base in it.
#
# SWITCHYARD_BASE      the commit or branch that the pull request is to be merged into
# SWITCHYARD_CATALOGS  folders of catalogs, a line each; one that only holds v4.18, v4.19, … stands for these
# SWITCHYARD_PROFILE   how much advice is given: opm, community, strict; "" as configured
# SWITCHYARD_DENY      invariants that the change must not break, with commas; "" for none
# SWITCHYARD_FORMAT    how problems are written: github (annotations), text, junit, sarif
# SWITCHYARD_REPORT    where they are written; "" for standard output
# SWITCHYARD_SUMMARY   a file to which the diff for users is added, as Markdown; "" for standard output
#
# Ends with 0 if all is well, 1 if a catalog fails, an invariant is broken or a check finds an error, 2 if it could not run.
set -uo pipefail

base=${SWITCHYARD_BASE:?names the commit that the pull request is to be merged into}
format=${SWITCHYARD_FORMAT:-text}
summary=${SWITCHYARD_SUMMARY:-/dev/stdout}
report=${SWITCHYARD_REPORT:-/dev/stdout}
mapfile -t catalogs < <(printf '%s\n' "${SWITCHYARD_CATALOGS:-.}" | sed 's/^[[:space:]]*//; s/[[:space:]]*$//; /^$/d')

status=0
gravest() { if (("$1" > status)); then status=$1; fi; }

old=$(mktemp -d) || exit 2
trap 'rm -rf "$old"' EXIT

fork=$(git merge-base "$base" HEAD 2>/dev/null || git rev-parse --verify --quiet "$base^{commit}") || {
  echo "git does not know $base: the job has to fetch it" >&2
  exit 2
}

# The catalogs that changed.
options=(--changed-since "$base" --format "$format")
if [[ -n ${SWITCHYARD_PROFILE:-} ]]; then options+=(--profile "$SWITCHYARD_PROFILE"); fi
switchyard validate "${options[@]}" -- "${catalogs[@]}" >>"$report"
gravest $?

# What the change means for users, catalog by catalog.
options=(--format markdown)
if [[ -n ${SWITCHYARD_DENY:-} ]]; then options+=(--deny "$SWITCHYARD_DENY"); fi
changed=$(switchyard --quiet changed --since "$base" -- "${catalogs[@]}")
gravest $?
while IFS= read -r catalog; do
  if [[ -z $catalog ]]; then continue; fi
  mkdir -p "$old/$catalog"
  if [[ -n $(git ls-tree "$fork" -- "$catalog/") ]]; then git archive "$fork" -- "$catalog" | tar -x -C "$old"; fi
  printf '\n# `%s`\n\n' "$catalog" >>"$summary"
  switchyard diff "${options[@]}" -- "$old/$catalog" "$catalog" >>"$summary"
  gravest $?
done <<<"$changed"

# In an operator repository: what its pipeline will say of the operators that changed.
if [[ -d operators && -d catalogs ]]; then
  files=$(git -c core.quotePath=false diff --name-only --no-renames "$fork" -- operators catalogs)
  touched=$(awk -F/ '$1 == "operators" && NF > 2 { print $2 } $1 == "catalogs" && NF > 3 { print $3 }' <<<"$files" | sort -u)
  while IFS= read -r operator; do
    if [[ -z $operator || ! -d operators/$operator ]]; then continue; fi
    where=()
    while IFS= read -r catalog; do
      if [[ -d catalogs/$catalog/$operator ]]; then where+=(--catalog "$catalog"); fi
    done < <(awk -F/ -v of="$operator" '$1 == "catalogs" && $3 == of { print $2 }' <<<"$files" | sort -u)
    bundles=$(awk -F/ -v of="$operator" '$1 == "operators" && $2 == of && NF > 3 { print $3 }' <<<"$files" | sort -u |
      while IFS= read -r folder; do if [[ -d operators/$operator/$folder/manifests ]]; then echo "$folder"; fi; done)
    while IFS= read -r bundle; do
      what=()
      if [[ -n $bundle ]]; then what=(--bundle "$bundle"); fi
      found=$(switchyard --color never repo check --operator "$operator" "${what[@]}" "${where[@]}" 2>&1)
      gravest $?
      printf '\n# Static checks of `%s`%s\n\n```text\n%s\n```\n' "$operator" "${bundle:+, bundle \`$bundle\`}" "$found" >>"$summary"
      if [[ $format == github ]]; then
        awk '
          match($0, /^(error|warning)\[[^]]*\]: /) {
            kind = substr($0, 1, index($0, "[") - 1)
            title = substr($0, index($0, "[") + 1, index($0, "]") - index($0, "[") - 1)
            message = substr($0, RLENGTH + 1)
            gsub(/%/, "%25", message)
          }
          /^  --> / && kind {
            place = substr($0, 7)
            line = ""
            if (match(place, /:[0-9]+$/)) { line = ",line=" substr(place, RSTART + 1); place = substr(place, 1, RSTART - 1) }
            printf "::%s file=%s%s,title=%s::%s\n", kind, place, line, title, message
            kind = ""
          }' <<<"$found"
      else
        printf '%s:\n%s\n' "$operator${bundle:+ $bundle}" "$found"
      fi
    done <<<"$bundles"
    # Not yet rendered is no fault of a release: the pipeline does that after the merge.
    printf '\n# Catalogs of `%s`\n\n```text\n%s\n```\n' "$operator" \
      "$(switchyard --color never repo status --operator "$operator" 2>&1)" >>"$summary"
  done <<<"$touched"
fi

exit "$status"
