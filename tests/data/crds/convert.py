"""Makes the JSON Schemas of this folder from published CustomResourceDefinitions: `convert.py CRD.yaml... FOLDER`.

Needs PyYAML. README.md says where the CRDs are from, and what is changed.
"""

import json
import pathlib
import sys

import yaml


def schema(node):
    """The schema without prose, and closed where Kubernetes would drop or refuse what is not listed."""
    if isinstance(node, list):
        return [schema(item) for item in node]
    if not isinstance(node, dict):
        return node
    made = {key: schema(value) for key, value in node.items() if not (key == "description" and isinstance(value, str))}
    if isinstance(made.get("properties"), dict) and made.get("type") == "object":
        if "additionalProperties" not in made and not made.get("x-kubernetes-preserve-unknown-fields"):
            made["additionalProperties"] = False
    return made


*files, folder = sys.argv[1:]
for file in files:
    crd = yaml.safe_load(pathlib.Path(file).read_text())
    for version in crd["spec"]["versions"]:
        if version["served"] and version["storage"]:
            made = {
                "group": crd["spec"]["group"],
                "version": version["name"],
                "kind": crd["spec"]["names"]["kind"],
                "scope": crd["spec"]["scope"],
                "schema": schema(version["schema"]["openAPIV3Schema"]),
            }
            name = crd["spec"]["names"]["singular"]
            text = json.dumps(made, indent=1, ensure_ascii=False)
            pathlib.Path(folder, f"{name}.json").write_text(text + "\n")
